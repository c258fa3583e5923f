/*
 * A store whose catalog was lost reads its recordings again, and is used meanwhile: answers have what was read and what comes, and say how
 * many recordings they lack. In the end they have everything, each recording once, and count what is gone for ever as they would if nobody
 * had waited. An interrupted start goes on with the next one. Its threads leave signals to others.
 * tier: default
 * timeout: 120
 */
#include "store_days.h"

#include "../tap.h"

#include "base/time_units.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { OLD = 12, NEW = 4 }; /* recordings: before the catalog is lost, and after */

#define LOSE         "rm catalogue.db*"
#define NOTHING_LEFT "[ -z \"$(ls quarantine | grep -v catalogue)\" ]"
#define DAMAGED      "printf x | dd of=catalogue.db bs=1 seek=200 conv=notrunc status=none"

/* ---- reading of old recordings waits, or fails ---- */

static atomic_uint permits;      /* how many more old recordings may be read */
static atomic_uint without_room; /* how many more fail as if there was no memory */

static bool take_one(atomic_uint *of)
{
    unsigned n = atomic_load(of);
    while (n && !atomic_compare_exchange_weak(of, &n, n - 1)) {
    }
    return n;
}

static const struct timespec moment = {.tv_nsec = 1000000};

static int before_load(uint32_t number)
{
    while (number < OLD && !take_one(&permits))
        nanosleep(&moment, NULL);
    return number < OLD && take_one(&without_room) ? -ENOMEM : 0;
}

static void allow(unsigned n)
{
    atomic_store(&permits, n);
}

/* ---- steps ---- */

/* Makes a store and closes it. copied: how many recordings its copy of the catalog knows. Returns the sum of its weights. */
static uint64_t fill(const char *name, bool with_copy, uint32_t copied)
{
    days_begin(name);
    allow(OLD);
    struct store *s = days_open(0);
    uint64_t total = days_add(s, 0, copied);
    if (with_copy)
        store_maintain(s);
    total += days_add(s, copied, OLD - copied);
    store_close(s);
    allow(0);
    return total;
}

static uint64_t rereading(struct store *s)
{
    struct missing missing;
    days_sum_missing(s, &missing);
    return missing.sums[MISSING_REREAD].parts;
}

static void wait_until(struct store *s, uint64_t left)
{
    while (rereading(s) > left)
        nanosleep(&moment, NULL);
}

/* Uses the store while recordings wait to be read. Returns the sum of the weights that it adds. */
static uint64_t use(struct store *s, uint32_t known)
{
    struct missing missing;
    uint64_t before = days_sum_missing(s, &missing);
    tap_ok(missing.sums[MISSING_REREAD].parts == OLD - known, "nothing is read yet: it lacks %u recordings", OLD - known);
    uint64_t added = days_add(s, OLD, NEW), then = days_sum_missing(s, &missing) - before;
    tap_ok(then == added && missing.sums[MISSING_REREAD].parts == OLD - known, "what comes is in answers at once: %llu of %llu",
           (unsigned long long)then, (unsigned long long)added);
    store_maintain(s);
    tap_ok(days_sum_missing(s, &missing) == before + added, "and stays when the store is maintained");
    return added;
}

static void check_all(struct store *s, uint64_t total, bool is_complete, const char *what)
{
    bool complete;
    store_maintain(s);
    uint64_t sum = days_sum(s, &complete);
    tap_ok(sum == total && complete == is_complete, "%s: %llu of %llu", what, (unsigned long long)sum, (unsigned long long)total);
}

static void test_used(const char *name, bool with_copy, uint32_t copied, const char *damage)
{
    uint64_t total = fill(name, with_copy, copied);
    tap_ok(days_run(damage), "%s", name);
    struct store *s = days_open(1);
    total += use(s, copied);
    allow(OLD);
    wait_until(s, 0);
    check_all(s, total, true, "then everything is there");
    store_close(s);
    s = days_open(0);
    check_all(s, total, true, "and after a start");
    store_close(s);
    tap_ok(days_run(NOTHING_LEFT), "nothing is left to do");
}

/* Old recordings are sent again before they are read. */
static void test_sent_again(void)
{
    uint64_t total = fill("again", false, 0);
    tap_ok(days_run(LOSE), "again");
    struct store *s = days_open(1);
    allow(OLD + 2);
    days_add(s, 0, 2); /* they wait for permits, too */
    wait_until(s, 0);
    check_all(s, total, true, "a recording that was sent again counts once");
    store_close(s);
}

