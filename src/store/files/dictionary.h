/* Reads and writes dictionaries. A dictionary contains the strings, methods, frames, stacks and threads of one service and day. Segments
 * refer to these by number. A dictionary is one file that only grows.
 *
 *     "CANDDIC1" | blocks: u32 "BLCK" | u32 bytes that follow | columns (column.h): strings, methods, frames, nodes, threads, and, if
 *     there are new ones, labels; each with a count, and then the entries that no earlier block has
 *
 * In memory, a dictionary is a profile without samples, whose ids are those of the file. If a block is damaged, or was cut off by a crash,
 * the dictionary ends before that block, and `damaged` is set. Nothing more may be added then, because numbers would become ambiguous.
 *
 * Threads are identified by name only. The caller must hold the lock to read or change anything except the path. */
#ifndef CANDOR_STORE_FILES_DICTIONARY_H
#define CANDOR_STORE_FILES_DICTIONARY_H

#include "base/error.h"
#include "profile/graft.h"
#include "profile/load/load_shared.h"
#include "store/files/disk.h"

#include <pthread.h>
#include <stdbool.h>

/* If a dictionary has more stacks than this, the service gets another one for the rest of the day. This limits the memory for one
 * dictionary. */
enum { DICTIONARY_NODES_MAX = 2 << 20 };

struct dictionary {
    char path[DISK_PATH_MAX];
    pthread_mutex_t lock;
    uint64_t serial; /* no other dictionary of the process has it, not even one that is read from the same file again */
    struct profile names;
    struct dictionary_counts {
        uint32_t strings, methods, frames, nodes, threads, labels;
    } saved;       /* the number of entries that the file has */
    uint64_t size; /* bytes of the file that are good */
    bool damaged;
};

/* Reads the file. If there is none, the dictionary is empty. Returns 0, or a code with a message in e. */
int dictionary_open(struct dictionary *d, const char *path, struct error *e);
/* Maps a profile's ids to those of the dictionary. Threads have a separate map, because they are identified by name. So have labels,
 * because not all are kept. */
struct dictionary_places {
    struct graft graft;
    uint32_t *threads;
    uint32_t *contexts;               /* by label set of the profile (contexts.h) */
    const struct load_shared *stacks; /* has the stacks; NULL = the graft has them */
};

static inline uint32_t dictionary_stack(const struct dictionary_places *at, uint32_t stack)
{
    return at->stacks ? load_shared_id(at->stacks, stack) : at->graft.nodes[stack];
}

/* Adds everything that the profile's samples refer to, and saves the dictionary. `at` then maps the profile's ids to those of the
 * dictionary. stacks: NULL, or the samples refer to stacks of another profile, which this copies into the dictionary; `at` borrows it. Call
 * dictionary_places_deinit even after a failure. Returns 0, or a code with a message in e. */
int dictionary_adopt(struct dictionary *d, const struct profile *p, struct load_shared *stacks, struct dictionary_places *at,
                     struct error *e);
void dictionary_places_deinit(struct dictionary_places *at);
void dictionary_close(struct dictionary *d);

#endif
