#include "compress/intake.h"

#include "compress/codec.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 128 << 10 };

static uint64_t chosen_limit;

void intake_set_limit(uint64_t bytes)
{
    chosen_limit = bytes;
}

/* The source of packed bytes: a descriptor, or memory. */
struct source {
    int fd; /* -1 = memory */
    const uint8_t *at;
    size_t left;
    const char *name;
    uint64_t most; /* the most bytes that the input may unpack to; 0 = the limits for all input */
};

/* Fills the buffer, unless the input ends before. */
static int fill(struct source *s, uint8_t *buffer, size_t *n, struct error *e)
{
    *n = 0;
    if (s->fd < 0) {
        *n = s->left < BLOCK ? s->left : BLOCK;
        if (*n)
            memcpy(buffer, s->at, *n);
        s->at += *n;
        s->left -= *n;
        return 0;
    }
    while (*n < BLOCK) {
        ssize_t got = read(s->fd, buffer + *n, BLOCK - *n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set(e, -errno, "%s: cannot be read: %s", s->name, strerror(errno));
        if (!got)
            break;
        *n += (size_t)got;
    }
    return 0;
}

static int too_large(const struct source *s, struct error *e)
{
    return error_set(e, -EFBIG, "%s: refused: it has more than %" PRIu64 " MiB unpacked", s->name, s->most >> 20);
}

static int put(struct intake *in, const struct source *s, const uint8_t *bytes, size_t n, struct error *e)
{
    struct error why;
    if (s->most && in->spool.size + n > s->most)
        return too_large(s, e);
    int rc = spool_put(&in->spool, bytes, n, &why);
    return rc ? error_set(e, rc, "%s: %s", s->name, why.text) : 0;
}

static int check_limit(const struct intake *in, const struct source *s, struct error *e)
{
    uint64_t size = in->spool.size, limit = chosen_limit ? chosen_limit : INTAKE_SIZE_MAX;
    bool ratio = !chosen_limit && size > INTAKE_RATIO_FROM && size / INTAKE_RATIO_MAX > in->packed_size;
    if (ratio)
        return error_set(e, -EFBIG, "%s: refused: it unpacks to more than %d times its size; if you trust it, use --max-unpacked SIZE",
                         s->name, INTAKE_RATIO_MAX);
    if (size > limit)
        return error_set(e, -EFBIG, "%s: refused: it unpacks to more than %" PRIu64 " MiB; raise that with --max-unpacked SIZE", s->name,
                         limit >> 20);
    return 0;
}

static void note_damage(struct intake *in, const char *what)
{
    snprintf(in->damage, sizeof in->damage, "its %s data %s: %" PRIu64 " bytes could be unpacked", in->codec->name, what, in->spool.size);
}

/* ---- unpacking ---- */

struct unpacking {
    struct intake *in;
    struct source *source;
    uint8_t *packed, *plain; /* BLOCK bytes each */
    struct codec_buffers b;
    void *decoder;
    bool fresh; /* no byte of the present frame was read yet */
};

/* Prepares for another frame after a complete one. Other bytes after a frame are damage. */
static int next_frame(struct unpacking *u)
{
    const struct codec *codec = u->in->codec;
    codec->decoder_free(u->decoder);
    u->decoder = codec->decoder_new();
    u->fresh = true;
    return u->decoder ? 0 : -ENOMEM;
}

/* Runs the decoder once. Returns 0 or a negative code. -EBADMSG means damage, which has been noted already. */
static int step(struct unpacking *u, struct error *e)
{
    u->b.out = u->plain;
    u->b.out_left = BLOCK;
    size_t before = u->b.in_left;
    int rc = u->in->codec->decode(u->decoder, &u->b);
    u->in->packed_size += before - u->b.in_left;
    int kept = put(u->in, u->source, u->plain, BLOCK - u->b.out_left, e);
    if (kept || (kept = check_limit(u->in, u->source, e)))
        return kept;
    bool stuck = rc == CODEC_MORE && before == u->b.in_left && u->b.out_left == BLOCK && before;
    if (rc == -EBADMSG || stuck) {
        note_damage(u->in, u->fresh && u->in->spool.size ? "is followed by other data" : "is damaged");
        return -EBADMSG;
    }
    u->fresh = false;
    if (rc == CODEC_END)
        rc = next_frame(u);
    return rc < 0 ? error_set(e, rc, "%s: out of memory", u->source->name) : 0;
}

static int refill(struct unpacking *u, struct error *e)
{
    u->b.in = u->packed;
    return fill(u->source, u->packed, &u->b.in_left, e);
}

/* Unpacks the input. A decoder that has filled its output may have more. So more input is read only if the output was not filled. */
static int unpack(struct unpacking *u, struct error *e)
{
    int rc = next_frame(u);
    while (!rc) {
        bool more = u->b.out_left == 0 && !u->fresh;
        if (!u->b.in_left && !more)
            rc = refill(u, e);
        if (rc || (!u->b.in_left && !more))
            break;
        rc = step(u, e);
    }
    if (!rc && !u->fresh)
        note_damage(u->in, "is cut off");
    u->in->codec->decoder_free(u->decoder);
    return rc == -EBADMSG ? 0 : rc;
}

/* ---- any input ---- */

static int copy(struct intake *in, struct source *s, uint8_t *block, size_t n, struct error *e)
{
    int rc = 0;
    for (; n && !rc; rc = rc ? rc : fill(s, block, &n, e)) {
        rc = put(in, s, block, n, e);
        in->packed_size += n;
    }
    return rc;
}

static int take(struct intake *in, struct source *s, struct error *e)
{
    struct unpacking u = {.in = in, .source = s, .packed = malloc(BLOCK), .plain = malloc(BLOCK)};
    size_t n = 0;
    int rc = u.packed && u.plain ? fill(s, u.packed, &n, e) : error_set(e, -ENOMEM, "%s: out of memory", s->name);
    if (!rc) {
        in->codec = codec_by_content(u.packed, n);
        u.b = (struct codec_buffers){.in = u.packed, .in_left = n, .out_left = 1};
        rc = in->codec ? unpack(&u, e) : copy(in, s, u.packed, n, e);
    }
    free(u.packed);
    free(u.plain);
    struct error why;
    if (!rc && spool_finish(&in->spool, &why))
        rc = error_set(e, -EIO, "%s: %s", s->name, why.text);
    in->bytes = in->spool.bytes;
    in->size = in->spool.size;
    return rc;
}

/* Whether a running recording writes to the file. A recording that keeps only its end cuts its file from time to time, and a process that
 * has the file mapped would then be killed. */
static bool is_recorded_to(int fd)
{
    if (flock(fd, LOCK_SH | LOCK_NB))
        return errno == EWOULDBLOCK;
    flock(fd, LOCK_UN);
    return false;
}

/* Maps the file if it is large and not packed. Returns whether it was mapped. */
static bool map(struct intake *in, int fd)
{
    struct stat st;
    uint8_t first[CODEC_FIRST_BYTES];
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size < INTAKE_MAP_FROM || lseek(fd, 0, SEEK_CUR))
        return false;
    if (pread(fd, first, sizeof first, 0) != sizeof first || codec_by_content(first, sizeof first) || is_recorded_to(fd))
        return false;
    void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED)
        return false;
    in->bytes = at;
    in->size = in->packed_size = (uint64_t)st.st_size;
    return in->mapped = true;
}

