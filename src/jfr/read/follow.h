/* Reads a recording while our agent writes it: each call returns the data published since the previous call, and nothing is
 * read twice except a few pages of the tail (writer_tail.h, docs/formats/recording.md).
 *
 *   jfr_follow_new -> [ jfr_follow_next ... until the chunk is NULL ]* -> jfr_follow_free
 *
 * One owner, no locking. The file may be shortened or removed meanwhile: it is read, not mapped. */
#ifndef CANDOR_JFR_READ_FOLLOW_H
#define CANDOR_JFR_READ_FOLLOW_H

#include "jfr/read/reader.h"

struct jfr_follow;

/* Events that are new. The chunk is the follower's, and is the same from call to call as long as the writer stays in it: what was
 * made of its pools is still good, unless `begun` says that it is another. NULL = nothing is new. */
struct jfr_news {
    struct jfr_chunk *chunk;
    bool begun;
    struct jfr_cursor cursor;
};

/* Takes the descriptor over, also when it fails. With from_last the chunks before the one that is being written are passed over.
 * 0 or a negative code with e: -EINVAL the file is no recording. An empty file may still become one. */
int jfr_follow_new(struct jfr_follow **out, int fd, bool from_last, struct error *e);
void jfr_follow_free(struct jfr_follow *f); /* NULL is fine */
/* 0 or a negative code with e. */
int jfr_follow_next(struct jfr_follow *f, struct jfr_news *news, struct error *e);
/* True once all was read of a recording that was ended in good order. */
bool jfr_follow_ended(const struct jfr_follow *f);
/* Bytes read so far. */
uint64_t jfr_follow_bytes(const struct jfr_follow *f);

#endif
