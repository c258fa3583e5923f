/* A hash map from 64-bit keys to 32-bit values: open addressing, linear probing, grows at 3/4. Every key is allowed.
 * One owner, no locking. Time: O(1) expected. */
#ifndef CANDOR_BASE_MAP_H
#define CANDOR_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
    uint64_t key;
    uint32_t value;
    uint32_t used;
};

struct map {
    struct map_slot *slots;
    size_t cap; /* a power of two, or 0 */
    size_t count;
};

void map_init(struct map *m);
void map_deinit(struct map *m);
void map_clear(struct map *m);
/* Borrows the value's place, or NULL; valid until the next map_add. */
uint32_t *map_find(const struct map *m, uint64_t key);
/* The value's place, a new one holding 0 with *added set; NULL when out of memory. */
uint32_t *map_add(struct map *m, uint64_t key, bool *added);

/* Mixes 64 bits so that each output bit depends on each input bit (the finaliser of MurmurHash3). */
static inline uint64_t hash_mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ULL;
    x ^= x >> 33;
    return x;
}

uint64_t hash_bytes(const void *bytes, size_t n);

#endif
