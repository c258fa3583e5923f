#include "agent/hot/calls/alloc.h"

#include "agent/hot/java/virtual.h"
#include "agent/hot/layout.h"
#include "agent/hot/load.h"
#include "agent/hot/signal/handler.h"
#include "agent/hot/time.h"
#include "agent/hot/unwind/frame.h"
#include "agent/hot/walk/walk.h"

#include <errno.h>
#include <stddef.h>

enum { CHANCE_IS_ONE = 40, SERIES_BELOW = 32 };

struct alloc_config alloc_config;

struct lane_table alloc_lanes = {.lane_bytes = sizeof(struct alloc_lane)};

/* ---- weights ---- */

/* Returns 1 - e^-x. The agent links no mathematical library. e^-y - 1 is computed as a series for a small fraction y of x, and e^-2y - 1 =
 * u (u + 2) doubles y. */
static double hit_chance(double x)
{
    int doublings = 0;
    if (x > CHANCE_IS_ONE)
        return 1;
    for (; x > 1.0 / SERIES_BELOW; doublings++)
        x /= 2;
    double u = -x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5 * (1 - x / 6 * (1 - x / 7))))));
    while (doublings--)
        u *= u + 2;
    return -u;
}

/* Returns the ratio by which the JVM samples too few objects. After a sampled object, a JVM before 17 shortens the next gap by the part of
 * the object after the point that was hit, so that the gap counts from that point. If the gap is shorter than that part, which has
 * probability q, the JVM does not shorten it correctly, and the next object is certainly hit. So a share of p/(1 - q(1 - p)) of objects of
 * one size is sampled instead of p. For an object in the thread's buffer, the whole object counts as the part after the point. */
static double share_of_rightful(uint64_t size, double x, double p)
{
    double q = size <= ALLOC_BUFFERED_MAX ? p : (p - x * (1 - p)) / p;
    return alloc_config.shortens_gaps ? 1 - q * (1 - p) : 1;
}

uint64_t alloc_weight(uint64_t size, uint64_t interval)
{
    if (!size || !interval)
        return size;
    double x = (double)size / (double)interval, p = hit_chance(x);
    return (uint64_t)((double)size / p * share_of_rightful(size, x, p) + 0.5);
}

void alloc_lose(enum allocation_loss why, uint64_t weight)
{
    /* Relaxed, because no other memory depends on these two numbers. */
    atomic_fetch_add_explicit(&alloc_config.lost_bytes[why], weight, memory_order_relaxed);
    atomic_fetch_add_explicit(&alloc_config.lost[why], 1, memory_order_relaxed);
}

static void count_drawn(uint64_t weight)
{
    /* Relaxed, because no other memory depends on these two numbers. */
    atomic_fetch_add_explicit(&alloc_config.drawn_bytes, weight, memory_order_relaxed);
    atomic_fetch_add_explicit(&alloc_config.drawn, 1, memory_order_relaxed);
}

/* ---- the callback ---- */

void alloc_lane_open(const struct sampled_thread *t, struct candor_pool *pool)
{
    struct alloc_lane *lane = lane_open(&alloc_lanes, t, pool);
    if (!lane)
        return;
    /* A thread that begins while the JVM samples draws with the present interval. Both loads are relaxed, because no other memory depends
     * on them. */
    lane->interval = atomic_load_explicit(&alloc_config.on, memory_order_relaxed)
                         ? atomic_load_explicit(&alloc_config.interval, memory_order_relaxed)
                         : 0;
    lane->counted = 0;
    lane->beginning = alloc_config.beginning;
}

struct taking {
    const struct alloc_event *event;
    struct sampled_thread *thread;
    struct alloc_lane *lane;
    uint64_t interval, weight;
    bool is_done, is_recorded;
};

/* Returns the bytes that the thread has allocated since its start: the JVM's sum, and the used part of its present buffer. 0 = this JVM
 * does not report it. */
static uint64_t count_bytes(uintptr_t java_thread)
{
    const struct vm_allocations *a = &vm_layout.allocations;
    uint64_t counted, start, top;
    uintptr_t buffer = java_thread + a->buffer.offset;
    if (!a->counted.width || !load_field(java_thread, a->counted, &counted) || !load_field(buffer, a->buffer_start, &start) ||
        !load_field(buffer, a->buffer_top, &top))
        return 0;
    return counted + (start && top > start ? top - start : 0);
}

static uint64_t count_since_last(struct alloc_lane *lane, uintptr_t java_thread)
{
    uint64_t now = count_bytes(java_thread), before = lane->counted;
    lane->counted = now;
    return before && now > before ? now - before : 0;
}

/* Adds the words about a virtual thread. The JVM has provided the thread's id. If it is not the id of the carrier, the thread is
 * virtual. */
