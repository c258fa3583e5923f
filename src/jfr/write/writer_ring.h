/* A recording that keeps only its end: the oldest chunks are dropped, and the rest moves to the front of the file. The recording is one
 * file, and it is a complete JFR file at every instant, as in writer_tail.h.
 *
 *      | chunk  chunk  chunk  chunk  chunk |     the last is being written
 *      | shell.......  chunk  chunk  chunk |     jfr_ring_give_up(2): one write, a shell over what went
 *      | shell  chunk  chunk  chunk |            jfr_ring_close_up
 *
 * The kept part moves chunk by chunk into the shell before it, where no reader sees it yet: first all of a chunk but its first bytes,
 * followed by the beginning of a new shell, as long as the old one; then the first bytes, in place of the old shell's. From that write on
 * the copy is the chunk, and the new shell covers the original:
 *
 *      | shell................  chunk |    | shell....copy  shell..chunk |    | copy  shell............. |
 *
 * Moves are by whole pages. So the beginning of a chunk or a shell keeps its offset within a page, and that last write is within one page.
 * The shell that remains at the front takes a page, or a little more.
 *
 * The functions are for writers with options.ring. A reader that reads the file during a move may see two different states; it should read
 * a copy instead. Functions that may fail return 0 or the writer's lasting error. */
#ifndef CANDOR_JFR_WRITE_WRITER_RING_H
#define CANDOR_JFR_WRITE_WRITER_RING_H

#include "jfr/write/writer.h"

/* The most bytes that jfr_ring_close_up leaves at the front, before the first chunk. */
enum { JFR_RING_FRONT_MAX = 2 * 4096 };

/* Return how many ended chunks are kept (chunk 0 is the oldest), when a chunk ended and the next began, and where the chunk ends in the
 * file. */
uint32_t jfr_ring_chunks(const struct jfr_writer *w);
uint64_t jfr_ring_end_ticks(const struct jfr_writer *w, uint32_t chunk);
uint64_t jfr_ring_end_offset(const struct jfr_writer *w, uint32_t chunk);
/* Return when the kept data begins, and where it begins in the file. */
uint64_t jfr_ring_start_ticks(const struct jfr_writer *w);
uint64_t jfr_ring_start_offset(const struct jfr_writer *w);

/* Drops this many of the oldest chunks. */
int jfr_ring_give_up(struct jfr_writer *w, uint32_t chunks, struct error *e);
/* Whether the room before each chunk is at least as long as the longest chunk, as moving requires. */
bool jfr_ring_can_close_up(const struct jfr_writer *w);
int jfr_ring_close_up(struct jfr_writer *w, struct error *e);

#endif
