/* The event wall and virtual threads without a carrier, without a JVM: their time is counted exactly, for each recording only its own, and
 * also if they return to a carrier that has no slot; a burst of threads that leave is not drawn whole.
 * tier: quick
 * timeout: 120
 * sanitize: no
 *
 * The test plays the JVM: its threads are carriers, which call the functions that the JVM's reports of mounts call. There are no tables
 * with which a stack could be walked. */
#include "../tap.h"
#include "session.h"

#include "agent/hot/calls/unmounts.h"
#include "agent/hot/layout.h"
#include "agent/trigger/jvm/lock_events.h"
#include "agent/trigger/jvm/mount_events.h"
#include "agent/trigger/threads.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "profile/load/load_jfr.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { CARRIER = 4096, AWAY = 20, AWAY_US = 50000, BURST = 200000, DRAWN_MOST = 10 * UNMOUNT_DRAWS };

static char file[64], beside[64];

static bool open_mounts(void)
{
    return true;
}

static int open_locks(struct error *e)
{
    return 0;
}

static void close_events(void)
{
}

/* ---- recordings ---- */

static uint32_t start(unsigned event, const char *path)
{
    struct collect_options o = {.events = event, .interval_ns = 10 * NS_PER_MS, .wall = {.interval_ns = 10 * NS_PER_MS, .rate = 1000}};
    snprintf(o.file, sizeof o.file, "%s", path);
    return session_start_with(&o) ? collect_newest() : 0;
}

static bool stop(uint32_t id)
{
    uint64_t bytes, samples;
    struct error e = {""};
    int rc = collect_stop(id, &bytes, &samples, &e);
    return tap_ok(!rc, "it ends %s", e.text);
}

/* What the books of the recording say about virtual threads without a carrier. */
static int64_t book(const char *account, const char *reason, uint64_t *count)
{
    struct profile p;
    struct error e;
    profile_init(&p);
    tap_ok(!profile_load_jfr(&p, file, &e), "the recording can be read");
    const struct profile_book *line = profile_book(&p, account, reason);
    int64_t ns = line ? line->ns : 0;
    *count = line ? line->count : 0;
    profile_deinit(&p);
    return ns;
}

/* ---- carriers ---- */

static void on_carrier(void *(*work)(void *))
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    collect_tick();
}

static void *let_leave(void *unused)
{
    threads_java_begin(CARRIER, 7, "carrier");
    for (int64_t id = 1; id <= AWAY; id++)
        unmount_left(CARRIER, 100 + id, UNMOUNT_PARKS);
    threads_java_end();
    return unused;
}

static void return_all(void)
{
    for (int64_t id = 1; id <= AWAY; id++)
        unmount_returned(100 + id, false);
}

static void *let_return(void *unused)
{
    threads_java_begin(CARRIER, 8, "other carrier");
    return_all();
    threads_java_end();
    return unused;
}

static _Atomic bool has_left, may_end;

/* The carrier goes on, so its lane does, too. */
static void *let_leave_and_stay(void *unused)
{
    threads_java_begin(CARRIER, 7, "carrier");
    for (int64_t id = 1; id <= AWAY; id++)
        unmount_left(CARRIER, 100 + id, UNMOUNT_PARKS);
    has_left = true;
    while (!may_end)
        usleep(1000);
    threads_java_end();
    return unused;
}

static void pass(int us)
{
    for (int i = 0; i < us; i += 5000) {
        usleep(5000);
        collect_tick();
    }
}

/* ---- tests ---- */

static int64_t record_away(bool has_slot, uint64_t *now)
{
    uint64_t before = clock_monotonic_ns();
    uint32_t id = start(COLLECT_WALL, file);
    if (!tap_ok(id, "a recording begins"))
        return 0;
    on_carrier(let_leave);
    pass(AWAY_US);
    if (has_slot)
        on_carrier(let_return);
    else
        return_all(); /* the collector's thread has no slot */
    int64_t bound = (int64_t)(clock_monotonic_ns() - before) * AWAY;
    pass(4 * AWAY_US);
    stop(id);
    int64_t ns = book("wall_unmounted", "", now);
    tap_ok(ns >= (int64_t)AWAY * AWAY_US * 1000 && ns <= bound, "%d threads were away for %.0f ms each", AWAY, (double)ns / AWAY / 1e6);
    return ns;
}

static void test_sums(bool has_slot)
{
    uint64_t now, refused;
    record_away(has_slot, &now);
    book("wall_unmounts", "not_counted", &refused);
    tap_ok(!now && !refused, "and none is away at the end, with %s", has_slot ? "a slot" : "no slot");
}

/* A recording that follows another one, while a third goes on, has its own threads only. */
static void test_again(void)
{
    uint64_t now, left;
    pthread_t carrier;
    uint32_t other = start(COLLECT_LOCK, beside), id = start(COLLECT_WALL, file);
    if (!tap_ok(other && id, "two recordings begin"))
        return;
    pthread_create(&carrier, NULL, let_leave_and_stay, NULL);
    while (!has_left)
        usleep(1000);
    pass(AWAY_US);
    stop(id);
    id = start(COLLECT_WALL, file);
    pass(AWAY_US);
    stop(id);
    int64_t ns = book("wall_unmounted", "", &now);
    book("wall_unmounts", "left", &left);
    tap_ok(!ns && !now && !left, "the next one counts no thread of the former: %.0f ms, %d of them away", (double)ns / 1e6, (int)now);
    record_away(true, &now);
    tap_ok(!now, "but its own");
    may_end = true;
    pthread_join(carrier, NULL);
    stop(other);
}

static void *let_many_leave(void *unused)
{
    threads_java_begin(CARRIER, 9, "carrier");
    for (int64_t id = 1; id <= BURST; id++) {
        unmount_left(CARRIER, 1000 + id, UNMOUNT_PARKS);
        unmount_returned(1000 + id, false);
    }
    threads_java_end();
    return unused;
}

/* All of them leave between two rounds: the collector, which is this thread, cannot say meanwhile that fewer are to be drawn. */
static void test_burst(void)
{
    uint64_t left, watched, lost;
    uint32_t id = start(COLLECT_WALL, file);
    if (!tap_ok(id, "a recording begins"))
        return;
    pass(AWAY_US);
    on_carrier(let_many_leave);
    pass(AWAY_US);
    stop(id);
    book("wall_unmounts", "left", &left);
    book("wall_unmounts", "watched", &watched);
    book("wall_unmounts", "no_room", &lost);
    tap_ok(left == BURST && watched + lost <= DRAWN_MOST && watched, "of %d threads that leave at once, %d are drawn", BURST,
           (int)(watched + lost));
}

int main(void)
{
    snprintf(file, sizeof file, "/tmp/candor-test-unmounts-%d.jfr", getpid());
    snprintf(beside, sizeof beside, "/tmp/candor-test-unmounts-%d-beside.jfr", getpid());
    vm_layout.usable = true;
    mount_events = (struct mount_events){open_mounts, close_events};
    lock_events = (struct lock_events){.open = open_locks, .close = close_events};
    test_sums(true);
    test_again();
    test_sums(false);
    test_burst();
    unlink(file);
    unlink(beside);
    return tap_done();
}
