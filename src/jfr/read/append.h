/* Appends chunks of another recording to ours: a JFR file is a sequence of chunks, each with its own metadata, clock and pools,
 * so every tool reads chunks of different writers in one file as one recording.
 *
 * Nothing inside a chunk is changed. Headers are checked, because the file may come from anybody: sizes that do not fit end the
 * copy. */
#ifndef CANDOR_JFR_READ_APPEND_H
#define CANDOR_JFR_READ_APPEND_H

#include "base/error.h"

#include <stdint.h>

struct jfr_appended {
    uint64_t chunks, bytes;
    uint64_t outside; /* chunks that have nothing of the time */
};

/* Copies the whole chunks of `from`, which is open for reading, that have some of the time from begin_ns to end_ns (since the epoch),
 * behind the chunks of `to`, which is open for reading and writing, and not for appending. After an error `to` is as it was before.
 *
 * 0, also where there was nothing to copy, or with e: -EBADMSG one of the two is no recording with a clean end, -ENOSPC or another negative
 * errno. */
int jfr_append(int to, int from, int64_t begin_ns, int64_t end_ns, struct jfr_appended *out, struct error *e);

#endif
