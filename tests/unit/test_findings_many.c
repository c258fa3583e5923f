/* Evidence with as many different threads, locks and places as a file can contain: the time of the rules must grow in proportion to it,
 * not with its square.
 * tier: quick
 * timeout: 100 */
#include "../tap.h"

#include "analysis/analyze.h"
#include "base/time_units.h"
#include "events/halt_parts.h"
#include "profile/locks.h"
#include "profile_maker.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MANY = 200000 };

#define WORKER "java.util.concurrent.ThreadPoolExecutor.runWorker:1136;demo.Task.call:3"

static void add(struct profile *p, uint32_t stack, const char *of, uint32_t i)
{
    struct profile_sample s = {.weight = NS_PER_MS, .stack = stack, .state = JFR_STATE_MONITOR, .outcome = maker_string(p, "complete")};
    char name[32];
    snprintf(name, sizeof name, "%s%" PRIu32 "-", of, i);
    profile_thread(p, maker_string(p, name), i + 1, i + 1, &s.thread);
    locks_add_label(p, "class", maker_string(p, name), false, &s.labels);
    profile_add_sample(p, &s);
}

static void fill(struct profile *p, enum profile_kind kind, const char *frames)
{
    maker_init(p);
    p->kind = kind;
    uint32_t stack = maker_stack(p, frames);
    for (uint32_t i = 0; i < MANY; i++)
        add(p, stack, "w", i);
}

static uint32_t found(const struct evidence *e)
{
    struct findings f;
    if (findings_init(&f) || analyze(&f, e))
        tap_ok(false, "there is memory");
    uint32_t count = f.count;
    findings_deinit(&f);
    return count;
}

static void test_locks(void)
{
    struct profile lock;
    fill(&lock, PROFILE_LOCK, "demo.Log.log:12");
    tap_ok(!found(&(struct evidence){.lock = &lock, .duration_ns = 1000 * NS_PER_MS}), "classes of locks, each with a thread of its own");
    profile_deinit(&lock);
}

static void test_owners(void)
{
    struct profile lock, holder;
    fill(&lock, PROFILE_LOCK, "demo.Log.log:12");
    fill(&holder, PROFILE_HOLDER, "demo.Log.log:12;Native|java.lang.Thread.sleep");
    tap_ok(found(&(struct evidence){.lock = &lock, .holder = &holder, .duration_ns = NS_PER_MS}) == MANY, "and each with an owner");
    profile_deinit(&lock);
    profile_deinit(&holder);
}

static void test_pools(void)
{
    struct profile wall;
    fill(&wall, PROFILE_WALL, WORKER);
    tap_ok(!found(&(struct evidence){.wall = &wall, .duration_ns = 1000 * NS_PER_MS}), "pools of one thread");
    profile_deinit(&wall);
}

static void add_parked(struct profile *p, const char *thread, const char *frames, enum jfr_thread_state state)
{
    maker_sample_of(p, thread, frames, NS_PER_MS);
    p->samples[p->sample_count - 1].state = (uint8_t)state;
}

/* Each of many places waits for the results of a pool that has no time. */
static void test_places(void)
{
    struct profile wall;
    char frames[200];
    maker_init(&wall);
    wall.kind = PROFILE_WALL;
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(frames, sizeof frames,
                 "java.util.concurrent.ThreadPoolExecutor.runWorker:1;demo.Page.ask%" PRIu32
                 ":9;java.util.concurrent.FutureTask.awaitDone:1;Native|jdk.internal.misc.Unsafe.park",
                 i);
        add_parked(&wall, "http-1", frames, JFR_STATE_PARKED);
        add_parked(&wall, "pool-1-thread-1",
                   "java.util.concurrent.ThreadPoolExecutor.runWorker:1;java.util.concurrent.FutureTask.run:1;demo.Task.call:3;"
                   "Native|java.lang.Thread.sleep",
                   JFR_STATE_SLEEPING);
    }
    found(&(struct evidence){.wall = &wall, .duration_ns = MANY * (uint64_t)NS_PER_MS});
    tap_ok(true, "places that wait for a pool");
    profile_deinit(&wall);
}

/* Clients on the same machine: a peer is an address with its port. */
static void test_peers(void)
{
    struct halts h = {0};
    struct profile wall, cpu;
    strtab_init(&h.strings);
    fill(&wall, PROFILE_WALL, WORKER);
    fill(&cpu, PROFILE_RUNNING, WORKER);
    for (uint32_t i = 0; i < MANY; i++) {
        char peer[32];
        struct halt one = {.kind = HALT_SOCKET_WRITE, .ns = NS_PER_MS, .count = 1};
        snprintf(peer, sizeof peer, "/127.0.0.1:%" PRIu32, i);
        one.what = strtab_add_text(&h.strings, peer);
        halts_add(&h, &one);
    }
    found(&(struct evidence){
        .halts = &h, .wall = &wall, .cpu = &cpu, .processors = 4, .sources = 1u << SOURCE_WALL, .duration_ns = MANY * (uint64_t)NS_PER_MS});
    tap_ok(true, "peers on the same machine");
    halts_deinit(&h);
    profile_deinit(&wall);
    profile_deinit(&cpu);
}

static void test_late(void)
{
    struct halts h = {0};
    strtab_init(&h.strings);
    for (uint32_t i = 0; i < MANY; i++) {
        char site[32];
        struct halt one = {.kind = HALT_SAFEPOINT,
                           .ns = NS_PER_MS,
                           .count = 1,
                           .sync_ns = NS_PER_MS,
                           .sync_known = true,
                           .late_thread_ns = 90 * NS_PER_MS};
        snprintf(site, sizeof site, "demo.Sum.loop%" PRIu32 ":9", i < 3 ? 0 : i);
        one.late_site = strtab_add_text(&h.strings, site);
        one.late_thread = strtab_add_text(&h.strings, "looper");
        halts_add(&h, &one);
    }
    tap_ok(found(&(struct evidence){.halts = &h, .duration_ns = UINT64_MAX}) == 1, "places that are late once, and one that is thrice");
    halts_deinit(&h);
}

int main(void)
{
    test_locks();
    test_owners();
    test_pools();
    test_late();
    test_places();
    test_peers();
    return tap_done();
}
