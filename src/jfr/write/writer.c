#include "jfr/write/writer.h"

#include "base/array.h"
#include "jfr/write/metadata_write.h"
#include "jfr/write/writer_internal.h"
#include "jfr/write/writer_tail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MEMORY_DEFAULT = 64 * 1024 * 1024, SCRATCH_MAX = 128 * 1024 };

/* ---- errors ---- */

static const char *remedy(int code)
{
    switch (code) {
    case -ENOSPC:
        return "free space there, or record to another file system";
    case -EDQUOT:
        return "free space within the quota, or record to another file system";
    case -EFBIG:
        return "raise the limit on file sizes (ulimit -f), or record a shorter time";
    case -EIO:
        return "check the disk (see the kernel log), or record to another file system";
    case -ENOMEM:
        return "give the process more memory, or sample at a longer interval";
    default:
        return "record to another file";
    }
}

/* Returns the file's path according to the kernel, because the caller passed no path. */
static const char *file_name(int fd, char *out, size_t size)
{
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, out, size - 1);
    if (n <= 0)
        return "the recording";
    static const char gone[] = " (deleted)";
    size_t suffix = sizeof gone - 1, len = (size_t)n;
    bool is_gone = len > suffix && !memcmp(out + len - suffix, gone, suffix);
    out[is_gone ? len - suffix : len] = 0;
    return out;
}

/* Cuts the file back to the last complete flush. From now on every call returns this error. */
static int fail(struct jfr_writer *w, int code)
{
    char name[256];
    bool cut = !jfr_tail_cut(w);
    w->failed = code;
    file_name(w->fd, name, sizeof name);
    if (!w->size)
        return error_set(&w->error, code, "%s: cannot be written: %s; %s", name, strerror(-code), remedy(code));
    return error_set(&w->error, code, "%s: cannot be written: %s; %s (the first %llu bytes are intact%s)", name, strerror(-code),
                     remedy(code), (unsigned long long)w->gap, cut ? "" : ", but the rest could not be removed");
}

/* Calls fstat. The C library's own function is too new for the systems on which the agent runs. struct stat has the kernel's layout. */
static int look(const struct jfr_writer *w, struct stat *st)
{
    return (int)syscall(SYS_fstat, w->fd, st);
}

/* Checks that no other process has shortened or deleted the file. If one has, the file cannot be repaired, and is left as it is. */
static int check_untouched(struct jfr_writer *w)
{
    struct stat st;
    char name[256];
    if (look(w, &st) || ((uint64_t)st.st_size >= w->size && (st.st_nlink || !w->named)))
        return 0;
    file_name(w->fd, name, sizeof name);
    w->failed = -ESTALE;
    if (!st.st_nlink)
        return error_set(&w->error, w->failed,
                         "%s: the file was deleted, or replaced by another, during the recording: its data are lost; record again", name);
    return error_set(&w->error, w->failed,
                     "%s: the file was truncated during the recording, from %llu bytes to %llu: the data after that are lost; record again",
                     name, (unsigned long long)w->size, (unsigned long long)st.st_size);
}

static int sticky(const struct jfr_writer *w, struct error *e)
{
    return w->failed ? error_set(e, w->failed, "%s", w->error.text) : 0;
}

int jfr_writer_settle(struct jfr_writer *w, int rc, struct error *e)
{
    if (rc)
        fail(w, rc);
    return sticky(w, e);
}

/* ---- the file ---- */

static int append(struct jfr_writer *w, struct buffer *b)
{
    int rc = b->failed ? -ENOMEM : jfr_tail_append(w, b->data, b->len);
    buffer_reset(b);
    return rc;
}

int jfr_writer_drain(struct jfr_writer *w)
{
    int rc = append(w, &w->events);
    return rc ? rc : append(w, &w->out);
}

/* ---- chunks ---- */

/* Flushes. Events and names are written to the tail, where no reader sees them, and then published. */
static int flush(struct jfr_writer *w, uint64_t ticks)
{
    w->flush_ticks = ticks;
    int rc = check_untouched(w);
    if (rc)
        return rc;
    rc = jfr_pools_gather(w);
    if (!rc)
        rc = jfr_writer_drain(w);
    if (!rc)
        rc = jfr_tail_publish(w);
    return rc ? fail(w, rc) : 0;
}

/* Begins a chunk. A chunk is empty at first; metadata and the fixed pools are its first flush. */
static int begin_chunk(struct jfr_writer *w, uint64_t ticks, uint64_t epoch_ns)
{
    jfr_pools_clear(w);
    int rc = jfr_tail_begin_chunk(w, ticks, epoch_ns);
    w->flush_ticks = ticks;
    w->last_checkpoint = 0;
    w->metadata = w->end - w->head.at;
    jfr_metadata_write(&w->out, jfr_file_ticks(w, ticks), w->options.without);
    if (!rc)
        rc = jfr_pools_write_fixed(w);
    if (!rc)
        rc = jfr_writer_drain(w);
    if (!rc)
        rc = jfr_tail_publish(w);
    w->birth_bytes = jfr_writer_chunk_size(w);
    return rc ? fail(w, rc) : 0;
}

