/* The things that segments refer to by number: strings, methods, frames, stacks, threads of one service and day, in one file
 * that only grows.
 *
 *     "CANDDIC1" | blocks: u32 "BLCK" | u32 bytes that follow | five columns (column.h): strings, methods, frames, nodes, threads,
 *     each a count and then the entries that the blocks before do not have
 *
 * In memory it is a profile without samples, whose ids are the file's. If a block is damaged, or cut off by a crash, the
 * dictionary ends before it, `damaged` is set, and nothing more may be added, because numbers would become ambiguous.
 *
 * Threads are identified by name only. One lock: everything but the path requires it. */
#ifndef CANDOR_STORE_FILES_DICTIONARY_H
#define CANDOR_STORE_FILES_DICTIONARY_H

#include "base/error.h"
#include "profile/graft.h"
#include "store/files/disk.h"

#include <pthread.h>
#include <stdbool.h>

/* Beyond this number the service gets another dictionary for the rest of its day, so that the memory for one is bounded. */
enum { DICTIONARY_NODES_MAX = 2 << 20 };

struct dictionary {
    char path[DISK_PATH_MAX];
    pthread_mutex_t lock;
    struct profile names;
    struct dictionary_counts {
        uint32_t strings, methods, frames, nodes, threads;
    } saved;       /* what the file has */
    uint64_t size; /* of the file that is good */
    bool damaged;
};

/* Reads the file; one that is not there is empty. 0 or a code with its line. */
int dictionary_open(struct dictionary *d, const char *path, struct error *e);
/* Where a profile's ids went. Threads are not the graft's: they go by name. */
struct dictionary_places {
    struct graft graft;
    uint32_t *threads;
};

/* Adds everything to which the profile's samples refer, and saves the dictionary. `at` then maps the profile's ids to those of the
 * dictionary; call dictionary_places_deinit also on failure. 0 or a code with its line. */
int dictionary_adopt(struct dictionary *d, const struct profile *p, struct dictionary_places *at, struct error *e);
void dictionary_places_deinit(struct dictionary_places *at);
void dictionary_close(struct dictionary *d);

#endif
