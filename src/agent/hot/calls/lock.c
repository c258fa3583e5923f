#include "agent/hot/calls/lock.h"

#include "agent/hot/calls/park.h"
#include "agent/hot/calls/virtual_purpose.h"
#include "agent/hot/calls/virtual_waits.h"
#include "agent/hot/java/virtual.h"
#include "agent/hot/layout.h"
#include "agent/hot/load.h"
#include "agent/hot/signal/handler.h"
#include "agent/hot/time.h"
#include "agent/hot/unwind/frame.h"
#include "agent/hot/walk/walk.h"

#include <errno.h>
#include <time.h>

enum { CACHE_LINE = 64 };

struct lock_config lock_config;

struct virtual_waits lock_virtual_waits;
struct lane_table lock_lanes = {.lane_bytes = sizeof(struct lock_lane)};

void lock_lose(enum lock_loss why, uint64_t weight)
{
    /* Relaxed, because no other memory depends on these two numbers. */
    atomic_fetch_add_explicit(&lock_config.lost_ns[why], weight, memory_order_relaxed);
    atomic_fetch_add_explicit(&lock_config.lost[why], 1, memory_order_relaxed);
}

/* ---- a thread in its lane ---- */

void lock_lane_open(const struct sampled_thread *t, struct candor_pool *pool)
{
    struct lock_lane *lane = lane_open(&lock_lanes, t, pool);
    if (!lane)
        return;
    lane->opened = time_now_ns(CLOCK_MONOTONIC);
    atomic_store(&lane->beginning, atomic_load(&lock_config.beginning));
    for (int i = 0; i < LOCK_GROUPS; i++)
        lane->draws[i] = (struct lock_draw){.random = (t->handler.random ^ lane->opened << 2 ^ (uint64_t)i << 1) | 1};
    atomic_store(&lane->since, 0);
    atomic_store(&lane->waits, 0);
    for (int i = 0; i < LOCK_KINDS; i++) {
        atomic_store(&lane->waited_ns[i], 0);
        atomic_store(&lane->waited[i], 0);
    }
}

/* A visit of a thread to its lane. The turn passes this struct to the work. */
struct visit {
    struct sampled_thread *thread;
    struct lock_lane *lane;
    enum lock_kind kind;
    uintptr_t java_thread;
    uint64_t virtual_key;                    /* key_of the wait of a virtual thread that begins to wait without a carrier */
    const struct virtual_wait *virtual_wait; /* the wait of a virtual thread that has returned to a carrier */
    uint64_t now, deadline;
    const struct lock_wait *wait; /* the wait to be recorded */
    const char *class_name;
    int64_t thread_id;
    struct lock_wait *ended; /* receives an ended wait that must be recorded */
    uint32_t generation;     /* the slot's generation */
    bool has_begun, is_wanted, is_done;
};

static bool is_on(void)
{
    /* Acquire: pairs with the release of the thread that begins the recording, so that the table is seen. */
    return atomic_load_explicit(&lock_config.on, memory_order_acquire) && !turn_has_faulted();
}

/* Counts the wait of a visit as lost, if the visit was to record a wait. */
static void lose_visit(const struct visit *v)
{
    if (v->wait)
        lock_lose(LOCK_LOSS_NO_THREAD, v->wait->weight);
}

/* Enters the lane and leaves it like a handler (hot/signal/handler.c), because a handler may interrupt this code. While the JVM answers one
 * of our callbacks, it may make this thread wait for a condition, so that the hook is called inside the lane: such a wait is ignored.
 * generation: the expected generation of the slot; 0 = any. Returns false if nothing was done. */
