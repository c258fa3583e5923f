#include "jfr/read/append.h"

#include "jfr/read/input.h"
#include "jfr/read/reader_internal.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 64 << 10 };

struct header {
    uint64_t size;
    int64_t start_ns, duration_ns;
};

static int64_t file_size(int fd)
{
    struct stat st;
    return fstat(fd, &st) ? -errno : (int64_t)st.st_size;
}

/* Reads exactly n bytes. Returns 0 or a negative errno; -EIO if the file ends before. */
static int read_whole(int fd, uint8_t *bytes, size_t n, uint64_t at)
{
    while (n) {
        ssize_t got = pread(fd, bytes, n, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got ? -errno : -EIO;
        bytes += got;
        n -= (size_t)got;
        at += (uint64_t)got;
    }
    return 0;
}

static int write_whole(int fd, const uint8_t *bytes, size_t n, uint64_t at)
{
    while (n) {
        ssize_t put = pwrite(fd, bytes, n, (off_t)at);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return put ? -errno : -EIO;
        bytes += put;
        n -= (size_t)put;
        at += (uint64_t)put;
    }
    return 0;
}

/* Reads the header of the chunk at this offset. The chunk must be complete. */
static int read_header(int fd, uint64_t at, uint64_t end, struct header *h)
{
    uint8_t bytes[JFR_HEADER_BYTES];
    if (end - at < sizeof bytes)
        return -EBADMSG;
    int rc = read_whole(fd, bytes, sizeof bytes, at);
    if (rc)
        return rc;
    *h = (struct header){input_be(bytes + 8, 8), (int64_t)input_be(bytes + 32, 8), (int64_t)input_be(bytes + 40, 8)};
    return memcmp(bytes, "FLR", 4) || h->size < JFR_HEADER_BYTES || h->size > end - at ? -EBADMSG : 0;
}

static int check_chunks(int fd, uint64_t end)
{
    struct header h;
    int rc = 0;
    for (uint64_t at = 0; !rc && at < end; at += h.size)
        rc = read_header(fd, at, end, &h);
    return rc;
}

static bool has_some_of(const struct header *h, int64_t begin_ns, int64_t end_ns)
{
    int64_t end;
    if (h->duration_ns < 0 || __builtin_add_overflow(h->start_ns, h->duration_ns, &end))
        end = INT64_MAX;
    return h->start_ns <= end_ns && end >= begin_ns;
}

static int copy(int to, uint64_t to_at, int from, uint64_t at, uint64_t n)
{
    uint8_t block[BLOCK];
    int rc = 0;
    while (!rc && n) {
        size_t part = n < sizeof block ? (size_t)n : sizeof block;
        rc = read_whole(from, block, part, at);
        rc = rc ? rc : write_whole(to, block, part, to_at);
        at += part;
        to_at += part;
        n -= part;
    }
    return rc;
}

static int append(int to, uint64_t to_end, int from, uint64_t from_end, int64_t begin_ns, int64_t end_ns, struct jfr_appended *out)
{
    struct header h;
    int rc = 0;
    for (uint64_t at = 0; !rc && at < from_end; at += h.size) {
        rc = read_header(from, at, from_end, &h);
        if (!rc && !has_some_of(&h, begin_ns, end_ns)) {
            out->outside++;
        } else if (!rc) {
            rc = copy(to, to_end + out->bytes, from, at, h.size);
            out->chunks += !rc;
            out->bytes += rc ? 0 : h.size;
        }
    }
    return rc;
}

static int explain(int rc, struct error *e)
{
    if (rc == -EBADMSG)
        return error_set(e, rc, "the chunks of the JDK's recording are incomplete");
    return error_set(e, rc, "copying: %s%s", strerror(-rc), rc == -ENOSPC ? "; make room" : "");
}

int jfr_append(int to, int from, int64_t begin_ns, int64_t end_ns, struct jfr_appended *out, struct error *e)
{
    int64_t to_end = file_size(to), from_end = file_size(from);
    *out = (struct jfr_appended){0};
    if (to_end < 0 || from_end < 0)
        return explain((int)(to_end < 0 ? to_end : from_end), e);
    if (check_chunks(to, (uint64_t)to_end))
        return error_set(e, -EBADMSG, "the end of the recording is damaged, so nothing can be appended");
    int rc = append(to, (uint64_t)to_end, from, (uint64_t)from_end, begin_ns, end_ns, out);
    if (!rc)
        return 0;
    *out = (struct jfr_appended){0};
    if (ftruncate(to, (off_t)to_end))
        return error_set(e, -errno, "copying: %s; and the recording could not be truncated to its previous length", strerror(errno));
    return explain(rc, e);
}
