/* Reads a recording while our agent writes it: each call returns the data published since the previous call, and nothing is read twice
 * except a few pages of the tail (writer_tail.h, docs/formats/recording.md).
 *
 *   jfr_follow_new -> [ jfr_follow_next ... until the chunk is NULL ]* -> jfr_follow_free
 *
 * A follower has one owner and no lock. The file may be shortened or removed meanwhile, because it is read, not mapped. */
#ifndef CANDOR_JFR_READ_FOLLOW_H
#define CANDOR_JFR_READ_FOLLOW_H

#include "jfr/read/reader.h"

struct jfr_follow;

/* New events. The chunk belongs to the follower, and is the same from call to call while the writer stays in that chunk: everything that
 * was derived from its pools remains valid, unless `begun` says that the chunk is another one. NULL = nothing is new. */
struct jfr_news {
    struct jfr_chunk *chunk;
    bool begun;
    struct jfr_cursor cursor;
};

/* Begins to follow a file. It takes the descriptor over, even if it fails. from_last: skip the chunks before the one that is being written.
 * Returns 0 or a negative code with e: -EINVAL: the file is not a recording. An empty file may still become one. */
int jfr_follow_new(struct jfr_follow **out, int fd, bool from_last, struct error *e);
void jfr_follow_free(struct jfr_follow *f); /* f may be NULL */
/* Reads the new events. Returns 0 or a negative code with e. */
int jfr_follow_next(struct jfr_follow *f, struct jfr_news *news, struct error *e);
/* Whether the recording was ended in good order, and all of it was read. */
bool jfr_follow_ended(const struct jfr_follow *f);
/* Returns the number of bytes read so far. */
uint64_t jfr_follow_bytes(const struct jfr_follow *f);

#endif
