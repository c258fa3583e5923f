#include "jfr/writer.h"

#include "jfr/metadata_write.h"
#include "jfr/writer_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEADER_BYTES = 68, MEMORY_DEFAULT = 64 * 1024 * 1024 };

/* ---- errors ---- */

static const char *remedy(int code)
{
    switch (code) {
    case -ENOSPC: return "free space there, or record to another file system";
    case -EDQUOT: return "free space within the quota, or record to another file system";
    case -EFBIG: return "raise the limit on file sizes (ulimit -f), or record a shorter time";
    case -EIO: return "check the disk (see the kernel log), or record to another file system";
    case -ENOMEM: return "give the process more memory, or sample at a longer interval";
    default: return "record to another file";
    }
}

/* The file's name as the kernel knows it: the caller passed no path. */
static const char *file_name(int fd, char *out, size_t size)
{
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, out, size - 1);
    if (n <= 0)
        return "the recording";
    out[n] = 0;
    return out;
}

/* Cuts the file back to the last whole flush; from now on every call returns this error. */
static int fail(struct jfr_writer *w, int code)
{
    char name[256];
    bool cut = w->end <= w->whole || !ftruncate(w->fd, (off_t)w->whole);
    w->end = w->whole;
    w->failed = code;
    file_name(w->fd, name, sizeof name);
    if (!w->whole)
        return error_set(&w->error, code, "%s: cannot be written: %s; %s", name, strerror(-code), remedy(code));
    return error_set(&w->error, code, "%s: cannot be written: %s; %s (%llu bytes are whole%s)", name, strerror(-code),
                     remedy(code), (unsigned long long)w->whole, cut ? "" : ", what follows could not be cut off");
}

static int sticky(const struct jfr_writer *w, struct error *e)
{
    return w->failed ? error_set(e, w->failed, "%s", w->error.text) : 0;
}

/* ---- the file ---- */

static int write_at(struct jfr_writer *w, const uint8_t *bytes, size_t size, uint64_t offset)
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

static int append(struct jfr_writer *w, struct buffer *b)
{
    int rc = b->failed ? -ENOMEM : write_at(w, b->data, b->len, w->end);
    w->end += b->len; /* also on failure: what a part of it left in the file is cut off */
    buffer_reset(b);
    return rc;
}

int jfr_writer_drain(struct jfr_writer *w)
{
    int rc = append(w, &w->events);
    return rc ? rc : append(w, &w->out);
}

static uint64_t ticks_to_ns(const struct jfr_writer *w, uint64_t ticks)
{
    return (uint64_t)((unsigned __int128)ticks * 1000000000 / w->options.ticks_per_second);
}

/* Everything a reader trusts, in one write: until it happens the chunk is what it was before. */
static void make_header(const struct jfr_writer *w, uint64_t size, struct buffer *b)
{
    uint64_t ticks = w->flush_ticks > w->chunk_ticks ? w->flush_ticks - w->chunk_ticks : 0;
    buffer_put(b, "FLR", 4);
    buffer_be16(b, 2);
    buffer_be16(b, 0);
    buffer_be64(b, size);
    buffer_be64(b, w->last_checkpoint);
    buffer_be64(b, w->metadata);
    buffer_be64(b, w->chunk_epoch_ns);
    buffer_be64(b, ticks_to_ns(w, ticks));
    buffer_be64(b, w->chunk_ticks);
    buffer_be64(b, w->options.ticks_per_second);
    buffer_be16(b, 0);                         /* state: complete */
    buffer_be16(b, w->last_chunk ? 1 | 2 : 1); /* compressed integers; final chunk */
}

static int write_header(struct jfr_writer *w)
{
    make_header(w, w->end - w->chunk, &w->out);
    int rc = w->out.failed ? -ENOMEM : write_at(w, w->out.data, w->out.len, w->chunk);
    buffer_reset(&w->out);
    return rc;
}

/* ---- chunks ---- */

static int build_chunk(struct jfr_writer *w)
{
    make_header(w, 0, &w->out);
    w->metadata = w->out.len;
    jfr_metadata_write(&w->out, w->flush_ticks);
    int rc = jfr_pools_write_fixed(w);
    if (rc || w->out.failed)
        return -ENOMEM;
    size_t size = w->out.len;
    w->out.len = 0;
    make_header(w, size, &w->out);
    w->out.len = size;
    return jfr_writer_drain(w);
}

