/* Dictionaries in memory: those in use, and the most recently used ones up to CACHE_NODES_MAX stacks. Any thread. */
#ifndef CANDOR_STORE_FILES_CACHE_H
#define CANDOR_STORE_FILES_CACHE_H

#include "store/files/dictionary.h"

enum { CACHE_NODES_MAX = 4 << 20 };

struct cached {
    uint32_t id, users;
    uint64_t used; /* when, by `clock` */
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
/* The dictionary, to be given back. 0 or a code with its line. */
int cache_get(struct cache *c, uint32_t id, const char *path, struct dictionary **d, struct error *e);
void cache_put(struct cache *c, struct dictionary *d);
/* Forgets a dictionary that nobody uses. */
void cache_drop(struct cache *c, uint32_t id);

#endif