static bool enter(struct visit *v, uint32_t generation, void (*work)(void *))
{
    struct sampled_thread *t = v->thread;
    uint32_t now = v->generation = atomic_load_explicit(&t->generation, memory_order_relaxed);
    if (!(now & 1) || (generation && now != generation) || atomic_load_explicit(&v->lane->lane.inside, memory_order_relaxed)) {
        lose_visit(v);
        return false;
    }
    bool valid = lane_enter(&v->lane->lane, t, now);
    if (!valid)
        lose_visit(v);
    else if (!turn_take(&v->lane->lane.turn, work, v) || !v->is_done)
        lock_lose(LOCK_LOSS_INTERNAL_FAULT, v->wait ? v->wait->weight : 0);
    lane_leave(&v->lane->lane);
    return valid && v->is_done;
}

/* Prefetches the lane. When a thread goes to sleep or wakes, its memory is usually not in the cache. The cache lines are requested
 * together, before the time is read. The owner's context, which comes last, is seldom needed. */
static void fetch(const struct lock_lane *lane)
{
    const char *end = (const char *)lane->owner.words;
    for (const char *at = (const char *)&lane->lane.turn; at < end; at += CACHE_LINE)
        __builtin_prefetch(at, 1);
}

/* Forgets what an earlier recording left in the lane of the calling thread. A wait that began in that recording does not belong to this
 * one. */
static void renew(struct lock_lane *lane)
{
    /* Relaxed, except the last one: the lane belongs to this thread, and the collector reads it with the check of open_waits.c. */
    uint32_t beginning = atomic_load_explicit(&lock_config.beginning, memory_order_relaxed);
    if (atomic_load_explicit(&lane->beginning, memory_order_relaxed) == beginning)
        return;
    atomic_store_explicit(&lane->since, 0, memory_order_relaxed);
    atomic_store_explicit(&lane->waits, 0, memory_order_relaxed);
    lane->opened = atomic_load_explicit(&lock_config.began_ns, memory_order_relaxed);
    atomic_store_explicit(&lane->beginning, beginning, memory_order_release);
}

static bool find_lane(struct visit *v)
{
    v->thread = thread_of_java_caller();
    v->lane = v->thread ? lane_of(&lock_lanes, v->thread) : NULL;
    if (!v->lane)
        return false;
    fetch(v->lane);
    renew(v->lane);
    return true;
}

/* ---- a wait begins ---- */

/* Whether the thread already waits. Inside a wait for a monitor, the JVM also waits for a condition of the C library. */
static bool waits_already(const struct lock_lane *lane)
{
    return atomic_load_explicit(&lane->since, memory_order_relaxed);
}

static bool is_alive(const struct sampled_thread *t, const struct lock_owner *owner)
{
    return t->uid == owner->uid && atomic_load(&t->slot) == SLOT_LIVE;
}

/* A new thread may get the stack of an owner that has ended, and with it the place of another library's variable. So the owner must be
 * alive after the copy, too. */
void lock_owner_context(const struct lock_owner *owner, struct context_words *out)
{
    const struct sampled_thread *t = owner->uid ? &sampled_threads[owner->slot] : NULL;
    out->count = 0;
    if (!t || !is_alive(t, owner))
        return;
    if (!context_copy_running(context_of_thread(t->tid, thread_pointer_of(t)), out))
        context_lose(CONTEXT_LOSS_IN_CHANGE);
    if (!is_alive(t, owner))
        out->count = 0;
}

static void begin(void *visit)
{
    struct visit *v = visit;
    struct lock_lane *lane = v->lane;
    v->is_done = true;
    if (v->kind == LOCK_PARK && !park_was_called(v->java_thread))
        return;
    lane->wait.kind = v->kind;
    lane->wait.since = v->now;
    lane->wait.deadline = v->deadline;
    if (v->kind == LOCK_PARK)
        lock_find_blocker(v->java_thread, &lane->wait.target);
    else
        lock_find_monitor(v->java_thread, &lane->wait.target);
    lock_owner_context(&lane->wait.target.owner, &lane->owner);
    counter_add(&lane->waits, 1);
    atomic_store_explicit(&lane->kind, v->kind, memory_order_relaxed);
    /* Release: pairs with the collector's acquire, which then sees the kind of the wait. */
    atomic_store_explicit(&lane->since, v->now, memory_order_release);
    v->has_begun = true;
}

