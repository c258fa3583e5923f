/* The meanings of a pool's keys: a hash table that grows when it is 3/4 full. A meaning is kept beside its key, and not in a list to which
 * struct map refers, because most of its cost is one cache miss each. It has one owner and no lock. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_KEYS_H
#define CANDOR_PROFILE_LOAD_LOAD_KEYS_H

#include <stdint.h>

struct load_meaning {
    uint64_t key;
    uint32_t id, chunk; /* chunk: the last one in which the key had this meaning; 0 = not set yet */
};

struct load_keys { /* begins as {0} */
    struct load_meaning *places;
    uint32_t cap, count; /* cap: a power of two, or 0 */
};

/* Returns the meaning of a key; it is valid until the next call. The caller sets the chunk of a new meaning before the next call.
 * Returns NULL when out of memory. */
struct load_meaning *load_keys_find(struct load_keys *k, uint64_t key);
void load_keys_deinit(struct load_keys *k);

#endif
