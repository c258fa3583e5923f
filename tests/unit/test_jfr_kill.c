/* A writer that dies, or gets an error, in any of its writes: the file contains every whole flush and nothing else.
 * tier: quick
 * timeout: 180 */
#include "jfr_sample.h"
#include "jfr_walk.h"
#include "jfr_watch.h"

#include "../tap.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct jfr_walk walk; /* large */

/* ---- what the file must contain ---- */

enum { FACTS = 11, ROUND = SAMPLE_CPU_SAMPLES + SAMPLE_EXECUTION_SAMPLES + SAMPLE_ALLOCATIONS + 2 * SAMPLE_WAITS + 6 };

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

/* What would be found if the process died now? Never an error, and the flush in progress either whole or not at all. */
static void look(void)
{
    struct jfr_bytes b = jfr_bytes_of(path);
    int rc = jfr_walk_copy(b.data, b.size, &walk);
    uint64_t rounds = rounds_of(walk.events);
    torn += rc || walk.problems.count || !whole_rounds(walk.events) || rounds < flushed || rounds > flushed + 1;
    moments++;
    free(b.data);
}

static void test_each_write(bool page_by_page)
{
    struct error e;
    jfr_watch = (struct jfr_watch){.look = look, .page_by_page = page_by_page};
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
    tap_ok(moments > 50 && !torn, "dead after any of %llu %s: whole flushes only", (unsigned long long)moments,
           page_by_page ? "pages that are written" : "system calls");
    jfr_watch = (struct jfr_watch){0};
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
        jfr_watch.calls = 0;
        jfr_watch.fail_at = n;
        uint64_t good;
        int rc = write_rounds(&good);
        if (!rc)
            break;
        failures++;
        struct jfr_bytes b = jfr_bytes_of(path);
        bool empty = b.size == 0;
        int found = empty ? 0 : jfr_walk_copy(b.data, b.size, &walk);
        uint64_t rounds = empty ? 0 : rounds_of(walk.events);
        /* A rotation also fails in its second half: then its flush is in the file. */
        wrong +=
            rc != -EIO || found || (!empty && (!whole_rounds(walk.events) || walk.problems.count)) || rounds < good || rounds > good + 1;
        free(b.data);
    }
    jfr_watch.fail_at = 0;
    tap_ok(failures > 10 && !wrong, "EIO in each of %llu system calls: cut back to whole flushes, nothing to complain about",
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

/* Waits until the child's file contains something. */
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
        wrong += !b.size || jfr_walk_copy(b.data, b.size, &walk) || walk.problems.count || !whole_rounds(walk.events);
        events += walk.events;
        free(b.data);
    }
    tap_ok(!wrong && events, "killed at %d moments: whole rounds only (%llu events in all)", KILLS, (unsigned long long)events);
}

int main(void)
{
    close(mkstemp(path));
    test_each_write(false);
    test_each_write(true);
    test_nth_error();
    test_kill();
    unlink(path);
    return tap_done();
}