void lock_begin_monitor(uintptr_t java_thread)
{
    int saved = errno;
    struct visit v = {.kind = LOCK_MONITOR, .java_thread = java_thread, .now = time_now_ns(CLOCK_MONOTONIC)};
    if (is_on() && find_lane(&v))
        enter(&v, 0, begin);
    errno = saved;
}

bool lock_begin_park(const struct timespec *deadline, struct lock_park *park)
{
    int saved = errno;
    struct visit v = {.kind = LOCK_PARK};
    if (is_on() && find_lane(&v) && !waits_already(v.lane) &&
        (v.java_thread = atomic_load_explicit(&v.thread->java_thread, memory_order_relaxed))) {
        v.now = time_now_ns(CLOCK_MONOTONIC);
        v.deadline = deadline ? time_ns(deadline) : 0;
        enter(&v, 0, begin);
    }
    *park = (struct lock_park){v.thread, v.lane, v.generation};
    errno = saved;
    return v.has_begun;
}

/* ---- a wait ends ---- */

static bool takes_token(struct lock_limit *limit)
{
    /* Relaxed, because no other memory depends on these two numbers. */
    atomic_fetch_add_explicit(&limit->wanted, 1, memory_order_relaxed);
    return !lock_config.is_bounded || atomic_fetch_sub_explicit(&limit->tokens, 1, memory_order_relaxed) > 0;
}

/* Finds when the wait began. A thread's first wait may have begun before the recording. */
static bool find_beginning(const struct visit *v, uint64_t *since)
{
    struct lock_lane *lane = v->lane;
    uint64_t none = 0;
    /* Relaxed, because `wait` belongs to this thread, and the collector reads nothing from it in this case. */
    *since = atomic_exchange_explicit(&lane->since, 0, memory_order_relaxed);
    if (*since)
        return lane->wait.kind == v->kind;
    if (v->kind != LOCK_MONITOR ||
        !atomic_compare_exchange_strong_explicit(&lane->waits, &none, 1, memory_order_relaxed, memory_order_relaxed))
        return false;
    *since = lane->opened;
    lane->wait = (struct lock_wait){.kind = LOCK_MONITOR, .since = lane->opened};
    lane->owner.count = 0;
    return true;
}

/* Counts a wait that has ended, and decides whether it is recorded. */
static void settle(struct visit *v, uint64_t since, struct lock_wait *wait)
{
    struct lock_lane *lane = v->lane;
    enum lock_group group = lock_group_of(wait);
    struct lock_limit *limit = &lock_config.limits[group];
    uint64_t threshold = atomic_load_explicit(&limit->threshold, memory_order_relaxed);
    wait->ns = v->now > since ? v->now - since : 0;
    wait->weight = lock_draw(&lane->draws[group], wait->ns, threshold);
    wait->is_whole = wait->ns >= threshold;
    counter_add(&lane->waited_ns[wait->kind], wait->ns);
    counter_add(&lane->waited[wait->kind], 1);
    if (!wait->weight)
        return;
    v->is_wanted = takes_token(limit);
    if (!v->is_wanted) {
        lock_lose(LOCK_LOSS_THROTTLED, wait->weight);
        return;
    }
    *v->ended = *wait;
    v->ended->generation = v->generation;
}

static void end(void *visit)
{
    struct visit *v = visit;
    uint64_t since;
    v->is_done = true;
    renew(v->lane);
    if (find_beginning(v, &since))
        settle(v, since, &v->lane->wait);
}

bool lock_end_monitor(struct lock_wait *wait)
{
    int saved = errno;
    struct visit v = {.kind = LOCK_MONITOR, .now = time_now_ns(CLOCK_MONOTONIC), .ended = wait};
    if (is_on() && !find_lane(&v))
        lock_lose(LOCK_LOSS_NO_THREAD, 0);
    else if (v.lane)
        enter(&v, 0, end);
    errno = saved;
    return v.is_wanted;
}

