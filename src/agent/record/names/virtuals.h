/* The virtual threads that a chunk of the recording names. A recording may have millions, so only those of one chunk are kept,
 * at most VIRTUALS_MAX; later ones share one entry, and what belongs to it is counted. The names of the previous chunk are kept
 * too: a thread whose name cannot be read now may have had one then. Collector only. */
#ifndef CANDOR_AGENT_RECORD_NAMES_VIRTUALS_H
#define CANDOR_AGENT_RECORD_NAMES_VIRTUALS_H

#include "base/buffer.h"
#include "base/map.h"

#include <stddef.h>
#include <stdint.h>

enum { VIRTUALS_MAX = 1 << 14 };

struct virtual_thread {
    uint64_t java_id;        /* 0 = of the entries that stand for several */
    uint32_t name, name_len; /* place in the texts, UTF-8 */
};

struct virtuals_chunk {
    struct map by_id;
    struct virtual_thread *threads;
    uint32_t count, cap;
    struct buffer texts;
};

struct virtuals {
    struct virtuals_chunk now, before;
    uint64_t beyond; /* samples of the entry for those that came too late, in the whole recording */
};

void virtuals_init(struct virtuals *v);
void virtuals_deinit(struct virtuals *v);
/* Forgets the threads, as a new chunk begins, but for their names. */
void virtuals_new_chunk(struct virtuals *v);
/* The number of a thread, dense from 0, by what its record says of it (hot/record.h). */
uint32_t virtuals_add(struct virtuals *v, const uint64_t *words, size_t count);
/* By number; borrows its name until the next call that adds. */
struct virtual_thread virtuals_get(const struct virtuals *v, uint32_t number, const char **name);

#endif
