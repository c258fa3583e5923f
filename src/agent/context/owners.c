/* A table of buckets, each as large as a cache line. An id hashes to two buckets, and its entry is at any place in one of them. So entries
 * are never moved, the place of a removed entry is free at once, and a search reads at most two cache lines. */
#include "agent/context/owners.h"

#include "agent/context/records.h"

#include <stdatomic.h>
#include <stddef.h>

enum { BUCKET = 8, BUCKETS = 2 * RECORDS_MAX / BUCKET, CHOICES = 2 };

#define CLAIMED UINT64_MAX

static _Atomic uint64_t ids[BUCKETS][BUCKET] __attribute__((aligned(64))); /* 0 = free */
static _Atomic int records[BUCKETS][BUCKET];

/* Returns one of the id's two buckets, by the finalizer of MurmurHash3. Its halves are the two choices. */
static uint32_t bucket_of(uint64_t id, int choice)
{
    id ^= id >> 33;
    id *= 0xff51afd7ed558ccdULL;
    id ^= id >> 33;
    id *= 0xc4ceb9fe1a85ec53ULL;
    id ^= id >> 33;
    return (uint32_t)(choice ? id >> 32 : id) % BUCKETS;
}

static uint32_t taken_of(uint32_t bucket)
{
    uint32_t taken = 0;
    for (int i = 0; i < BUCKET; i++)
        taken += atomic_load_explicit(&ids[bucket][i], memory_order_relaxed) != 0;
    return taken;
}

static bool add_to(uint32_t bucket, uint64_t id, int record)
{
    for (int i = 0; i < BUCKET; i++) {
        uint64_t free = 0;
        /* Relaxed, because the values below are published only by the id. */
        if (!atomic_compare_exchange_strong_explicit(&ids[bucket][i], &free, CLAIMED, memory_order_relaxed, memory_order_relaxed))
            continue;
        atomic_store_explicit(&records[bucket][i], record, memory_order_relaxed);
        /* Release: pairs with the acquire of a thread that finds the id and reads the record. */
        atomic_store_explicit(&ids[bucket][i], id, memory_order_release);
        return true;
    }
    return false;
}

static _Atomic uint64_t *find(uint64_t id, int *record)
{
    for (int choice = 0; choice < CHOICES; choice++) {
        uint32_t bucket = bucket_of(id, choice);
        for (int i = 0; i < BUCKET; i++)
            if (atomic_load_explicit(&ids[bucket][i], memory_order_acquire) == id) {
                *record = atomic_load_explicit(&records[bucket][i], memory_order_relaxed);
                return &ids[bucket][i];
            }
    }
    return NULL;
}

void owners_remove(uint64_t id)
{
    int record;
    _Atomic uint64_t *place = id ? find(id, &record) : NULL;
    if (place)
        atomic_store_explicit(place, 0, memory_order_release);
}

int owners_find(uint64_t id)
{
    int record;
    return id && find(id, &record) ? record : -1;
}

/* Adds to the emptier of the two buckets, so that buckets almost never become full while half of all places are free. */
bool owners_add(uint64_t id, int record)
{
    uint32_t one = bucket_of(id, 0), other = bucket_of(id, 1);
    if (taken_of(other) < taken_of(one)) {
        uint32_t first = other;
        other = one;
        one = first;
    }
    return id && id != CLAIMED && owners_find(id) < 0 && (add_to(one, id, record) || add_to(other, id, record));
}