/* Ends a park. The slot may belong to another thread or another recording by now; its generation shows this. */
void lock_end_park(const struct lock_park *park)
{
    int saved = errno;
    struct lock_wait wait;
    struct visit v = {.kind = LOCK_PARK, .thread = park->thread, .lane = park->lane, .ended = &wait};
    if (!is_on())
        return;
    __builtin_prefetch(&v.thread->generation);
    fetch(v.lane);
    v.now = time_now_ns(CLOCK_MONOTONIC);
    if (enter(&v, park->generation, end) && v.is_wanted)
        lock_record(&wait, NULL, 0);
    errno = saved;
}

/* ---- waits of virtual threads without a carrier ---- */

/* A virtual thread that waits for a monitor may leave its carrier and return without an end of this wait. So its waits of the two kinds
 * have different keys. */
static uint64_t key_of(int64_t id, enum lock_kind kind)
{
    return (uint64_t)id << LOCK_VIRTUAL_SHIFT | kind;
}

static void begin_virtual(void *visit)
{
    struct visit *v = visit;
    /* Relaxed, as in renew. */
    struct virtual_wait wait = {
        .since = v->now, .kind = v->kind, .beginning = atomic_load_explicit(&lock_config.beginning, memory_order_relaxed)};
    v->is_done = true;
    if (v->kind == LOCK_MONITOR)
        lock_find_monitor(v->java_thread, &wait.target);
    else if (!lock_find_blocker(v->java_thread, &wait.target) && virtual_purpose(v->java_thread) != VIRTUAL_PURPOSE_PARK)
        return;
    if (!virtual_waits_add(&lock_virtual_waits, v->virtual_key, &wait))
        lock_lose(LOCK_LOSS_VIRTUAL, 0);
}

void lock_begin_virtual(uintptr_t java_thread, int64_t id, enum lock_kind kind)
{
    int saved = errno;
    struct visit v = {.kind = kind, .java_thread = java_thread, .virtual_key = key_of(id, kind), .now = time_now_ns(CLOCK_MONOTONIC)};
    if (is_on() && !find_lane(&v))
        lock_lose(LOCK_LOSS_NO_THREAD, 0);
    else if (v.lane)
        enter(&v, 0, begin_virtual);
    errno = saved;
}

static void end_virtual(void *visit)
{
    struct visit *v = visit;
    struct lock_wait wait = {.kind = v->kind, .since = v->virtual_wait->since, .target = v->virtual_wait->target};
    v->is_done = true;
    renew(v->lane);
    v->lane->owner.count = 0; /* that of another wait */
    settle(v, wait.since, &wait);
}

/* Most virtual threads that come to a carrier have not waited for a lock, so the table is searched before the lane is touched. */
bool lock_end_virtual(int64_t id, enum lock_kind kind, struct lock_wait *wait)
{
    struct virtual_wait taken;
    if (!is_on() || !virtual_waits_take(&lock_virtual_waits, key_of(id, kind), &taken) ||
        taken.beginning != atomic_load_explicit(&lock_config.beginning, memory_order_relaxed))
        return false;
    int saved = errno;
    struct visit v = {.kind = kind, .now = time_now_ns(CLOCK_MONOTONIC), .ended = wait, .virtual_wait = &taken};
    if (!find_lane(&v) || !enter(&v, 0, end_virtual))
        lock_lose(LOCK_LOSS_NO_THREAD, 0);
    errno = saved;
    return v.is_wanted;
}

void lock_forget_virtual(int64_t id)
{
    struct virtual_wait none;
    virtual_waits_take(&lock_virtual_waits, key_of(id, LOCK_PARK), &none);
}

/* ---- records ---- */

size_t lock_class_words(uintptr_t klass, uint64_t words[LANE_CLASS_WORDS_MAX])
{
    uint64_t symbol, length;
    size_t count = 0;
    if (!klass || !load_field(klass, vm_layout.klass_name, &symbol) || !load_field(symbol, vm_layout.symbol_length, &length))
        return 0;
    length &= 0xffff;
    for (uint64_t i = 0; i < length && count < LANE_CLASS_WORDS_MAX; i += 8) {
        uint64_t word = 0;
        for (uint64_t k = 0; k < 8 && i + k < length; k++) {
            uint8_t b;
            if (!load_u8(symbol + vm_layout.symbol_body + i + k, &b))
                return 0;
            word |= (uint64_t)b << 8 * k;
        }
        words[count++] = word;
    }
    return count;
}

