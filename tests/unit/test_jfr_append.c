/* Appending chunks of another recording to ours: byte for byte, only those within the time, and nothing at all if something is wrong.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "base/time_units.h"
#include "jfr/read/append.h"
#include "jfr/read/reader.h"
#include "jfr_craft.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static struct error error;

/* A chunk that begins this many seconds after the first chunks do. */
static void put_chunk(struct buffer *b, unsigned seconds)
{
    size_t chunk = craft_everything(b);
    uint64_t start = CRAFT_START_NS + seconds * NS_PER_S;
    for (int i = 0; i < 8; i++)
        b->data[chunk + 32 + (size_t)i] = (uint8_t)(start >> (56 - 8 * i));
}

static int file_of(const struct buffer *b, size_t len)
{
    int fd = memfd_create("recording", MFD_CLOEXEC);
    if (fd < 0 || write(fd, b->data, len) != (ssize_t)len)
        tap_note("cannot make a file");
    return fd;
}

static bool holds(int fd, const struct buffer *a, const uint8_t *more, size_t more_len)
{
    uint8_t *bytes = malloc(a->len + more_len + 1);
    bool same = bytes && pread(fd, bytes, a->len + more_len + 1, 0) == (ssize_t)(a->len + more_len) && !memcmp(bytes, a->data, a->len) &&
                !memcmp(bytes + a->len, more, more_len);
    free(bytes);
    return same;
}

static uint32_t chunks_in(int fd)
{
    static uint8_t bytes[1 << 20];
    struct jfr_file *file;
    struct jfr_problems problems = {0};
    ssize_t n = pread(fd, bytes, sizeof bytes, 0);
    if (n <= 0 || jfr_file_open_memory(&file, bytes, (size_t)n, "file", &problems, &error))
        return 0;
    uint32_t count = problems.count ? 0 : jfr_file_chunks(file);
    jfr_file_close(file);
    return count;
}

static void test_all(const struct buffer *ours, const struct buffer *theirs)
{
    struct jfr_appended done;
    int to = file_of(ours, ours->len), from = file_of(theirs, theirs->len);
    tap_ok(!jfr_append(to, from, 0, INT64_MAX, &done, &error) && done.chunks == 3 && done.bytes == theirs->len && !done.outside,
           "all chunks");
    tap_ok(holds(to, ours, theirs->data, theirs->len) && chunks_in(to) == 5, "behind ours, untouched");
    tap_ok(holds(from, theirs, ours->data, 0), "and where they were");
    int nothing = file_of(theirs, 0);
    tap_ok(!jfr_append(to, nothing, 0, INT64_MAX, &done, &error) && !done.chunks && chunks_in(to) == 5, "an empty file has none");
    close(to);
    close(from);
    close(nothing);
}

/* Chunks of seconds 0 to 1, 10 to 11 and 20 to 21. */
static void test_time(const struct buffer *ours, const struct buffer *theirs)
{
    struct jfr_appended done;
    int to = file_of(ours, ours->len), from = file_of(theirs, theirs->len);
    size_t one = theirs->len / 3;
    tap_ok(!jfr_append(to, from, CRAFT_START_NS + 2 * NS_PER_S, CRAFT_START_NS + 12 * NS_PER_S, &done, &error) && done.chunks == 1 &&
               done.outside == 2 && holds(to, ours, theirs->data + one, one),
           "only those that have some of the time");
    close(to);
    to = file_of(ours, ours->len);
    tap_ok(!jfr_append(to, from, CRAFT_START_NS + NS_PER_S, CRAFT_START_NS + 10 * NS_PER_S, &done, &error) && done.chunks == 2 &&
               holds(to, ours, theirs->data, 2 * one),
           "its first and last moment count");
    close(to);
    close(from);
}

static void refused(const struct buffer *ours, size_t our_len, const struct buffer *theirs, size_t their_len, int code, const char *what)
{
    struct jfr_appended done;
    int to = file_of(ours, our_len), from = file_of(theirs, their_len);
    struct buffer as_before = *ours;
    as_before.len = our_len;
    error.text[0] = 0;
    int rc = jfr_append(to, from, 0, INT64_MAX, &done, &error);
    if (!tap_ok(rc == code && *error.text && !done.chunks && !done.bytes && holds(to, &as_before, ours->data, 0),
                "%s: told, and nothing done", what))
        tap_note("%d: %s", rc, error.text);
    close(to);
    close(from);
}

static void test_wrong(const struct buffer *ours, const struct buffer *theirs)
{
    struct buffer garbage;
    buffer_init(&garbage, 4096);
    for (int i = 0; i < 200; i++)
        buffer_u8(&garbage, 'x');
    refused(ours, ours->len, &garbage, garbage.len, -EBADMSG, "garbage");
    refused(ours, ours->len, theirs, theirs->len - 1, -EBADMSG, "a last chunk that is cut");
    refused(ours, ours->len, theirs, theirs->len / 3 + 20, -EBADMSG, "half a header");
    refused(ours, ours->len - 1, theirs, theirs->len, -EBADMSG, "a recording without a clean end");
    buffer_deinit(&garbage);
}

static void test_full(const struct buffer *ours, const struct buffer *theirs)
{
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = ours->len + theirs->len / 2;
    signal(SIGXFSZ, SIG_IGN);
    int from = file_of(theirs, theirs->len), to = file_of(ours, ours->len);
    struct jfr_appended done;
    setrlimit(RLIMIT_FSIZE, &limit);
    int rc = jfr_append(to, from, 0, INT64_MAX, &done, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    tap_ok(rc == -EFBIG && !done.chunks && holds(to, ours, ours->data, 0), "no room: cut back to what it was");
    close(to);
    close(from);
}

int main(void)
{
    struct buffer ours, theirs;
    buffer_init(&ours, 1 << 16);
    buffer_init(&theirs, 1 << 16);
    put_chunk(&ours, 0);
    put_chunk(&ours, 1);
    for (unsigned i = 0; i < 3; i++)
        put_chunk(&theirs, 10 * i);
    test_all(&ours, &theirs);
    test_time(&ours, &theirs);
    test_wrong(&ours, &theirs);
    test_full(&ours, &theirs);
    buffer_deinit(&ours);
    buffer_deinit(&theirs);
    return tap_done();
}
