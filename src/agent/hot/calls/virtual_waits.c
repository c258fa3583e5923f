/* A table in levels, each four times as large as the one before. A wait goes to the lowest level with a free place for it, so a program
 * with few waiting threads uses the memory of the first level only. Within a level, as in context/owners.c, a key hashes to two buckets of
 * a cache line, and is at any place in one of them: a place is free at once when its wait is taken, and nothing is ever moved. */
#include "agent/hot/calls/virtual_waits.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

enum { BUCKET = 8, CHOICES = 2, LEVELS = 5, BUCKETS_FIRST = 512, GROWTH_SHIFT = 2 };
_Static_assert(VIRTUAL_WAITS_MAX == BUCKET * BUCKETS_FIRST * ((1 << GROWTH_SHIFT * LEVELS) - 1) / ((1 << GROWTH_SHIFT) - 1),
               "the sum of all levels");

#define CLAIMED UINT64_MAX

static uint32_t buckets_of(uint32_t level)
{
    return (uint32_t)BUCKETS_FIRST << GROWTH_SHIFT * level;
}

/* Returns the first place of a level; for LEVELS the number of all places. */
static uint32_t begin_of(uint32_t level)
{
    return BUCKET * (buckets_of(level) - BUCKETS_FIRST) / ((1 << GROWTH_SHIFT) - 1);
}

/* Mixes the bits of a key, as the finalizer of MurmurHash3 does. The two halves of the result are the two choices. */
static uint64_t mix(uint64_t key)
{
    key ^= key >> 33;
    key *= 0xff51afd7ed558ccdULL;
    key ^= key >> 33;
    key *= 0xc4ceb9fe1a85ec53ULL;
    return key ^ key >> 33;
}

/* Returns the first place of one of the key's buckets in a level. */
static uint32_t bucket_of(uint64_t mixed, uint32_t level, int choice)
{
    uint32_t half = (uint32_t)(choice ? mixed >> 32 : mixed);
    return begin_of(level) + BUCKET * (half % buckets_of(level));
}

static _Atomic uint64_t *map(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

int virtual_waits_init(struct virtual_waits *t)
{
    if (!t->waits)
        t->waits = (struct virtual_wait *)map(VIRTUAL_WAITS_MAX * sizeof *t->waits);
    if (t->waits && !t->keys)
        t->keys = map(VIRTUAL_WAITS_MAX * sizeof *t->keys);
    return t->keys ? 0 : -ENOMEM;
}

void virtual_waits_deinit(struct virtual_waits *t)
{
    if (!t->keys)
        return;
    madvise((void *)t->keys, VIRTUAL_WAITS_MAX * sizeof *t->keys, MADV_DONTNEED);
    madvise(t->waits, VIRTUAL_WAITS_MAX * sizeof *t->waits, MADV_DONTNEED);
    atomic_store(&t->levels, 0);
}

static uint32_t taken_of(const struct virtual_waits *t, uint32_t bucket)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < BUCKET; i++)
        taken += atomic_load_explicit(&t->keys[bucket + i], memory_order_relaxed) != 0;
    return taken;
}

static bool add_to(struct virtual_waits *t, uint32_t bucket, uint64_t key, const struct virtual_wait *wait)
{
    for (uint32_t i = bucket; i < bucket + BUCKET; i++) {
        uint64_t free = 0;
        /* Acquire: pairs with the release of the thread that freed the place, and has read the wait before. */
        if (!atomic_compare_exchange_strong_explicit(&t->keys[i], &free, CLAIMED, memory_order_acquire, memory_order_relaxed))
            continue;
        t->waits[i] = *wait;
        /* Release: pairs with the acquire of the thread that takes the wait. */
        atomic_store_explicit(&t->keys[i], key, memory_order_release);
        return true;
    }
    return false;
}

/* Adds to the emptier of two buckets, so that buckets almost never become full while half of the level is free. */
static bool add_to_level(struct virtual_waits *t, uint32_t level, uint64_t key, const struct virtual_wait *wait)
{
    uint64_t mixed = mix(key);
    uint32_t one = bucket_of(mixed, level, 0), other = bucket_of(mixed, level, 1);
    bool is_other_emptier = taken_of(t, other) < taken_of(t, one);
    return add_to(t, is_other_emptier ? other : one, key, wait) || add_to(t, is_other_emptier ? one : other, key, wait);
}

bool virtual_waits_add(struct virtual_waits *t, uint64_t key, const struct virtual_wait *wait)
{
    struct virtual_wait earlier;
    if (!t->keys || !key || key == CLAIMED)
        return false;
    virtual_waits_take(t, key, &earlier);
    for (uint32_t level = 0; level < LEVELS; level++) {
        /* Relaxed: the carrier to which the virtual thread returns sees this store, because the JVM has handed the thread over. */
        uint32_t used = atomic_load_explicit(&t->levels, memory_order_relaxed);
        while (used <= level &&
               !atomic_compare_exchange_weak_explicit(&t->levels, &used, level + 1, memory_order_relaxed, memory_order_relaxed)) {
        }
        if (add_to_level(t, level, key, wait))
            return true;
    }
    return false;
}

/* Takes the wait at a place, if it still belongs to the virtual thread. */
static bool take_at(struct virtual_waits *t, uint32_t place, uint64_t key, struct virtual_wait *wait)
{
    /* Acquire: pairs with the release of the thread that added the wait. */
    if (!atomic_compare_exchange_strong_explicit(&t->keys[place], &key, CLAIMED, memory_order_acquire, memory_order_relaxed))
        return false;
    *wait = t->waits[place];
    /* Release: pairs with the acquire of the next owner of the place, which overwrites the wait. */
    atomic_store_explicit(&t->keys[place], 0, memory_order_release);
    return true;
}

/* Finds the place of a key. */
static bool find(const struct virtual_waits *t, uint64_t key, uint32_t *place)
{
    uint64_t mixed = mix(key);
    /* Relaxed, as where it is written. */
    uint32_t levels = t->keys && key && key != CLAIMED ? atomic_load_explicit(&t->levels, memory_order_relaxed) : 0;
    for (uint32_t level = 0; level < levels; level++)
        for (int choice = 0; choice < CHOICES; choice++) {
            uint32_t bucket = bucket_of(mixed, level, choice);
            for (*place = bucket; *place < bucket + BUCKET; (*place)++)
                if (atomic_load_explicit(&t->keys[*place], memory_order_relaxed) == key)
                    return true;
        }
    return false;
}

bool virtual_waits_take(struct virtual_waits *t, uint64_t key, struct virtual_wait *wait)
{
    uint32_t place;
    return find(t, key, &place) && take_at(t, place, key, wait);
}

bool virtual_waits_peek(const struct virtual_waits *t, uint64_t key, struct virtual_wait *wait)
{
    uint32_t place;
    /* Acquire: pairs with the release of the thread that added the wait. */
    if (!find(t, key, &place) || atomic_load_explicit(&t->keys[place], memory_order_acquire) != key)
        return false;
    *wait = t->waits[place];
    return true;
}

bool virtual_waits_claim(struct virtual_waits *t, uint32_t *place, uint64_t *key, struct virtual_wait *wait)
{
    uint32_t end = t->keys ? begin_of(atomic_load(&t->levels)) : 0;
    while (*place < end) {
        uint32_t at = (*place)++;
        *key = atomic_load(&t->keys[at]);
        if (*key && *key != CLAIMED && take_at(t, at, *key, wait))
            return true;
    }
    return false;
}
