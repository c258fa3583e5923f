#include "jfr/read/follow.h"

#include "jfr/read/input.h"
#include "jfr/read/reader_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The address space for one chunk. Its bytes must not move, because types, pools and texts point to them. */
#define ROOM ((size_t)1 << 30)

enum { SHELL_CHECKPOINT = JFR_HEADER_BYTES + 2, GAP_BYTES = 10, FINAL_CHUNK = 2 };

struct jfr_follow {
    int fd;
    struct jfr_file file;     /* the published part of one chunk */
    struct jfr_extent extent; /* its offset is 0, because `bytes` begins with the chunk */
    uint8_t *bytes;
    uint64_t at;        /* the chunk's offset in the file */
    uint64_t published; /* number of published bytes of the chunk */
    uint64_t read_end;  /* number of bytes read, including the tail */
    struct jfr_chunk *chunk;
    bool ended;
    uint64_t before; /* bytes of the chunks before this one */
};

/* ---- reading ---- */

static int cannot_read(int code, struct error *e)
{
    return error_set(e, code, "cannot read the recording: %s", strerror(-code));
}

/* Reads the bytes from..to of the chunk. *got is less if the file ends before. */
static int read_bytes(struct jfr_follow *f, uint64_t from, uint64_t to, uint64_t *got)
{
    *got = from;
    while (*got < to) {
        ssize_t n = pread(f->fd, f->bytes + *got, to - *got, (off_t)(f->at + *got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (!n)
            break;
        *got += (uint64_t)n;
    }
    return 0;
}

/* Reads the content first and then the header, so that the header is never older than the content. */
static int read_news(struct jfr_follow *f, struct error *e)
{
    struct stat st;
    uint64_t header;
    if (fstat(f->fd, &st))
        return cannot_read(-errno, e);
    uint64_t size = (uint64_t)st.st_size > f->at ? (uint64_t)st.st_size - f->at : 0;
    if (size > ROOM)
        return cannot_read(-EFBIG, e);
    int rc = read_bytes(f, f->published, size, &f->read_end);
    if (!rc && f->read_end >= JFR_HEADER_BYTES)
        rc = read_bytes(f, 0, JFR_HEADER_BYTES, &header);
    return rc ? cannot_read(rc, e) : 0;
}

/* ---- the published part ---- */

static bool header_at(const struct jfr_follow *f, uint64_t at)
{
    static const uint8_t first[] = {'F', 'L', 'R', 0, 0, 2};
    return f->read_end - at >= sizeof first && !memcmp(f->bytes + at, first, sizeof first);
}

/* Whether this is a chunk in which nothing was published except its own structure. */
static bool is_shell(const uint8_t *header)
{
    return input_be(header + 16, 8) == SHELL_CHECKPOINT;
}

static uint64_t chunk_size(const struct jfr_follow *f)
{
    return input_be(f->bytes + 8, 8);
}

/* Whether this is the tail: an empty checkpoint of ten bytes, with start 0, whose size extends to the end of the file or to the next
 * chunk. */
static bool is_tail(const struct jfr_follow *f, uint64_t at, uint64_t size)
{
    static const uint8_t rest[] = {1, 0, 0, 0, 0, 0};
    const uint8_t *gap = f->bytes + at; /* its size is padded to four bytes */
    if (size <= GAP_BYTES || f->read_end - at < GAP_BYTES || !(gap[0] & gap[1] & gap[2] & 0x80) || memcmp(gap + 4, rest, sizeof rest))
        return false;
    return size >= f->read_end - at || header_at(f, at + size);
}

/* Returns the end of the last complete event before the tail. A shell in the place of the tail is skipped, as by every reader: it is
 * padding until the header says that the chunk ends before it. */
static uint64_t find_published(const struct jfr_follow *f, uint64_t at)
{
    const uint8_t *end = f->bytes + f->read_end;
    while (at < f->read_end && at < chunk_size(f)) {
        uint64_t size, type;
        const uint8_t *fields = input_varint(input_varint(f->bytes + at, end, &size), end, &type);
        if (!fields || size < (uint64_t)(fields - f->bytes) - at || size > f->read_end - at || is_tail(f, at, size))
            break;
        at += size;
    }
    return at;
}

/* ---- chunks ---- */

static bool whole_chunk_read(const struct jfr_follow *f)
{
    return f->chunk && f->published >= chunk_size(f);
}

static void next_chunk(struct jfr_follow *f)
{
    uint64_t size = chunk_size(f);
    f->ended = f->bytes[67] & FINAL_CHUNK;
    jfr_chunk_close(f->chunk);
    f->chunk = NULL;
    f->before += size;
    f->at += size;
    f->published = f->read_end = 0;
    madvise(f->bytes, ROOM, MADV_DONTNEED);
}

/* Opens the chunk when its metadata has been written. */
static int begin_chunk(struct jfr_follow *f, struct jfr_news *news, struct error *e)
{
    if (f->read_end < JFR_HEADER_BYTES || !header_at(f, 0) || is_shell(f->bytes))
        return 0;
    uint64_t published = find_published(f, JFR_HEADER_BYTES);
    if (input_be(f->bytes + 24, 8) >= published)
        return 0;
    f->extent.size = f->file.size = published;
    int rc = jfr_chunk_open(&f->chunk, &f->file, 0, NULL, e);
    if (rc || !f->chunk)
        return rc;
    f->published = published;
    *news = (struct jfr_news){f->chunk, true, jfr_cursor_init(f->chunk)};
    return 0;
}

static int extend_chunk(struct jfr_follow *f, struct jfr_news *news, struct error *e)
{
    uint64_t published = find_published(f, f->published);
    if (published == f->published)
        return 0;
    struct jfr_cursor cursor = {f->chunk, f->bytes + f->published};
    f->extent.size = f->file.size = published;
    if (jfr_chunk_extend(f->chunk, published))
        return error_set(e, -ENOMEM, "no memory to read the recording");
    f->published = published;
    *news = (struct jfr_news){f->chunk, false, cursor};
    return 0;
}

int jfr_follow_next(struct jfr_follow *f, struct jfr_news *news, struct error *e)
{
    *news = (struct jfr_news){0};
    if (whole_chunk_read(f))
        next_chunk(f);
    int rc = f->ended ? 0 : read_news(f, e);
    if (rc || f->ended)
        return rc;
    rc = f->chunk ? extend_chunk(f, news, e) : begin_chunk(f, news, e);
    if (!rc && !news->chunk && whole_chunk_read(f)) /* the chunk has ended without new events */
        return jfr_follow_next(f, news, e);
    return rc;
}

bool jfr_follow_ended(const struct jfr_follow *f)
{
    return f->ended;
}

uint64_t jfr_follow_bytes(const struct jfr_follow *f)
{
    return f->before + f->published;
}

/* ---- opening ---- */

/* Goes to the last chunk with published content. */
static void skip_chunks(struct jfr_follow *f)
{
    uint8_t header[JFR_HEADER_BYTES];
    for (uint64_t at = 0; pread(f->fd, header, sizeof header, (off_t)at) == sizeof header;) {
        if (memcmp(header, "FLR", 4) || is_shell(header))
            break;
        f->at = at;
        at += input_be(header + 8, 8) ? input_be(header + 8, 8) : sizeof header;
    }
}

int jfr_follow_new(struct jfr_follow **out, int fd, bool from_last, struct error *e)
{
    struct jfr_follow *f = *out = calloc(1, sizeof *f);
    if (!f) {
        close(fd);
        return error_set(e, -ENOMEM, "no memory to read the recording");
    }
    f->fd = fd;
    f->bytes = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (f->bytes == MAP_FAILED) {
        f->bytes = NULL;
        jfr_follow_free(f);
        *out = NULL;
        return error_set(e, -ENOMEM, "not enough address space to read the recording");
    }
    f->file = (struct jfr_file){
        .bytes = f->bytes, .chunks = &f->extent, .chunk_count = 1, .name = (char *)"the recording", .intake.spool.fd = -1};
    if (from_last)
        skip_chunks(f);
    uint8_t first[4];
    ssize_t n = pread(fd, first, sizeof first, (off_t)f->at);
    if (n == sizeof first && memcmp(first, "FLR", 4)) {
        jfr_follow_free(f);
        *out = NULL;
        return error_set(e, -EINVAL, "not a recording");
    }
    return 0;
}

void jfr_follow_free(struct jfr_follow *f)
{
    if (!f)
        return;
    jfr_chunk_close(f->chunk);
    if (f->bytes)
        munmap(f->bytes, ROOM);
    close(f->fd);
    free(f);
}