static uint64_t put_virtual(struct candor_queue *q, const struct taking *x, const struct walk *w)
{
    uint64_t words[RECORD_VIRTUAL_MAX];
    int64_t carrier = x->thread->java_id, id = x->event->thread_id;
    if (!vm_layout.virtuals.usable || !carrier || !id || id == carrier)
        return 0;
    size_t count = virtual_describe(w->java_thread, w->state, w->virtuals.entry, carrier, words);
    if (words[0] != (uint64_t)id)
        count = 1;
    words[0] = (uint64_t)id;
    for (size_t i = 0; i < count; i++)
        candor_queue_put(q, words[i]);
    return count;
}

static void record(struct taking *x)
{
    struct walk w;
    struct candor_queue *q = &x->lane->lane.queue;
    uint64_t frame;
    walk_begin_at_call(&w, x->event->java_thread);
    w.virtuals.carrier_frames = handler_config.carrier_frames;
    candor_queue_begin(q);
    candor_queue_put(q, time_now_ns(CLOCK_MONOTONIC));
    candor_queue_put(q, x->event->size);
    candor_queue_put(q, x->interval);
    candor_queue_put(q, count_since_last(x->lane, x->event->java_thread));
    candor_queue_put(q, x->event->reference);
    candor_queue_put(q, x->event->collections);
    while (walk_next(&w, &frame))
        candor_queue_put(q, frame);
    uint64_t class_words = lane_put_class(&x->lane->lane, x->event->signature);
    uint64_t virtual_words = put_virtual(q, x, &w);
    size_t context_words = context_put(q, frame_thread_pointer());
    candor_queue_put(q, record_last(w.outcome, context_words, virtual_words) | class_words << 48);
    x->is_recorded = candor_queue_commit(q);
    if (!x->is_recorded)
        alloc_lose(ALLOCATION_LOSS_QUEUE_FULL, x->weight);
}

static bool takes_token(void)
{
    /* Relaxed, because no other memory depends on this number. */
    return !alloc_config.is_bounded || atomic_fetch_sub_explicit(&alloc_config.tokens, 1, memory_order_relaxed) > 0;
}

static void take(void *argument)
{
    struct taking *x = argument;
    if (x->lane->beginning != alloc_config.beginning) {
        x->lane->beginning = alloc_config.beginning;
        x->lane->interval = x->lane->counted = 0;
    }
    /* The JVM has already drawn the place of this thread's next sample. */
    x->interval = x->lane->interval ? x->lane->interval : alloc_config.first_interval;
    x->lane->interval = atomic_load_explicit(&alloc_config.interval, memory_order_relaxed);
    x->weight = alloc_weight(x->event->size, x->interval);
    count_drawn(x->weight);
    if (takes_token())
        record(x);
    else
        alloc_lose(ALLOCATION_LOSS_THROTTLED, x->weight);
    x->is_done = true;
}

/* Enters the slot and leaves it like a handler (hot/signal/handler.c), because a handler may interrupt this code. */
static bool enter(struct sampled_thread *t, struct alloc_lane *lane, const struct alloc_event *event, bool *is_recorded)
{
    uint32_t generation = atomic_load_explicit(&t->generation, memory_order_relaxed);
    if (!(generation & 1))
        return false;
    bool valid = lane_enter(&lane->lane, t, generation);
    if (valid) {
        struct taking x = {.event = event, .thread = t, .lane = lane};
        if (!turn_take(&lane->lane.turn, take, &x) || !x.is_done)
            alloc_lose(ALLOCATION_LOSS_INTERNAL_FAULT, x.weight);
        *is_recorded = x.is_recorded;
    }
    lane_leave(&lane->lane);
    return valid;
}

bool alloc_wants_reference(void)
{
    /* All loads are relaxed: if one is outdated, a reference is made needlessly, or a sample has none. */
    return atomic_load_explicit(&alloc_config.on, memory_order_relaxed) &&
           atomic_load_explicit(&alloc_config.with_references, memory_order_relaxed) && !turn_has_faulted() &&
           (!alloc_config.is_bounded || atomic_load_explicit(&alloc_config.tokens, memory_order_relaxed) > 0);
}

bool alloc_take(const struct alloc_event *event)
{
    int saved = errno;
    bool is_recorded = false;
    /* Acquire: pairs with the release of the thread that begins the recording, so that the table is seen. */
    if (!atomic_load_explicit(&alloc_config.on, memory_order_acquire) || turn_has_faulted())
        return false;
    struct sampled_thread *t = thread_of_java_caller();
    struct alloc_lane *lane = t ? lane_of(&alloc_lanes, t) : NULL;
    if (!lane || !enter(t, lane, event, &is_recorded)) {
        uint64_t weight = alloc_weight(event->size, atomic_load_explicit(&alloc_config.interval, memory_order_relaxed));
        count_drawn(weight);
        alloc_lose(ALLOCATION_LOSS_NO_THREAD, weight);
    }
    errno = saved;
    return is_recorded;
}
