/* A writer that dies or meets an error in any of its writes: the file holds every whole flush and nothing else.
 * tier: quick
 * timeout: 180 */
#include "jfr_sample.h"
#include "jfr_walk.h"

#include "../tap.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct jfr_walk walk; /* large */

/* ---- the writer's system call, watched ---- */

static struct {
    unsigned calls;
    unsigned fail_at;  /* this call fails with EIO, 0 = none */
    size_t part;       /* a call writes at most so many bytes, 0 = all */
    void (*look)(void); /* after each call */
} watch;

static ssize_t watched_pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    if (++watch.calls == watch.fail_at) {
        errno = EIO;
        return -1;
    }
    if (watch.part && size > watch.part)
        size = watch.part;
    ssize_t n = syscall(SYS_pwrite64, fd, bytes, size, offset);
    if (watch.look)
        watch.look();
    return n;
}

/* In place of libc's, whichever name the compiler's options make of it. */
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset);
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset);

#undef pwrite
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset)
{
    return watched_pwrite(fd, bytes, size, offset);
}

#ifndef __USE_FILE_OFFSET64
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    return watched_pwrite(fd, bytes, size, offset);
}
#endif

/* ---- what the file must hold ---- */

enum { FACTS = 11, ROUND = SAMPLE_CPU_SAMPLES + SAMPLE_EXECUTION_SAMPLES + 6 };

static uint64_t rounds_of(uint64_t events)
{
    return events ? (events - FACTS) / ROUND : 0;
}

static bool whole_rounds(uint64_t events)
{
    return events == 0 || (events >= FACTS + ROUND && (events - FACTS) % ROUND == 0);
}

/* ---- after each write ---- */

static char path[] = "/tmp/candor-test-XXXXXX";
static uint64_t flushed, torn, moments;

/* Dead right now: what would be found? */
static void look(void)
{
    struct jfr_bytes b = jfr_bytes_of(path);
    int rc = jfr_walk_copy(b.data, b.size, &walk);
    bool started = b.size >= 68 && !rc;
    /* Bytes behind the last chunk may be; a chunk cut short may not, unless the very write of it was. */
    for (uint32_t i = 0; i < walk.problems.listed && !watch.part; i++)
        torn += started && walk.problems.list[i].chunk != JFR_NO_CHUNK;
    /* The flush in progress may be in already (its header was the last write), never a part of it. */
    torn += started ? !whole_rounds(walk.events) || rounds_of(walk.events) < flushed || rounds_of(walk.events) > flushed + 1
                    : flushed > 0;
    moments++;
    free(b.data);
}

static void test_each_write(size_t part)
{
    struct error e;
    watch.look = look;
    watch.part = part;
    flushed = torn = moments = 0;
    struct jfr_writer *w = sample_open(path, &e);
    for (unsigned i = 0; i < 6; i++) {
        sample_round(w, i);
        if (i % 3 == 2)
            jfr_writer_rotate(w, SAMPLE_START_TICKS + i, SAMPLE_START_EPOCH_NS, &e);
        else
            jfr_writer_flush(w, SAMPLE_START_TICKS + i, &e);
        flushed++;
    }
    jfr_writer_close(w, SAMPLE_START_TICKS + 9, &e);
    tap_ok(moments > 12 && !torn, "dead after any of %llu writes of at most %zu bytes: whole flushes only",
           (unsigned long long)moments, part ? part : SIZE_MAX);
    watch.look = NULL;
    watch.part = 0;
}

/* ---- an error in the nth write ---- */

static int write_rounds(uint64_t *good)
{
    struct error e;
    int rc = 0;
    *good = 0;
    struct jfr_writer *w = sample_open(path, &e);
    if (!w)
        return -EIO;
    for (unsigned i = 0; i < 4 && !rc; i++) {
        sample_round(w, i);
        rc = i == 1 ? jfr_writer_rotate(w, SAMPLE_START_TICKS + i, SAMPLE_START_EPOCH_NS, &e)
                    : jfr_writer_flush(w, SAMPLE_START_TICKS + i, &e);
        *good += !rc;
    }
    int closed = jfr_writer_close(w, SAMPLE_START_TICKS + 9, &e);
    return rc ? rc : closed;
}