const char *intake_name(const char *path)
{
    return strcmp(path, "-") ? path : "standard input";
}

int intake_open(struct intake *in, const char *path, struct error *e)
{
    const char *name = intake_name(path);
    *in = (struct intake){0};
    spool_init(&in->spool);
    bool standard = !strcmp(path, "-");
    int rc = 0, fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_set(e, -errno, "%s: cannot be opened: %s", name, strerror(errno));
    if (!map(in, fd))
        rc = take(in, &(struct source){.fd = fd, .name = name}, e);
    if (!standard)
        close(fd);
    if (rc)
        intake_close(in);
    return rc;
}

static int open_memory(struct intake *in, struct source *s, struct error *e)
{
    *in = (struct intake){.bytes = s->at, .size = s->left, .packed_size = s->left};
    spool_init(&in->spool);
    int rc = 0;
    if (codec_by_content(s->at, s->left)) {
        in->packed_size = 0;
        rc = take(in, s, e);
    } else if (s->most && s->left > s->most) {
        rc = too_large(s, e);
    }
    if (rc)
        intake_close(in);
    return rc;
}

int intake_open_memory(struct intake *in, const void *bytes, size_t size, const char *name, struct error *e)
{
    return open_memory(in, &(struct source){.fd = -1, .at = bytes, .left = size, .name = name}, e);
}

int intake_open_memory_within(struct intake *in, const void *bytes, size_t size, uint64_t most, const char *name, struct error *e)
{
    return open_memory(in, &(struct source){.fd = -1, .at = bytes, .left = size, .name = name, .most = most}, e);
}

void intake_view(struct intake *view, const struct intake *of)
{
    *view = *of;
    view->mapped = false;
    spool_init(&view->spool);
}

void intake_close(struct intake *in)
{
    if (in->mapped)
        munmap((void *)in->bytes, in->size);
    spool_deinit(&in->spool);
    *in = (struct intake){0};
    spool_init(&in->spool);
}
