#include "jfr/write/writer_tail.h"

#include "base/time_units.h"
#include "jfr/write/metadata_write.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
    PAGE = JFR_TAIL_PAGE,
    HEADER_BYTES = 68,
    GAP_BYTES = 10,
    SHELL_CHECKPOINT = HEADER_BYTES + 2, /* the second of the events after a shell's header */
    SHELL_METADATA = HEADER_BYTES + 9,
    SHELL_MAX = JFR_TAIL_SHELL,
    TAIL_MIN = 1536,     /* room for a filler, a gap and a shell */
    SHELLS_AT_ONCE = 16, /* number of pages that are written at a time */
    COPY_BYTES = 1 << 16
};

static int write_at(const struct jfr_writer *w, const uint8_t *bytes, size_t size, uint64_t offset)
{
    while (size) {
        ssize_t n = pwrite(w->fd, bytes, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n ? -errno : -EIO;
        bytes += n;
        size -= (size_t)n;
        offset += (uint64_t)n;
    }
    return 0;
}

static int write_scratch(struct jfr_writer *w, uint64_t offset)
{
    int rc = w->scratch.failed ? -ENOMEM : write_at(w, w->scratch.data, w->scratch.len, offset);
    buffer_reset(&w->scratch);
    return rc;
}

/* ---- what is written ---- */

static uint64_t ticks_to_ns(const struct jfr_writer *w, uint64_t ticks)
{
    return (uint64_t)((unsigned __int128)ticks * w->options.grain * NS_PER_S / w->options.ticks_per_second);
}

static void put_header(struct jfr_writer *w, const struct jfr_chunk_head *h, uint64_t size, bool last)
{
    struct buffer *b = &w->scratch;
    uint64_t start = jfr_file_ticks(w, h->ticks), end = jfr_file_ticks(w, h->flush_ticks);
    buffer_put(b, "FLR", 4);
    buffer_be16(b, 2);
    buffer_be16(b, 0);
    buffer_be64(b, size);
    buffer_be64(b, h->last_checkpoint);
    buffer_be64(b, h->metadata);
    buffer_be64(b, h->epoch_ns);
    buffer_be64(b, end > start ? ticks_to_ns(w, end - start) : 0);
    buffer_be64(b, start);
    buffer_be64(b, w->options.ticks_per_second / w->options.grain);
    buffer_be16(b, 0);                /* state: complete */
    buffer_be16(b, last ? 1 | 2 : 1); /* compressed integers; final chunk */
}

/* Writes an event that covers `size` bytes: a checkpoint without pools. Its content ends ten bytes from here, but its size is larger. */
static void put_cover(struct buffer *b, uint64_t size, uint8_t start)
{
    const uint8_t rest[] = {1, start, 0, 0, 0, 0}; /* type; then start, duration, distance, kind, pools */
    size_t at = b->len;
    buffer_be32(b, 0);
    buffer_put(b, rest, sizeof rest);
    buffer_patch_varint4(b, at, (uint32_t)size);
}

static void put_gap(struct buffer *b, uint64_t size)
{
    put_cover(b, size, 0);
}

static void put_zeroes(struct buffer *b, size_t n)
{
    uint8_t *at = buffer_reserve(b, n);
    if (at)
        memset(at, 0, n);
    buffer_advance(b, at ? n : 0);
}

/* Writes a chunk of `size` bytes. Except for its own structure, it consists of a gap. Returns the gap's offset in it. */
static size_t put_shell(struct jfr_writer *w, const struct jfr_chunk_head *h, uint64_t size)
{
    /* Two overlapping checkpoints without pools. A reader that comes from the chunk's beginning sees one of nine bytes. A reader that has
     * read the header as an event of 70 bytes sees one of seven bytes, which begins two bytes later. */
    static const uint8_t both[] = {9, 1, 7, 1, 0, 0, 0, 0, 0};
    struct jfr_chunk_head shell = *h;
    size_t start = w->scratch.len;
    shell.last_checkpoint = SHELL_CHECKPOINT;
    shell.metadata = SHELL_METADATA;
    put_header(w, &shell, size, false);
    buffer_put(&w->scratch, both, sizeof both);
    jfr_metadata_write_bare(&w->scratch);
    size_t gap = w->scratch.len - start;
    put_gap(&w->scratch, size - gap);
    w->scratch.failed |= gap + GAP_BYTES > SHELL_MAX;
    return gap;
}

static int write_header(struct jfr_writer *w, const struct jfr_chunk_head *h, uint64_t end)
{
    put_header(w, h, end - h->at, w->last_chunk);
    return write_scratch(w, h->at);
}

static int write_gap(struct jfr_writer *w, uint64_t size)
{
    put_gap(&w->scratch, size);
    return write_scratch(w, w->gap);
}

/* ---- steps ---- */

static int append_shells(struct jfr_writer *w, uint64_t size)
{
    int rc = 0;
    for (uint64_t at = w->size; at < size && !rc;) {
        uint64_t first = at;
        for (int n = 0; n < SHELLS_AT_ONCE && at < size; n++, at += PAGE) {
            put_shell(w, &w->head, PAGE);
            put_zeroes(&w->scratch, (size_t)(at + PAGE - first) - w->scratch.len);
        }
        rc = write_scratch(w, first);
    }
    return rc;
}

/* Enlarges the tail for this many bytes of content. */
static int make_room(struct jfr_writer *w, size_t content)
{
    uint64_t size = (w->end + content + TAIL_MIN + PAGE - 1) / PAGE * PAGE;
    if (size <= w->size)
        return 0;
    if (size - w->gap >= JFR_TAIL_GAP_MAX)
        return -EFBIG;
    int rc = append_shells(w, size);
    if (!rc)
        rc = write_header(w, &w->head, size);
    if (!rc)
        rc = write_gap(w, size - w->gap);
    if (!rc)
        w->size = size;
    return rc;
}

int jfr_tail_append(struct jfr_writer *w, const uint8_t *bytes, size_t size)
{
    int rc = make_room(w, size);
    if (!rc)
        rc = write_at(w, bytes, size, w->end);
    w->end += size;
    return rc;
}

/* Ends the content. If the rest of a page has no room for a shell, a filler is written, and then the next gap. */
static int end_content(struct jfr_writer *w)
{
    uint64_t at = w->end, left = PAGE - at % PAGE;
    if (left < SHELL_MAX) {
        uint64_t filler = left < GAP_BYTES ? GAP_BYTES : left;
        put_cover(&w->scratch, filler, 1); /* start 1: it is not a tail, even if the file later ends with it (follow.c) */
        put_zeroes(&w->scratch, filler - GAP_BYTES);
        w->end += filler;
    }
    put_gap(&w->scratch, w->size - w->end);
    return write_scratch(w, at);
}

/* Publishes the content. The header's new offsets point into the tail until the gap shrinks. This does no harm, because readers follow
 * these offsets and do not read the tail from its beginning. */
int jfr_tail_publish(struct jfr_writer *w)
{
    struct jfr_chunk_head head = w->head;
    bool content = w->end > w->gap + GAP_BYTES;
    head.last_checkpoint = w->last_checkpoint;
    head.metadata = w->metadata;
    head.flush_ticks = w->flush_ticks;
    int rc = content ? end_content(w) : 0;
    if (!rc)
        rc = write_header(w, &head, w->size);
    if (!rc && content)
        rc = write_gap(w, GAP_BYTES);
    if (rc)
        return rc;
    w->head = head;
    w->gap = content ? w->end : w->gap;
    w->end = w->gap + GAP_BYTES;
    return 0;
}

/* Puts a shell in place of the gap, then ends the chunk before it. */
static int split(struct jfr_writer *w, const struct jfr_chunk_head *next, size_t *gap)
{
    *gap = put_shell(w, next, w->size - w->gap);
    int rc = write_scratch(w, w->gap);
    return rc ? rc : write_header(w, &w->head, w->gap);
}

static int begin_file(struct jfr_writer *w, const struct jfr_chunk_head *first, size_t *gap)
{
    *gap = put_shell(w, first, PAGE);
    put_zeroes(&w->scratch, PAGE - w->scratch.len);
    w->size = first->at + PAGE;
    return write_scratch(w, first->at);
}

int jfr_tail_begin_chunk(struct jfr_writer *w, uint64_t ticks, uint64_t epoch_ns)
{
    size_t gap;
    struct jfr_chunk_head next = {.at = w->gap,
                                  .ticks = ticks,
                                  .epoch_ns = epoch_ns,
                                  .last_checkpoint = SHELL_CHECKPOINT,
                                  .metadata = SHELL_METADATA,
                                  .flush_ticks = ticks};
    int rc = w->size ? split(w, &next, &gap) : begin_file(w, &next, &gap);
    if (rc)
        return rc;
    w->head = next;
    w->gap += gap;
    w->end = w->gap + GAP_BYTES;
    return 0;
}

static int truncate_to(struct jfr_writer *w, uint64_t size)
{
    if (ftruncate(w->fd, (off_t)size))
        return -errno;
    w->size = size;
    return 0;
}

int jfr_tail_write_shell(struct jfr_writer *w, const struct jfr_chunk_head *head, uint64_t at, uint64_t size)
{
    struct jfr_chunk_head shell = *head;
    shell.flush_ticks = shell.ticks;
    put_shell(w, &shell, size);
    return write_scratch(w, at);
}

int jfr_tail_copy(struct jfr_writer *w, uint64_t to, uint64_t from, uint64_t size)
{
    int rc = 0;
    for (uint64_t done = 0; done < size && !rc;) {
        size_t left = size - done < COPY_BYTES ? (size_t)(size - done) : COPY_BYTES;
        uint8_t *bytes = buffer_reserve(&w->scratch, left);
        ssize_t n = bytes ? pread(w->fd, bytes, left, (off_t)(from + done)) : 0;
        if (n < 0 && errno == EINTR)
            continue;
        if (bytes && n <= 0)
            return n ? -errno : -EIO;
        buffer_advance(&w->scratch, (size_t)n);
        rc = write_scratch(w, to + done);
        done += (uint64_t)n;
    }
    return rc;
}

int jfr_tail_cut(struct jfr_writer *w)
{
    size_t gap;
    buffer_reset(&w->scratch);
    if (w->head.metadata <= SHELL_METADATA) { /* a chunk without content is not kept */
        w->gap = w->head.at;
        return truncate_to(w, w->head.at);
    }
    int rc = write_header(w, &w->head, w->size);
    if (!rc)
        rc = truncate_to(w, w->size); /* removes shells that were being written */
    if (!rc)
        rc = write_gap(w, w->size - w->gap);
    if (!rc)
        rc = split(w, &w->head, &gap);
    return rc ? rc : truncate_to(w, w->gap);
}