/* Header, metadata and the fixed pools go to the file in one write: a chunk is whole from the start. */
static int begin_chunk(struct jfr_writer *w, uint64_t ticks, uint64_t epoch_ns)
{
    w->chunk = w->end;
    w->chunk_ticks = w->flush_ticks = ticks;
    w->chunk_epoch_ns = epoch_ns;
    w->last_checkpoint = 0;
    jfr_pools_clear(w);
    int rc = build_chunk(w);
    if (rc)
        return fail(w, rc);
    w->whole = w->end;
    return 0;
}

/* The names are asked for before the first byte is written: the shorter the time between that byte and the header, the
 * rarer a kill in between, after which other tools stumble over bytes that belong to no chunk. */
static int flush(struct jfr_writer *w, uint64_t ticks)
{
    w->flush_ticks = ticks;
    int rc = jfr_pools_write_pending(w);
    if (!rc)
        rc = write_header(w);
    if (rc)
        return fail(w, rc);
    w->whole = w->end;
    return 0;
}

/* ---- what callers see ---- */

static void release(struct jfr_writer *w)
{
    jfr_pools_deinit(w);
    buffer_deinit(&w->events);
    buffer_deinit(&w->out);
    free(w);
}

static int check(int fd, const struct jfr_writer_options *options, struct error *e)
{
    if (!options->ticks_per_second)
        return error_set(e, -EINVAL, "a recording needs a clock: ticks_per_second is 0");
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0)
        return error_set(e, -errno, "the recording's file is not open: %s", strerror(errno));
    if (flags & O_APPEND) /* Linux appends then, whatever the offset: the header could not be rewritten */
        return error_set(e, -EINVAL, "the recording's file must not be open for appending");
    return 0;
}

int jfr_writer_new(struct jfr_writer **out, int fd, const struct jfr_writer_options *options,
                   const struct jfr_pools *pools, struct error *e)
{
    int rc = check(fd, options, e);
    struct jfr_writer *w = rc ? NULL : calloc(1, sizeof *w);
    if (!w) {
        close(fd);
        return rc ? rc : error_set(e, -ENOMEM, "no memory to write a recording");
    }
    w->fd = fd;
    w->options = *options;
    w->answers = *pools;
    size_t max = options->memory_max ? options->memory_max : MEMORY_DEFAULT;
    buffer_init(&w->events, max);
    buffer_init(&w->out, max < 4 * JFR_PIECE_BYTES ? 4 * JFR_PIECE_BYTES : max);
    rc = begin_chunk(w, options->start_ticks, options->start_epoch_ns);
    if (rc) {
        sticky(w, e);
        close(fd);
        release(w);
        return rc;
    }
    *out = w;
    return 0;
}

int jfr_writer_flush(struct jfr_writer *w, uint64_t ticks, struct error *e)
{
    if (!w->failed)
        flush(w, ticks);
    return sticky(w, e);
}

int jfr_writer_rotate(struct jfr_writer *w, uint64_t ticks, uint64_t epoch_ns, struct error *e)
{
    if (!w->failed && !flush(w, ticks))
        begin_chunk(w, ticks, epoch_ns);
    return sticky(w, e);
}

int jfr_writer_close(struct jfr_writer *w, uint64_t ticks, struct error *e)
{
    w->last_chunk = true;
    int rc = jfr_writer_flush(w, ticks, e);
    char name[256];
    file_name(w->fd, name, sizeof name);
    if (close(w->fd) && !rc && errno != EINTR)
        rc = error_set(e, -errno, "%s: cannot be written: %s; %s", name, strerror(errno), remedy(-errno));
    release(w);
    return rc;
}

uint64_t jfr_writer_size(const struct jfr_writer *w)
{
    return w->end;
}

uint64_t jfr_writer_chunk_size(const struct jfr_writer *w)
{
    return w->end - w->chunk;
}

uint64_t jfr_writer_dropped(const struct jfr_writer *w)
{
    return w->dropped;
}
