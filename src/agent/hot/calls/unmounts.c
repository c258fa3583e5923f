#include "agent/hot/calls/unmounts.h"

#include "agent/hot/calls/virtual_purpose.h"
#include "agent/hot/calls/virtual_waits.h"
#include "agent/hot/context.h"
#include "agent/hot/java/virtual.h"
#include "agent/hot/layout.h"
#include "agent/hot/signal/handler.h"
#include "agent/hot/time.h"
#include "agent/hot/unwind/frame.h"
#include "agent/hot/walk/walk.h"

#include <errno.h>
#include <time.h>

struct unmount_config unmount_config;

struct virtual_waits unmount_waits;
struct lane_table unmount_lanes = {.lane_bytes = sizeof(struct unmount_lane)};

void unmount_lane_open(const struct sampled_thread *t, struct candor_pool *pool)
{
    struct unmount_lane *lane = lane_open(&unmount_lanes, t, pool);
    if (!lane)
        return;
    lane->random = (t->handler.random ^ time_now_ns(CLOCK_MONOTONIC) << 3) | 1;
    atomic_store(&lane->version, 0);
    atomic_store(&lane->left, 0);
    atomic_store(&lane->returned, 0);
    atomic_store(&lane->left_at, 0);
    atomic_store(&lane->returned_at, 0);
}

bool unmount_lane_sums(const struct unmount_lane *lane, struct unmount_sums *sums)
{
    uint32_t before = atomic_load_explicit(&lane->version, memory_order_acquire);
    *sums = (struct unmount_sums){.left = counter_get(&lane->left),
                                  .returned = counter_get(&lane->returned),
                                  .left_at = counter_get(&lane->left_at),
                                  .returned_at = counter_get(&lane->returned_at)};
    /* Acquire: the sums are read before the version is read again. */
    atomic_thread_fence(memory_order_acquire);
    return !(before & 1) && atomic_load_explicit(&lane->version, memory_order_relaxed) == before;
}

/* Adds a moment to two of the sums, which belong together: while the version is odd, the collector does not use them. */
static void add_moment(struct unmount_lane *lane, _Atomic uint64_t *number, _Atomic uint64_t *sum, uint64_t now)
{
    uint32_t version = atomic_load_explicit(&lane->version, memory_order_relaxed);
    atomic_store_explicit(&lane->version, version + 1, memory_order_relaxed);
    /* Release: the sums change after the version has become odd. */
    atomic_thread_fence(memory_order_release);
    counter_add(number, 1);
    counter_add(sum, now);
    /* Release: pairs with the acquire in unmount_lane_sums. */
    atomic_store_explicit(&lane->version, version + 2, memory_order_release);
}

/* A visit of a carrier to its lane. */
struct visit {
    struct sampled_thread *thread;
    struct unmount_lane *lane;
    uintptr_t java_thread;
    uint64_t id, now;
    enum unmount_way way;
    uint32_t beginning;
    bool is_done;
};

static bool is_on(void)
{
    /* Acquire: pairs with the release of the collector, so that the tables are seen. */
    return atomic_load_explicit(&unmount_config.on, memory_order_acquire) && !turn_has_faulted();
}

static void refuse(void)
{
    atomic_fetch_add_explicit(&unmount_config.refused, 1, memory_order_relaxed);
}

/* Enters the carrier's lane as hot/calls/lock.c does. Returns false if nothing was done. */
static bool enter(struct visit *v, void (*work)(void *))
{
    v->thread = thread_of_java_caller();
    v->lane = v->thread ? lane_of(&unmount_lanes, v->thread) : NULL;
    uint32_t generation = v->thread ? atomic_load_explicit(&v->thread->generation, memory_order_relaxed) : 0;
    if (!v->lane || !(generation & 1) || atomic_load_explicit(&v->lane->lane.inside, memory_order_relaxed))
        return false;
    if (lane_enter(&v->lane->lane, v->thread, generation))
        turn_take(&v->lane->lane.turn, work, v);
    lane_leave(&v->lane->lane);
    return v->is_done;
}

/* ---- a thread leaves ---- */

static enum jfr_thread_state state_of(enum unmount_way way, enum virtual_purpose purpose)
{
    if (way == UNMOUNT_YIELDS)
        return JFR_STATE_READY;
    switch (purpose) {
    case VIRTUAL_PURPOSE_SLEEP:
        return JFR_STATE_SLEEPING;
    case VIRTUAL_PURPOSE_IO:
        return JFR_STATE_IO;
    case VIRTUAL_PURPOSE_WAIT:
        return JFR_STATE_WAITING;
    default:
        return way == UNMOUNT_PARKS ? JFR_STATE_PARKED : JFR_STATE_MONITOR;
    }
}

