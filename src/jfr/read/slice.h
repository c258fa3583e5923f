/* Makes a separate recording from a part of a chunk that is still being written. It is for a program that forwards a running recording
 * piece by piece, and needs each event in exactly one piece.
 *
 *     chunk as it grows    header | names, events | names, events | names, events | gap
 *     a slice              header | names ....... | names ....... | names, events
 *                                   without events of before        the window
 *
 * A slice contains the chunk's metadata, every name that the chunk has by then, the events that describe the recording
 * (settings, JVM, machine), and the events of its window. The books (candor.BookLine), which are cumulative, become those of
 * the window, so that the books of slices add up to the recording's books, minus the sums at its beginning (candor.BookBase).
 * candor.ThreadCpu is left out, because it covers a thread's whole life.
 *
 *   read the chunk from its header on -> jfr_slice_extent -> jfr_slice_make -> ... the next window begins at the extent
 *
 * The bytes are not trusted: everything is checked, and time and memory are bounded by a small multiple of their number. */
#ifndef CANDOR_JFR_READ_SLICE_H
#define CANDOR_JFR_READ_SLICE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JFR_BOOKS_MAX = 192, JFR_SLICE_HEADER_BYTES = 68 };

struct jfr_book {
    char account[32], reason[48];
    int64_t ns;
    uint64_t count;
};

/* The books at some place of the recording; {0} at its beginning. */
struct jfr_books {
    struct jfr_book lines[JFR_BOOKS_MAX];
    uint32_t count;
};

/* The content of a chunk's header. */
struct jfr_chunk_header {
    uint64_t size, duration_ns, start_ticks;
};
/* Reads a chunk's header from JFR_SLICE_HEADER_BYTES bytes. Returns false if they are not a header. */
bool jfr_slice_header(const uint8_t *bytes, struct jfr_chunk_header *h);

/* Finds the part of these bytes that is complete. They were read from low to high offsets, and the writer may have been active. *end: the
 * end of the last event or name that was published. ended: the writer has finished. Returns 0, -EAGAIN if the writer wrote meanwhile (read
 * again), or -EBADMSG if the bytes are not a chunk. */
int jfr_slice_extent(const uint8_t *bytes, size_t size, bool ended, size_t *end);

struct jfr_window {
    uint64_t from;           /* offset in the chunk: the window has the events from there on; 0 = all */
    uint64_t from_ns, to_ns; /* the time that the window covers, since the chunk's start */
};

struct jfr_slice {
    uint8_t *bytes; /* the caller frees them; NULL if the window is empty */
    size_t size;
    /* In the window: the lines of the books, all other events, the samples of any kind among those, and the weight of the samples of
     * running threads. */
    uint64_t books, events, samples, weight_ns;
};

/* Makes the slice. bytes: the chunk up to `end` of jfr_slice_extent; its header is changed. books: on entry the books where the chunk
 * begins, on return those at its end. Returns 0, or with e: -EBADMSG (nothing in the chunk can be read) or -ENOMEM. */
int jfr_slice_make(uint8_t *bytes, size_t end, const struct jfr_window *window, struct jfr_books *books, struct jfr_slice *out,
                   struct error *e);

#endif
