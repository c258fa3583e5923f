/* Remembers the stacks of recordings by service. A service's recordings have mostly the same methods, frames and stacks. So those of the
 * next recording need neither be read from its texts again, nor be looked up in the dictionary of the day again.
 *
 * What is remembered only saves work: without it, everything comes out the same. It takes a limited amount of memory. Any thread may call
 * recall_get and recall_put; what recall_get returns has one owner until recall_put. */
#ifndef CANDOR_STORE_FILES_RECALL_H
#define CANDOR_STORE_FILES_RECALL_H

#include "profile/load/load_shared.h"
#include "profile/load/load_stacks.h"

#include <pthread.h>

enum {
    RECALL_STACKS_MAX = 1 << 20,     /* nodes of one service's stacks; beyond, these are forgotten */
    RECALL_SERVICE_BYTES = 32 << 20, /* of one service; beyond, everything is */
    RECALL_BYTES = 160 << 20,        /* of all services that are not in use */
};

/* What is remembered of one service. */
struct recalled {
    struct load_kept stacks;
    struct load_shared sealed; /* which of these stacks a dictionary has already, */
    uint64_t sealed_in;        /* and the serial of that dictionary; 0 = none */
    char *service;
    uint64_t bytes;        /* of memory, when it was used last */
    struct recalled *next; /* of those that are not in use: the next one, which was used before */
};

struct recall {
    pthread_mutex_t lock;
    struct recalled *list; /* the last used first */
    uint64_t bytes;
};

void recall_init(struct recall *r);
void recall_deinit(struct recall *r);
/* Returns what is remembered of a service, at first nothing. If another thread uses it, returns one that remembers nothing. r: NULL =
 * nothing is remembered, and the service does not matter. Returns NULL if there is no memory. */
struct recalled *recall_get(struct recall *r, const char *service);
/* Takes it back. keep: false = something failed while it was in use, and it is forgotten. `one` may be NULL. */
void recall_put(struct recall *r, struct recalled *one, bool keep);
/* Returns the bytes of memory of all services that are not in use. */
uint64_t recall_bytes(struct recall *r);

struct dictionary;
/* Returns the stacks as far as this dictionary has them, for dictionary_adopt. The caller holds the dictionary's lock. */
struct load_shared *recalled_in(struct recalled *one, struct dictionary *d);
/* Forgets which stacks a dictionary has. */
void recalled_forget(struct recalled *one);

#endif
