/* Appends chunks of another recording to ours. A JFR file is a sequence of chunks, each with its own metadata, clock and pools. Therefore
 * every tool reads chunks of different writers in one file as one recording.
 *
 * Nothing inside a chunk is changed. Headers are checked, because the file is not trusted: a size that does not fit ends the copy. */
#ifndef CANDOR_JFR_READ_APPEND_H
#define CANDOR_JFR_READ_APPEND_H

#include "base/error.h"

#include <stdint.h>

struct jfr_appended {
    uint64_t chunks, bytes;
    uint64_t outside; /* chunks without data from the requested time */
};

/* Copies whole chunks of `from` to the end of `to`. It copies those that overlap the time from begin_ns to end_ns (since the epoch). `from`
 * must be open for reading, and `to` for reading and writing, but not for appending. After an error `to` is as it was before.
 *
 * Returns 0, also if there was nothing to copy, or with e: -EBADMSG one of the two is not a recording with an intact end, -ENOSPC or
 * another negative errno. */
int jfr_append(int to, int from, int64_t begin_ns, int64_t end_ns, struct jfr_appended *out, struct error *e);

#endif
