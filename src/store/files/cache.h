/* Keeps dictionaries in memory: those in use, and the most recently used others, as long as these take at most `most` bytes of memory. Any
 * thread may call these functions. */
#ifndef CANDOR_STORE_FILES_CACHE_H
#define CANDOR_STORE_FILES_CACHE_H

#include "store/files/dictionary.h"

#include <stdatomic.h>

struct cached {
    uint32_t id, users;
    uint64_t used;  /* value of the cache's `clock` at the last use */
    uint64_t bytes; /* of memory, when it was used last */
    struct dictionary dictionary;
    struct cached *next;
};

struct cache {
    pthread_mutex_t lock;
    struct cached *list;
    uint64_t clock;
    atomic_uint_fast64_t most; /* the owner sets it at any time; it orders no other memory access */
    uint64_t idle_bytes;       /* of the dictionaries that are not in use */
};

void cache_init(struct cache *c);
void cache_deinit(struct cache *c);
/* Gets the dictionary, and reads it from the file if necessary. The caller returns it with cache_put. Returns 0, or a code with a message
 * in e. */
int cache_get(struct cache *c, uint32_t id, const char *path, struct dictionary **d, struct error *e);
void cache_put(struct cache *c, struct dictionary *d);
/* Removes a dictionary from memory. The dictionary must not be in use. */
void cache_drop(struct cache *c, uint32_t id);
/* Returns the bytes of memory of all dictionaries. */
uint64_t cache_bytes(struct cache *c);

#endif