static int remember(struct jfr_ring *ring, const struct jfr_chunk_head *ended)
{
    if (ARRAY_GROW(ring->ended, ring->cap, ring->count))
        return -ENOMEM;
    ring->ended[ring->count++] = *ended;
    return 0;
}

/* ---- functions for callers ---- */

static void release(struct jfr_writer *w)
{
    jfr_pools_deinit(w);
    buffer_deinit(&w->events);
    buffer_deinit(&w->out);
    buffer_deinit(&w->scratch);
    free(w->ring.ended);
    free(w);
}

static int check(int fd, const struct jfr_writer_options *options, struct error *e)
{
    if (!options->ticks_per_second)
        return error_set(e, -EINVAL, "a recording needs a clock: ticks_per_second is 0");
    if (options->grain && options->ticks_per_second % options->grain)
        return error_set(e, -EINVAL, "the recording's clock must tick a whole number of times in a second");
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0)
        return error_set(e, -errno, "the recording's file is not open: %s", strerror(errno));
    if (options->offset % JFR_TAIL_PAGE)
        return error_set(e, -EINVAL, "the recording was closed by another writer");
    if (flags & O_APPEND) /* Linux then appends at any offset, so the header could not be rewritten */
        return error_set(e, -EINVAL, "the recording's file must not be open for appending");
    return 0;
}

int jfr_writer_new(struct jfr_writer **out, int fd, const struct jfr_writer_options *options, const struct jfr_pools *pools,
                   struct error *e)
{
    int rc = check(fd, options, e);
    struct jfr_writer *w = rc ? NULL : calloc(1, sizeof *w);
    if (!w) {
        close(fd);
        return rc ? rc : error_set(e, -ENOMEM, "no memory to write a recording");
    }
    w->fd = fd;
    w->options = *options;
    if (!w->options.grain)
        w->options.grain = 1;
    w->answers = *pools;
    w->gap = options->offset;
    size_t max = options->memory_max ? options->memory_max : MEMORY_DEFAULT;
    buffer_init(&w->events, max);
    buffer_init(&w->out, max < 4 * JFR_PIECE_BYTES ? 4 * JFR_PIECE_BYTES : max);
    buffer_init(&w->scratch, SCRATCH_MAX);
    struct stat st;
    w->named = !look(w, &st) && st.st_nlink;
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

int jfr_tee_new(struct jfr_writer **out)
{
    struct jfr_writer *w = calloc(1, sizeof *w);
    struct jfr_tee *tee = calloc(1, sizeof *tee);
    if (!w || !tee) {
        free(w);
        free(tee);
        return -ENOMEM;
    }
    w->tee = tee;
    w->options.grain = 1;
    *out = w;
    return 0;
}

void jfr_tee_aim(struct jfr_writer *w, struct jfr_writer *const *writers, uint32_t count)
{
    w->tee->count = count;
    w->options.grain =
        count ? writers[0]->options.grain : 1; /* all of them have the same clock, so a span has the same number of ticks in each */
    for (uint32_t i = 0; i < count; i++)
        w->tee->writers[i] = writers[i];
}

void jfr_tee_free(struct jfr_writer *w)
{
    free(w->tee);
    free(w);
}

int jfr_writer_flush(struct jfr_writer *w, uint64_t ticks, struct error *e)
{
    if (!w->failed)
        flush(w, ticks);
    return sticky(w, e);
}

int jfr_writer_gather(struct jfr_writer *w, uint64_t ticks, struct error *e)
{
    w->flush_ticks = ticks;
    return jfr_writer_settle(w, w->failed || check_untouched(w) ? 0 : jfr_pools_gather(w), e);
}

uint64_t jfr_writer_growth(const struct jfr_writer *w)
{
    return w->events.len + w->out.len + w->birth_bytes + JFR_TAIL_GROWTH_MAX;
}

int jfr_writer_rotate(struct jfr_writer *w, uint64_t ticks, uint64_t epoch_ns, struct error *e)
{
    int rc = 0;
    if (!w->failed && !flush(w, ticks)) {
        struct jfr_chunk_head ended = w->head;
        if (!begin_chunk(w, ticks, epoch_ns) && w->options.ring)
            rc = remember(&w->ring, &ended);
    }
    return jfr_writer_settle(w, rc, e);
}

int jfr_writer_close(struct jfr_writer *w, uint64_t ticks, struct error *e)
{
    w->last_chunk = true;
    if (!w->failed && !flush(w, ticks)) {
        int code = jfr_tail_cut(w);
        if (code)
            fail(w, code);
    }
    int rc = sticky(w, e);
    char name[256];
    file_name(w->fd, name, sizeof name);
    if (close(w->fd) && !rc && errno != EINTR)
        rc = error_set(e, -errno, "%s: cannot be written: %s; %s", name, strerror(errno), remedy(-errno));
    release(w);
    return rc;
}

uint64_t jfr_writer_size(const struct jfr_writer *w)
{
    return w->size;
}

uint64_t jfr_writer_chunk_size(const struct jfr_writer *w)
{
    return w->end - w->head.at;
}

uint64_t jfr_writer_pending(const struct jfr_writer *w)
{
    return w->events.len;
}

uint64_t jfr_writer_dropped(const struct jfr_writer *w)
{
    return w->dropped;
}
