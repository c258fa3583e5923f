#include "daemon/spool/follow.h"

#include "base/buffer.h"
#include "compress/pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ZSTD_LEVEL = 1, READ_TRIES = 3, HEADER = JFR_SLICE_HEADER_BYTES };

/* A chunk, or the part of it that could be read. */
struct piece {
    uint8_t *bytes;
    uint64_t size, duration_ns;
    size_t end;    /* the end of the complete data */
    bool complete; /* nothing will be added to it */
};

static int read_error(int code, struct error *e)
{
    return error_set(e, code, "cannot read the recording: %s", strerror(-code));
}

/* Reads bytes at an offset. Returns the number of bytes that are there, or a negative errno. */
static ssize_t read_at(int fd, uint8_t *bytes, size_t size, uint64_t offset)
{
    size_t len = 0;
    ssize_t n = 0;
    while (len < size && ((n = pread(fd, bytes + len, size - len, (off_t)(offset + len))) > 0 || (n < 0 && errno == EINTR)))
        len += n > 0 ? (size_t)n : 0;
    return n < 0 ? -errno : (ssize_t)len;
}

static bool header_at(const struct live *l, uint64_t offset, struct jfr_chunk_header *h)
{
    uint8_t bytes[HEADER];
    return read_at(l->fd, bytes, HEADER, offset) == HEADER && jfr_slice_header(bytes, h);
}

/* Whether the chunk is complete. It is if a chunk with another start time follows. When a writer enlarges its file, the new space also
 * looks like chunks, but these have the start time of the previous chunk (jfr/write/writer_tail.h). */
static bool is_complete(const struct live *l, const struct jfr_chunk_header *h)
{
    struct jfr_chunk_header next;
    return header_at(l, l->chunk_at + h->size, &next) && next.start_ticks != h->start_ticks;
}

static int read_bytes(const struct live *l, bool ended, struct piece *p, struct error *e)
{
    struct jfr_chunk_header head;
    p->bytes = malloc(p->size);
    if (!p->bytes)
        return error_set(e, -ENOMEM, "no memory to read a chunk of %llu bytes", (unsigned long long)p->size);
    ssize_t n = read_at(l->fd, p->bytes, p->size, l->chunk_at);
    if (n < 0)
        return read_error((int)n, e);
    p->size = (uint64_t)n;
    if (p->size < HEADER || !jfr_slice_header(p->bytes, &head))
        return ended ? error_set(e, -EBADMSG, "the recording is damaged") : -EAGAIN;
    p->duration_ns = head.duration_ns;
    return jfr_slice_extent(p->bytes, p->size, p->complete, &p->end);
}

/* Reads the chunk at chunk_at. Returns 0, -ENODATA if there is no chunk (yet), -EAGAIN if the chunk was being changed, or another code with
 * a message in e. */
static int read_piece(const struct live *l, bool ended, struct piece *p, struct error *e)
{
    struct jfr_chunk_header head;
    struct stat st;
    *p = (struct piece){0};
    if (fstat(l->fd, &st))
        return read_error(-errno, e);
    uint64_t size = (uint64_t)st.st_size;
    if (size < l->chunk_at + HEADER)
        return -ENODATA;
    if (!header_at(l, l->chunk_at, &head))
        return error_set(e, -EBADMSG, "the data from the JVM is not a recording");
    p->complete = ended || is_complete(l, &head);
    if (head.size > size - l->chunk_at && !ended)
        return -EAGAIN;
    p->size = head.size < size - l->chunk_at ? head.size : size - l->chunk_at;
    if (p->size > FOLLOW_CHUNK_MAX)
        return error_set(e, -EFBIG, "the JVM wrote a chunk of %llu bytes, which is more than the agent ever writes",
                         (unsigned long long)p->size);
    return read_bytes(l, ended, p, e);
}

static int to_buffer(void *context, const void *bytes, size_t n)
{
    struct buffer *b = context;
    buffer_put(b, bytes, n);
    return b->failed ? -ENOMEM : 0;
}

