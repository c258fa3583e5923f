/* Limits how much of a recording is kept: its last minutes, within a number of bytes. The file loses whole chunks, which are at most a
 * tenth of the time and an eighth of the bytes, so it contains the requested time and up to a tenth more, and between half and seven
 * eighths of the bytes. The last eighth is reserved for one flush, which comes sooner than usual if there are many events. Before a larger
 * flush, more old data is dropped. The file exceeds the limit in three cases only: a flush and its chunk are larger than the limit; they
 * are larger than half of it, so that chunks cannot be moved up; or, temporarily, a flush has more than 1 MiB of names. Only the collector
 * uses this file. */
#ifndef CANDOR_AGENT_RECORD_KEEP_H
#define CANDOR_AGENT_RECORD_KEEP_H

#include "base/error.h"
#include "jfr/write/writer.h"

#include <stdbool.h>
#include <stdint.h>

struct keep {
    uint64_t ns, bytes; /* 0 = no limit */
};

static inline bool keep_is_limited(const struct keep *k)
{
    return k->ns || k->bytes;
}

/* Return the duration and the size at which a chunk ends and a new one begins. */
uint64_t keep_chunk_ns(const struct keep *k);
uint64_t keep_chunk_bytes(const struct keep *k);
/* Whether to flush now, so that a single flush does not add more data than there is room for. */
bool keep_wants_flush(const struct keep *k, const struct jfr_writer *w);
/* Drops old data if there is no room for the next flush. Call it right before a flush. Returns 0 or the writer's lasting error. */
int keep_make_way(const struct keep *k, struct jfr_writer *w, uint64_t now, struct error *e);
/* Drops data that is too old or too much, and closes the gap in the file if that is worth its cost. Call it after a flush. Returns 0 or the
 * writer's lasting error. */
int keep_trim(const struct keep *k, struct jfr_writer *w, uint64_t now, struct error *e);
/* Does the work of keep_make_way and keep_trim, and closes the gap in any case. Call it right before the file is closed. */
int keep_finish(const struct keep *k, struct jfr_writer *w, uint64_t now, struct error *e);

#endif