static void test_nth_error(void)
{
    uint64_t wrong = 0, failures = 0;
    for (unsigned n = 1;; n++) {
        watch.calls = 0;
        watch.fail_at = n;
        uint64_t good;
        int rc = write_rounds(&good);
        if (!rc)
            break;
        failures++;
        struct jfr_bytes b = jfr_bytes_of(path);
        bool empty = b.size == 0;
        int found = empty ? 0 : jfr_walk_copy(b.data, b.size, &walk);
        uint64_t rounds = empty ? 0 : rounds_of(walk.events);
        /* A rotation fails in its second half too: then its flush is in the file. */
        wrong += rc != -EIO || found || (!empty && (!whole_rounds(walk.events) || walk.problems.count)) ||
                 rounds < good || rounds > good + 1;
        free(b.data);
    }
    watch.fail_at = 0;
    tap_ok(failures > 10 && !wrong, "EIO in each of %llu writes: cut back to whole flushes, nothing to complain about",
           (unsigned long long)failures);
}

/* ---- kill -9 ---- */

static void write_for_ever(void)
{
    struct error e;
    struct jfr_writer *w = sample_open(path, &e);
    for (unsigned i = 0;; i++) {
        sample_round(w, i);
        jfr_writer_flush(w, SAMPLE_START_TICKS + i, &e);
        if (i % 5 == 4)
            jfr_writer_rotate(w, SAMPLE_START_TICKS + i, SAMPLE_START_EPOCH_NS + i, &e);
    }
}

/* Until the child's file holds something. */
static void wait_for_flush(void)
{
    struct stat st;
    for (unsigned i = 0; i < 600000 && (stat(path, &st) || !st.st_size); i++)
        nanosleep(&(struct timespec){0, 100000}, NULL);
}

static void test_kill(void)
{
    enum { KILLS = 40 };
    uint64_t wrong = 0, events = 0;
    for (unsigned i = 0; i < KILLS; i++) {
        unlink(path);
        pid_t child = fork();
        if (!child)
            write_for_ever();
        wait_for_flush();
        nanosleep(&(struct timespec){0, i * 300000}, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        struct jfr_bytes b = jfr_bytes_of(path);
        wrong += !b.size || jfr_walk_copy(b.data, b.size, &walk) || !whole_rounds(walk.events);
        events += walk.events;
        free(b.data);
    }
    tap_ok(!wrong && events, "killed at %d moments: whole rounds only (%llu events in all)", KILLS,
           (unsigned long long)events);
}

/* Between two flushes a file is: the bytes after the later one, as far as they came, under the header of the earlier. */
static void test_unfinished_flush(void)
{
    struct error e;
    struct jfr_writer *w = sample_open(path, &e);
    sample_round(w, 0);
    jfr_writer_flush(w, SAMPLE_START_TICKS + 1, &e);
    struct jfr_bytes before = jfr_bytes_of(path);
    sample_round(w, 1);
    jfr_writer_flush(w, SAMPLE_START_TICKS + 2, &e);
    struct jfr_bytes after = jfr_bytes_of(path);
    jfr_writer_close(w, SAMPLE_START_TICKS + 3, &e);
    memcpy(after.data, before.data, 68);
    jfr_walk(before.data, before.size, &walk);
    uint64_t expected = walk.events, wrong = 0;
    for (size_t n = before.size; n <= after.size; n += 397) {
        jfr_walk_copy(after.data, n, &walk);
        wrong += walk.events != expected || walk.problems.count != (n > before.size);
    }
    tap_ok(expected && !wrong, "a flush whose header was not written: all before it, and one problem");
    free(before.data);
    free(after.data);
}

int main(void)
{
    close(mkstemp(path));
    test_each_write(0);
    test_each_write(5000);
    test_nth_error();
    test_unfinished_flush();
    test_kill();
    unlink(path);
    return tap_done();
}