static int spool(const struct follow *f, struct live *l, const struct jfr_slice *slice, const struct outbox_position *at, char *name,
                 struct error *e)
{
    struct buffer packed;
    const struct codec *zstd = codec_by_name("zstd", 4);
    if (!zstd)
        return error_set(e, -ENOTSUP, "this candor was built without zstd");
    buffer_init(&packed, slice->size + (1 << 20));
    int code = pack_bytes(zstd, ZSTD_LEVEL, slice->bytes, slice->size, to_buffer, &packed);
    if (code)
        error_set(e, code, "cannot pack a recording: %s", strerror(-code));
    else
        code = outbox_put(f->outbox, l->id, at, l->query, packed.data, packed.len, name, e);
    buffer_deinit(&packed);
    return code;
}

static void move_on(struct live *l, const struct piece *p, const struct jfr_books *books, const struct outbox_position *at)
{
    l->to = at->to;
    l->to_ns = at->ns;
    if (!p->complete)
        return;
    l->chunk_at += p->size;
    l->to = l->to_ns = 0;
    l->books = *books;
}

/* Whether a slice is worth sending. Within a chunk, a slice in which only the books advanced is left to the next one. */
static bool is_worth_sending(const struct jfr_slice *slice, const struct piece *p)
{
    return slice->bytes && (slice->events || p->complete);
}

/* Records that a piece was spooled, and only then lets it be sent. Otherwise it could be sent and removed, and then be spooled again. */
static int settle(const struct follow *f, struct live *l, struct error *e)
{
    int code = live_save(l, f->live_folder, e);
    if (code)
        return code;
    if (*l->unreleased)
        outbox_release(f->outbox, l->unreleased);
    *l->unreleased = 0;
    live_forget_below(l, l->chunk_at);
    return 0;
}

static int pass_on(const struct follow *f, struct live *l, struct piece *p, struct follow_gain *gain, struct error *e)
{
    struct jfr_window window = {l->to, l->to_ns, p->duration_ns};
    struct outbox_position at = {l->chunk_at, p->end, p->duration_ns};
    struct jfr_books books = l->books;
    struct jfr_slice slice = {0};
    char name[OUTBOX_NAME] = "";
    int code = jfr_slice_make(p->bytes, p->end, &window, &books, &slice, e);
    if (code == -EBADMSG && p->complete && p->end <= HEADER)
        code = 0; /* a chunk that was never filled */
    bool worth = !code && is_worth_sending(&slice, p);
    if (worth)
        code = spool(f, l, &slice, &at, name, e);
    free(slice.bytes);
    bool lost = code == -EMSGSIZE; /* the loss was counted, and the recording continues after it */
    code = lost ? 0 : code;
    if (code || !(worth || p->complete))
        return code;
    move_on(l, p, &books, &at);
    l->latest = books;
    memcpy(l->unreleased, name, sizeof name);
    gain->recordings += worth && !lost;
    gain->samples += lost ? 0 : slice.samples;
    gain->weight_ns += lost ? 0 : slice.weight_ns;
    return settle(f, l, e);
}

static int take_chunk(const struct follow *f, struct live *l, bool ended, struct follow_gain *gain, bool *more, struct error *e)
{
    struct piece p;
    int code = -EAGAIN;
    for (int tries = 0; code == -EAGAIN && tries < READ_TRIES; tries++) {
        code = read_piece(l, ended, &p, e);
        if (code)
            free(p.bytes);
    }
    *more = false;
    if (code)
        return code == -ENODATA || code == -EAGAIN ? 0 : code;
    *more = p.complete;
    l->pulse = l->chunk_at + p.duration_ns;
    if ((p.end > l->to && p.end > HEADER) || p.complete)
        code = pass_on(f, l, &p, gain, e);
    free(p.bytes);
    return code;
}

int follow_take(const struct follow *f, struct live *l, bool ended, struct follow_gain *gain, struct error *e)
{
    bool more = true;
    int code = *l->unreleased ? settle(f, l, e) : 0;
    while (more && !code)
        code = take_chunk(f, l, ended, gain, &more, e);
    return code;
}

int follow_recover(const struct follow *f, struct live *l, struct error *e)
{
    struct outbox_position at;
    if (!outbox_position(f->outbox, l->id, &at) || at.chunk != l->chunk_at || at.to <= l->to)
        return 0;
    l->to = at.to;
    l->to_ns = at.ns;
    return live_save(l, f->live_folder, e);
}
