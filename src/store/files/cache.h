/* Keeps dictionaries in memory: those in use, and the most recently used others, as long as these have at most CACHE_NODES_MAX stacks. Any
 * thread may call these functions. */
#ifndef CANDOR_STORE_FILES_CACHE_H
#define CANDOR_STORE_FILES_CACHE_H

#include "store/files/dictionary.h"

enum { CACHE_NODES_MAX = 4 << 20 };

struct cached {
    uint32_t id, users;
    uint64_t used; /* value of the cache's `clock` at the last use */
    struct dictionary dictionary;
    struct cached *next;
};

struct cache {
    pthread_mutex_t lock;
    struct cached *list;
    uint64_t clock;
};

void cache_init(struct cache *c);
void cache_deinit(struct cache *c);
/* Gets the dictionary, and reads it from the file if necessary. The caller returns it with cache_put. Returns 0, or a code with a message
 * in e. */
int cache_get(struct cache *c, uint32_t id, const char *path, struct dictionary **d, struct error *e);
void cache_put(struct cache *c, struct dictionary *d);
/* Removes a dictionary from memory. The dictionary must not be in use. */
void cache_drop(struct cache *c, uint32_t id);

#endif