/* Recordings that are gone are counted, even if as many come on the same days before the end. */
static void test_missing(void)
{
    uint64_t total = fill("gone", false, 0);
    tap_ok(days_run("rm recordings/01/0100* recordings/01/0101*; " LOSE), "two recordings are gone, and the catalog");
    struct store *s = days_open(1);
    total += days_add(s, OLD, NEW) - 201;
    allow(OLD);
    wait_until(s, 0);
    struct missing missing;
    uint64_t sum = days_sum_missing(s, &missing);
    tap_ok(sum == total && missing.sums[MISSING_REBUILT].parts == 2, "both are counted: %llu",
           (unsigned long long)missing.sums[MISSING_REBUILT].parts);
    store_close(s);
}

static void test_interrupted(const char *name, bool with_copy, uint32_t copied)
{
    uint64_t total = fill(name, with_copy, copied);
    tap_ok(days_run(with_copy ? DAMAGED : LOSE), "%s", name);
    struct store *s = days_open(1);
    allow(3);
    wait_until(s, OLD - copied - 3);
    total += days_add(s, OLD, NEW);
    atomic_store(&permits, 64); /* those that wait now */
    store_close(s);
    s = days_open(0);
    check_all(s, total, true, "the next start goes on");
    store_close(s);
    tap_ok(days_run(NOTHING_LEFT), "and ends");
}

static void test_no_memory(void)
{
    uint64_t total = fill("memory", false, 0);
    tap_ok(days_run(LOSE), "memory");
    allow(2 * OLD);
    atomic_store(&without_room, 2);
    struct store *s = days_open(1);
    wait_until(s, 2);
    struct missing missing;
    days_sum_missing(s, &missing);
    tap_ok(missing.sums[MISSING_REREAD].parts == 2, "two recordings cannot be read, and answers say so");
    store_close(s);
    tap_ok(days_run("[ $(ls recordings/01 | wc -l) = 12 ]"), "they stay");
    s = days_open(0);
    check_all(s, total, true, "and the next start reads them");
    store_close(s);
}

/* The text of an answer that lacks something for every reason. */
static void test_text(void)
{
    struct missing missing = {0};
    char text[2048];
    for (int why = 0; why < MISSING_REASONS; why++)
        missing_add(&missing, (enum missing_why)why, UINT64_MAX / 16, UINT64_MAX / 16, UINT64_MAX / 16);
    missing_text(&missing, "cpu:samples", text, sizeof text);
    tap_ok(strstr(text, "1152921504606846975 not read again yet"), "a text has room for all reasons: %s", text);
    missing_text(&missing, "cpu:samples", text, 100);
    tap_ok(strlen(text) == 99, "and is cut where it has to be");
    missing = (struct missing){0};
    missing_add(&missing, MISSING_REREAD, 24, 0, 0);
    missing_text(&missing, "", text, sizeof text);
    tap_ok(!strcmp(text,
                   "incomplete: 24 parts of recordings are missing (24 not read again yet after the catalog was lost); how many rows is "
                   "not known"),
           "it claims no number of rows: %s", text);
}

/* The server waits for signals in a thread that is younger than those that read. */
static void test_signals(void)
{
    const struct timespec begun = {.tv_nsec = 100000000}; /* while a thread begins, it gets no signals */
    sigset_t end;
    uint64_t total = fill("signals", false, 0);
    tap_ok(days_run(LOSE), "signals");
    struct store *s = days_open(1);
    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &end, NULL);
    nanosleep(&begun, NULL);
    kill(getpid(), SIGTERM);
    tap_ok(sigtimedwait(&end, NULL, &(struct timespec){.tv_sec = 10}) == SIGTERM, "a signal is for the thread that waits for it");
    allow(OLD);
    wait_until(s, 0);
    check_all(s, total, true, "and what was read goes on");
    store_close(s);
}

int main(void)
{
    days_before_load = before_load;
    test_used("lost", false, 0, LOSE);
    test_used("copy", true, OLD / 2, DAMAGED);
    test_used("empty-copy", true, 0, DAMAGED);
    test_sent_again();
    test_missing();
    test_interrupted("interrupted", false, 0);
    test_interrupted("interrupted-copy", true, OLD / 2);
    test_interrupted("interrupted-empty", true, 0);
    test_no_memory();
    test_signals();
    test_text();
    tap_ok(days_end(), "cleaned up");
    return tap_done();
}