/* Counts a draw. Each record has the probability with which its thread was drawn, so the probability may change at any time. */
static void note_draw(uint64_t probability)
{
    /* Relaxed, because no other memory depends on these two numbers. */
    if ((atomic_fetch_add_explicit(&unmount_config.drawn, 1, memory_order_relaxed) + 1) % UNMOUNT_DRAWS || probability < 2)
        return;
    /* If the collector has set another one meanwhile, that is the present one. */
    atomic_compare_exchange_strong_explicit(&unmount_config.probability, &probability, probability / 2, memory_order_relaxed,
                                            memory_order_relaxed);
}

static bool is_drawn(struct unmount_lane *lane, uint64_t probability)
{
    return probability >= UNMOUNT_CERTAIN || (handler_random(&lane->random) >> 32) < probability;
}

static void record(const struct visit *v, uint64_t probability, enum jfr_thread_state state)
{
    struct candor_queue *q = &v->lane->lane.queue;
    uint64_t words[RECORD_VIRTUAL_MAX], frame;
    struct walk w;
    walk_begin_at_call(&w, v->java_thread);
    w.virtuals.carrier_frames = false; /* the carrier's frames are not the thread's, once it has left */
    candor_queue_begin(q);
    candor_queue_put(q, v->id);
    candor_queue_put(q, v->now);
    candor_queue_put(q, probability);
    candor_queue_put(q, state);
    while (walk_next(&w, &frame))
        candor_queue_put(q, frame);
    size_t count = virtual_describe(w.java_thread, w.state, w.virtuals.entry, v->thread->java_id, words);
    if (words[0] != v->id) {
        words[0] = v->id;
        count = 1;
    }
    for (size_t i = 0; i < count; i++)
        candor_queue_put(q, words[i]);
    size_t of_context = context_put(q, frame_thread_pointer());
    candor_queue_put(q, record_last(w.outcome, of_context, count));
    if (!candor_queue_commit(q))
        atomic_fetch_add_explicit(&unmount_config.lost, 1, memory_order_relaxed);
}

static void leave(void *visit)
{
    struct visit *v = visit;
    uint64_t probability = atomic_load_explicit(&unmount_config.probability, memory_order_relaxed);
    struct virtual_wait wait = {.since = v->now, .beginning = v->beginning};
    enum virtual_purpose purpose = VIRTUAL_PURPOSE_NEW;
    v->is_done = true;
    if (v->way == UNMOUNT_OTHERWISE) {
        purpose = virtual_purpose(v->java_thread);
        if (purpose == VIRTUAL_PURPOSE_END)
            return;
    }
    if (!virtual_waits_add(&unmount_waits, v->id, &wait)) {
        refuse();
        return;
    }
    add_moment(v->lane, &v->lane->left, &v->lane->left_at, v->now);
    if (!is_drawn(v->lane, probability))
        return;
    note_draw(probability);
    if (v->way == UNMOUNT_PARKS)
        purpose = virtual_purpose(v->java_thread);
    record(v, probability, state_of(v->way, purpose));
}

void unmount_left(uintptr_t java_thread, int64_t thread_id, enum unmount_way way)
{
    int saved = errno;
    if (is_on()) {
        struct visit v = {.java_thread = java_thread,
                          .id = (uint64_t)thread_id,
                          .now = time_now_ns(CLOCK_MONOTONIC),
                          .way = way,
                          .beginning = atomic_load_explicit(&unmount_config.beginning, memory_order_relaxed)};
        if (!enter(&v, leave))
            refuse();
    }
    errno = saved;
}

/* ---- a thread returns ---- */

/* A thread that could not leave counts as one that has returned at the same moment. */
static void come_back(void *visit)
{
    struct visit *v = visit;
    add_moment(v->lane, &v->lane->returned, &v->lane->returned_at, v->now);
    v->is_done = true;
}

/* The thread was counted when it left, so its return must be counted, too. Otherwise it would be away for ever. */
static void come_back_without_lane(uint64_t now)
{
    atomic_fetch_add_explicit(&unmount_config.returned, 1, memory_order_relaxed);
    /* Release: pairs with the acquire of the collector, which then sees the number. */
    atomic_fetch_add_explicit(&unmount_config.returned_at, now, memory_order_release);
}

void unmount_returned(int64_t thread_id, bool stayed)
{
    int saved = errno;
    struct virtual_wait wait;
    if (is_on() && virtual_waits_take(&unmount_waits, (uint64_t)thread_id, &wait) &&
        wait.beginning == atomic_load_explicit(&unmount_config.beginning, memory_order_relaxed)) {
        struct visit v = {.now = stayed ? wait.since : time_now_ns(CLOCK_MONOTONIC)};
        if (!enter(&v, come_back))
            come_back_without_lane(v.now);
    }
    errno = saved;
}

bool unmount_goes_on(uint64_t thread_id, uint64_t since)
{
    struct virtual_wait wait;
    return virtual_waits_peek(&unmount_waits, thread_id, &wait) && wait.since == since;
}
