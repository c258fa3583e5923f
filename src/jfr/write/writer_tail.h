/* Makes the file of a recording grow in such a way that a process killed at any instant leaves a complete JFR file.
 *
 *     chunk ... chunk | header  content of earlier flushes | gap: size, end: content of this flush |
 *                      head.at                              gap                                     size
 *
 * The last event of the file is always a *gap*: an empty checkpoint whose size covers the rest, the tail. Content is written into the tail,
 * where readers skip it. To publish it, a new gap is put after it, the header gets its new offsets, and then the old gap's size shrinks to
 * its own ten bytes. The tail is enlarged by *shells*: pages each of which is an empty chunk of its own, so that any number of them may
 * follow the last chunk; then the header includes them, and the gap covers them. A new chunk begins as a shell, which is put in place of
 * the gap and then excluded by the header before it; so does the end of the recording, where the file is then cut.
 *
 * Shells are events as well as chunks, so that the file is correct before and after each such step. The header, read as an event, has 70
 * bytes ('F') and the type 76 ('L'), which the metadata declares as candor.Padding. That event ends two bytes after the header. Two
 * overlapping events follow the header: a reader of the chunk begins with the first, and a reader that has skipped 70 bytes continues with
 * the second.
 *
 * This relies on the kernel: a write within one page is done completely or not at all, and a longer one that appends is cut at a page if a
 * process is killed in it. So each write that changes the visible content lies within a page.
 *
 * The functions return 0 or a negative errno; after an error only jfr_tail_cut may be called. */
#ifndef CANDOR_JFR_WRITE_WRITER_TAIL_H
#define CANDOR_JFR_WRITE_WRITER_TAIL_H

#include "jfr/write/writer_internal.h"

enum {
    JFR_TAIL_PAGE = 4096, /* the unit by which a file grows until it is closed */
    JFR_TAIL_SHELL = 512, /* bytes of a shell that are not padding, and the gap's beginning; from each gap on, this much of the page is
                           * free */
    JFR_TAIL_GROWTH_MAX = 4 * JFR_TAIL_PAGE, /* a flush, and a chunk that begins after it, add at most this to the content */
    JFR_TAIL_GAP_MAX = 1 << 28               /* the highest value of four bytes of a compressed integer */
};

/* Begins a chunk at the end of the published content. The first call makes the file. All content must have been published. */
int jfr_tail_begin_chunk(struct jfr_writer *w, uint64_t ticks, uint64_t epoch_ns);
/* Adds content at w->end. */
int jfr_tail_append(struct jfr_writer *w, const uint8_t *bytes, size_t size);
/* Publishes the added bytes, with w->last_checkpoint, w->metadata and w->flush_ticks in the header. */
int jfr_tail_publish(struct jfr_writer *w);
/* Writes the beginning of a shell, an empty chunk that covers `size` bytes from `at` on. It is for a ring (writer_ring.h). The shell begins
 * at the time of the chunk whose header is `head`. A chunk or a shell must have begun at `at`. All of it is written within one page. */
int jfr_tail_write_shell(struct jfr_writer *w, const struct jfr_chunk_head *head, uint64_t at, uint64_t size);
/* Copies bytes of the file to another place in it; the two do not overlap. */
int jfr_tail_copy(struct jfr_writer *w, uint64_t to, uint64_t from, uint64_t size);
/* Cuts off the tail, and with it all unpublished data; also the chunk if it is still empty. */
int jfr_tail_cut(struct jfr_writer *w);

#endif
