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

/* The tables of all levels, one after the other. */
static struct {
    _Atomic uint64_t *keys; /* 0 = free */
    struct virtual_wait *waits;
    _Atomic uint32_t levels; /* the levels that have been used */
} table;

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

int virtual_waits_init(void)
{
    if (!table.waits)
        table.waits = (struct virtual_wait *)map(VIRTUAL_WAITS_MAX * sizeof *table.waits);
    if (table.waits && !table.keys)
        table.keys = map(VIRTUAL_WAITS_MAX * sizeof *table.keys);
    return table.keys ? 0 : -ENOMEM;
}

void virtual_waits_deinit(void)
{
    if (!table.keys)
        return;
    madvise((void *)table.keys, VIRTUAL_WAITS_MAX * sizeof *table.keys, MADV_DONTNEED);
    madvise(table.waits, VIRTUAL_WAITS_MAX * sizeof *table.waits, MADV_DONTNEED);
    atomic_store(&table.levels, 0);
}

static uint32_t taken_of(uint32_t bucket)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < BUCKET; i++)
        taken += atomic_load_explicit(&table.keys[bucket + i], memory_order_relaxed) != 0;
    return taken;
}

static bool add_to(uint32_t bucket, uint64_t key, const struct virtual_wait *wait)
{
    for (uint32_t i = bucket; i < bucket + BUCKET; i++) {
        uint64_t free = 0;
        /* Acquire: pairs with the release of the thread that freed the place, and has read the wait before. */
        if (!atomic_compare_exchange_strong_explicit(&table.keys[i], &free, CLAIMED, memory_order_acquire, memory_order_relaxed))
            continue;
        table.waits[i] = *wait;
        /* Release: pairs with the acquire of the thread that takes the wait. */
        atomic_store_explicit(&table.keys[i], key, memory_order_release);
        return true;
    }
    return false;
}

/* Adds to the emptier of two buckets, so that buckets almost never become full while half of the level is free. */
static bool add_to_level(uint32_t level, uint64_t key, const struct virtual_wait *wait)
{
    uint64_t mixed = mix(key);
    uint32_t one = bucket_of(mixed, level, 0), other = bucket_of(mixed, level, 1);
    bool is_other_emptier = taken_of(other) < taken_of(one);
    return add_to(is_other_emptier ? other : one, key, wait) || add_to(is_other_emptier ? one : other, key, wait);
}

bool virtual_waits_add(uint64_t key, const struct virtual_wait *wait)
{
    struct virtual_wait earlier;
    if (!table.keys || !key || key == CLAIMED)
        return false;
    virtual_waits_take(key, &earlier);
    for (uint32_t level = 0; level < LEVELS; level++) {
        /* Relaxed: the carrier to which the virtual thread returns sees this store, because the JVM has handed the thread over. */
        uint32_t used = atomic_load_explicit(&table.levels, memory_order_relaxed);
        while (used <= level &&
               !atomic_compare_exchange_weak_explicit(&table.levels, &used, level + 1, memory_order_relaxed, memory_order_relaxed)) {
        }
        if (add_to_level(level, key, wait))
            return true;
    }
    return false;
}

/* Takes the wait at a place, if it still belongs to the virtual thread. */
static bool take_at(uint32_t place, uint64_t key, struct virtual_wait *wait)
{
    /* Acquire: pairs with the release of the thread that added the wait. */
    if (!atomic_compare_exchange_strong_explicit(&table.keys[place], &key, CLAIMED, memory_order_acquire, memory_order_relaxed))
        return false;
    *wait = table.waits[place];
    /* Release: pairs with the acquire of the next owner of the place, which overwrites the wait. */
    atomic_store_explicit(&table.keys[place], 0, memory_order_release);
    return true;
}

bool virtual_waits_take(uint64_t key, struct virtual_wait *wait)
{
    uint64_t mixed = mix(key);
    /* Relaxed, as where it is written. */
    uint32_t levels = table.keys && key && key != CLAIMED ? atomic_load_explicit(&table.levels, memory_order_relaxed) : 0;
    for (uint32_t level = 0; level < levels; level++)
        for (int choice = 0; choice < CHOICES; choice++) {
            uint32_t bucket = bucket_of(mixed, level, choice);
            for (uint32_t i = bucket; i < bucket + BUCKET; i++)
                if (atomic_load_explicit(&table.keys[i], memory_order_relaxed) == key)
                    return take_at(i, key, wait);
        }
    return false;
}

bool virtual_waits_claim(uint32_t *place, uint64_t *key, struct virtual_wait *wait)
{
    uint32_t end = table.keys ? begin_of(atomic_load(&table.levels)) : 0;
    while (*place < end) {
        uint32_t at = (*place)++;
        *key = atomic_load(&table.keys[at]);
        if (*key && *key != CLAIMED && take_at(at, *key, wait))
            return true;
    }
    return false;
}
