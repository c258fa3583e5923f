/* The virtual threads that a chunk of the recording names. A recording may have millions, so only those of one chunk are kept, at most
 * VIRTUALS_MAX. Later ones share one entry, and the samples of this entry are counted. The names of the previous chunk are kept, too,
 * because a thread's name may have been readable then, and not now. Only the collector uses this file. */
#ifndef CANDOR_AGENT_RECORD_NAMES_VIRTUALS_H
#define CANDOR_AGENT_RECORD_NAMES_VIRTUALS_H

#include "base/buffer.h"
#include "base/map.h"

#include <stddef.h>
#include <stdint.h>

enum { VIRTUALS_MAX = 1 << 14 };

struct virtual_thread {
    uint64_t java_id;        /* 0 = the entry is shared by several threads */
    uint32_t name, name_len; /* offset and length in the texts, UTF-8 */
};

struct virtuals_chunk {
    struct map by_id;
    struct virtual_thread *threads;
    uint32_t count, cap;
    struct buffer texts;
};

struct virtuals {
    struct virtuals_chunk now, before;
    uint64_t beyond; /* samples of the entry for threads that came too late, in the whole recording */
};

void virtuals_init(struct virtuals *v);
void virtuals_deinit(struct virtuals *v);
/* Forgets the threads when a new chunk begins, but keeps their names. */
void virtuals_new_chunk(struct virtuals *v);
/* Returns the number of a thread, consecutive from 0. words: its description in a record (hot/record.h). */
uint32_t virtuals_add(struct virtuals *v, const uint64_t *words, size_t count);
/* Returns the thread with this number. Its name is borrowed until the next call that adds a thread. */
struct virtual_thread virtuals_get(const struct virtuals *v, uint32_t number, const char **name);

#endif
