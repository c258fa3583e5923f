/* A hash map from 64-bit keys to 32-bit values. It uses open addressing and linear probing, and grows when it is 3/4 full. Every key is
 * allowed. A map has one owner and no lock. Operations take expected O(1) time. */
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
/* Returns a pointer to the value, or NULL if the key is not in the map. The pointer is valid until the next map_add. */
uint32_t *map_find(const struct map *m, uint64_t key);
/* Returns a pointer to the value of the key. If the key is new, adds it with the value 0 and sets *added. Returns NULL when out of
 * memory. */
uint32_t *map_add(struct map *m, uint64_t key, bool *added);

/* Loads the memory that map_find or map_add will need for this key, without waiting for it. */
void map_soon(const struct map *m, uint64_t key);

/* Mixes 64 bits so that each output bit depends on each input bit (the finalizer of MurmurHash3). */
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
