/* The parts of a recording's events: the order in which they start and end, and what is left of the started ones if one refuses.
 * tier: quick
 * timeout: 30
 * sanitize: no
 *
 * The test plays the JVM: it notes a small letter when it is asked for an event, and a capital letter when the event is given back. */
#include "../tap.h"
#include "session.h"

#include "agent/collect/sampling/parts.h"
#include "agent/hot/calls/alloc.h"
#include "agent/hot/calls/lock.h"
#include "agent/trigger/jvm/alloc_events.h"
#include "agent/trigger/jvm/gc_pauses.h"
#include "agent/trigger/jvm/live_objects.h"
#include "agent/trigger/jvm/lock_events.h"
#include "agent/trigger/threads.h"
#include "base/time_units.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ALL = COLLECT_ALLOC | COLLECT_LIVE | COLLECT_HALT | COLLECT_LOCK };

static char file[64], notes[32];
static char refused; /* the event that this JVM refuses */
static bool had_references, ended_armed, gave_back_armed;

static int note(char event, struct error *e)
{
    size_t n = strlen(notes);
    if (n + 1 < sizeof notes)
        notes[n] = event;
    return event == refused ? error_set(e, -ENOTSUP, "this JVM refuses") : 0;
}

static int open_live(struct error *e)
{
    return note('l', e);
}

static void close_live(void)
{
    note('L', NULL);
    gave_back_armed = threads_running() || alloc_config.on;
}

static bool look(const uintptr_t *references, bool *is_alive, uint32_t count)
{
    return true;
}

static bool forget(const uintptr_t *references, uint32_t count)
{
    return true;
}

static int open_alloc(uint64_t interval, struct error *e)
{
    had_references = alloc_config.with_references;
    return note('a', e);
}

static bool set_interval(uint64_t interval)
{
    return true;
}

static int open_halt(struct error *e)
{
    return note('h', e);
}

static int open_lock(struct error *e)
{
    return note('k', e);
}

static void close_lock(void)
{
    note('K', NULL);
    ended_armed = threads_running();
}

static bool start(unsigned events)
{
    struct collect_options o = {.events = events, .interval_ns = 10 * NS_PER_MS};
    snprintf(o.file, sizeof o.file, "%s", file);
    memset(notes, 0, sizeof notes);
    had_references = ended_armed = gave_back_armed = false;
    return session_start_with(&o);
}

static bool is_silent(void)
{
    return !alloc_config.on && !alloc_config.with_references && !lock_config.on && !threads_running();
}

static void test_order(void)
{
    tap_ok(start(ALL) && !strcmp(notes, "lahk"), "live, alloc, halt and lock start in this order (%s)", notes);
    tap_ok(had_references && alloc_config.on && lock_config.on, "the first allocation has a reference");
    collect_tick();
    tap_ok(session_stop() && !strcmp(notes, "lahkKL"), "lock ends first, and live gives back last (%s)", notes);
    tap_ok(ended_armed && !gave_back_armed, "the one while the threads are armed, the other when all is silent");
    tap_ok(is_silent(), "then nothing is sampled any more");
}

static void test_some(void)
{
    tap_ok(start(COLLECT_LOCK) && !strcmp(notes, "k") && !alloc_config.on && session_stop() && !strcmp(notes, "kK"),
           "an event that is not recorded is never asked for (%s)", notes);
}

static void test_refused(void)
{
    static const struct {
        char event;
        const char *notes;
    } cases[] = {{'l', "l"}, {'a', "laL"}, {'h', "lahL"}, {'k', "lahkL"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        refused = cases[i].event;
        tap_ok(!start(ALL) && strstr(session_error.text, "refuses") && !strcmp(notes, cases[i].notes),
               "where %c is refused, none starts after it, and live gives back what it has (%s)", refused, notes);
        tap_ok(is_silent() && !collect_running(), "and nothing continues");
        refused = 0;
    }
    tap_ok(start(ALL) && session_stop() && !strcmp(notes, "lahkKL"), "all of them can be recorded later (%s)", notes);
}

/* ---- recordings that start beside a running one ---- */

static char beside[64];

static void close_alloc(void)
{
    note('A', NULL);
}

static void close_halt(void)
{
    note('H', NULL);
}

static int join(unsigned events)
{
    struct collect_options o = {.events = events, .interval_ns = 10 * NS_PER_MS};
    snprintf(o.file, sizeof o.file, "%s", beside);
    memset(notes, 0, sizeof notes);
    return collect_start(&o, false, NULL, &session_error);
}

static bool leave(void)
{
    uint64_t bytes, samples;
    memset(notes, 0, sizeof notes);
    return !collect_stop(collect_newest(), &bytes, &samples, &session_error);
}

static bool has_open_lane(void)
{
    const struct alloc_lane *lane = NULL;
    for (uint32_t i = 0; i < threads_limit(); i++)
        if (atomic_load(&sampled_threads[i].slot) == SLOT_LIVE)
            lane = lane_of(&alloc_lanes, &sampled_threads[i]);
    return lane && lane->lane.queue.pool;
}

static void *wait(void *unused)
{
    pause();
    return NULL;
}

static void test_late(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    start(COLLECT_HALT);
    for (int i = 0; i < 2; i++) {
        tap_ok(!join(COLLECT_ALLOC | COLLECT_HALT | COLLECT_LOCK) && !strcmp(notes, "ak") && alloc_config.on && lock_config.on,
               "%s: what nobody had so far starts for a recording that joins (%s)", i ? "again" : "once", notes);
        tap_ok(has_open_lane(), "and threads that are armed have the lanes for it");
        collect_tick();
        tap_ok(leave() && !strcmp(notes, "KA") && !alloc_config.on && !lock_config.on && threads_running(),
               "it ends with that recording, and the other goes on (%s)", notes);
    }
    refused = 'k';
    unlink(beside);
    tap_ok(join(COLLECT_ALLOC | COLLECT_LOCK) && !strcmp(notes, "akA") && !alloc_config.on && !lock_config.on && access(beside, F_OK),
           "where one is refused, none stays, nor a file (%s)", notes);
    refused = 0;
    collect_tick();
    tap_ok(!join(COLLECT_LOCK) && session_stop(), "the first can end before");
    memset(notes, 0, sizeof notes);
    tap_ok(session_stop() && is_silent() && !strcmp(notes, "K"), "and all is silent after the last (%s)", notes);
    unlink(beside);
}

int main(void)
{
    snprintf(file, sizeof file, "/tmp/candor-parts-%d.jfr", (int)getpid());
    snprintf(beside, sizeof beside, "/tmp/candor-parts-%d-beside.jfr", (int)getpid());
    alloc_events = (struct alloc_events){open_alloc, set_interval, close_alloc};
    live_objects = (struct live_objects){open_live, close_live, look, forget};
    gc_events = (struct gc_events){open_halt, close_halt};
    lock_events = (struct lock_events){open_lock, close_lock};
    parts_silence(); /* as after a fault in the agent before the first recording */
    tap_ok(is_silent(), "before the first recording all is silent");
    test_order();
    test_some();
    test_refused();
    test_late();
    unlink(file);
    return tap_done();
}