static uint64_t put_class(struct candor_queue *q, const struct visit *v)
{
    uint64_t words[LANE_CLASS_WORDS_MAX];
    if (v->class_name)
        return lane_put_class(&v->lane->lane, v->class_name);
    size_t count = lock_class_words(v->wait->target.klass, words);
    for (size_t i = 0; i < count; i++)
        candor_queue_put(q, words[i]);
    return count;
}

/* Adds the words about a virtual thread. The JVM may have provided the thread's id. If it is not the id of the carrier, the thread is
 * virtual. */
static uint64_t put_virtual(struct candor_queue *q, const struct visit *v, const struct walk *w)
{
    uint64_t words[RECORD_VIRTUAL_MAX];
    int64_t carrier = v->thread->java_id, id = v->thread_id;
    bool mounted = id ? id != carrier : walk_is_virtual(w);
    if (!vm_layout.virtuals.usable || !carrier || !mounted)
        return 0;
    size_t count = virtual_describe(w->java_thread, w->state, w->virtuals.entry, carrier, words);
    if (id && words[0] != (uint64_t)id) {
        count = 1;
        words[0] = (uint64_t)id;
    }
    for (size_t i = 0; i < count; i++)
        candor_queue_put(q, words[i]);
    return count;
}

static void put_owner_context(struct candor_queue *q, const struct context_words *owner)
{
    for (size_t i = 0; i < owner->count; i++)
        candor_queue_put(q, owner->words[i]);
}

static void record(void *visit)
{
    struct visit *v = visit;
    const struct lock_wait *wait = v->wait;
    const struct context_words *owner = &v->lane->owner;
    struct candor_queue *q = &v->lane->lane.queue;
    struct walk w;
    uint64_t frame;
    walk_begin_at_call(&w, atomic_load_explicit(&v->thread->java_thread, memory_order_relaxed));
    w.virtuals.carrier_frames = handler_config.carrier_frames;
    candor_queue_begin(q);
    candor_queue_put(q, wait->since);
    candor_queue_put(q, wait->ns);
    candor_queue_put(q, wait->weight);
    candor_queue_put(q, (uint64_t)wait->kind | (wait->is_whole ? LOCK_IS_WHOLE : 0) |
                            (wait->target.is_synchronizer ? LOCK_IS_OF_SYNCHRONIZER : 0) |
                            (uint64_t)owner->count << LOCK_OWNER_CONTEXT_SHIFT);
    candor_queue_put(q, wait->target.address);
    candor_queue_put(q, wait->target.owner.uid | (uint64_t)wait->target.owner.slot << 32);
    candor_queue_put(q, (uint64_t)wait->target.owner.java_id);
    candor_queue_put(q, wait->deadline);
    while (walk_next(&w, &frame))
        candor_queue_put(q, frame);
    uint64_t class_words = put_class(q, v);
    uint64_t virtual_words = put_virtual(q, v, &w);
    size_t context_words = context_put(q, frame_thread_pointer());
    put_owner_context(q, owner);
    candor_queue_put(q, record_last(w.outcome, context_words, virtual_words) | class_words << 48);
    if (!candor_queue_commit(q))
        lock_lose(LOCK_LOSS_QUEUE_FULL, wait->weight);
    v->is_done = true;
}

void lock_record(const struct lock_wait *wait, const char *class_name, int64_t thread_id)
{
    int saved = errno;
    struct visit v = {.wait = wait, .class_name = class_name, .thread_id = thread_id};
    if (find_lane(&v))
        enter(&v, wait->generation, record);
    else
        lock_lose(LOCK_LOSS_NO_THREAD, wait->weight);
    errno = saved;
}
