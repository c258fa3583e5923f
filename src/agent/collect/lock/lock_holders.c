#include "agent/collect/lock/lock_holders.h"

#include "agent/collect/lock/lock_samples.h"
#include "agent/hot/signal/handler.h"
#include "agent/hot/walk/walk.h"
#include "agent/record/names/class_name.h"
#include "agent/trigger/clocks/clock.h"
#include "agent/trigger/tasks/subset.h"
#include "agent/trigger/tasks/task_state.h"
#include "agent/trigger/threads.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <string.h>

enum { HOLDERS_MAX = 1024, TRIES = 2 };

#define ROUND_NS (50 * NS_PER_MS)

/* A thread that holds a lock for which `waiters` threads wait. */
struct holder {
    uint32_t slot, uid, waiters;
    uintptr_t klass; /* class of the lock for which the first of them waits; 0 = unknown */
};

static struct {
    uint64_t due, last, random;
    struct holder list[HOLDERS_MAX];
    uint32_t count, chosen[LOCK_HOLDERS_MOST];
    struct account taken, missed;
    uint64_t frames[FRAMES_MAX + 1]; /* names_stack may add a frame */
    struct context_words context;    /* of the holder that is looked at */
} holders;

void lock_holders_begin(uint64_t now)
{
    memset(&holders, 0, sizeof holders);
    holders.random = now | 1;
    holders.last = now;
    holders.due = now + 1 + handler_random(&holders.random) % ROUND_NS;
}

uint64_t lock_holders_due_ns(void)
{
    return holders.due;
}

struct account lock_holders_taken(void)
{
    return holders.taken;
}

struct account lock_holders_missed(void)
{
    return holders.missed;
}

static void add(struct account *a, uint64_t ns)
{
    a->ns += (int64_t)ns;
    a->count++;
}

/* ---- who waits for whom ---- */

/* Finds the lock for which a thread waits, if its owner has a slot. A thread that is parked for an object without an owner is not examined
 * again. */
static bool find_target(const struct sampled_thread *t, struct lock_target *target)
{
    struct lock_lane *lane = lane_of(&lock_lanes, t);
    uintptr_t java_thread = atomic_load(&t->java_thread);
    if (atomic_load(&t->slot) != SLOT_LIVE || !lane || !java_thread)
        return false;
    /* Acquire: pairs with the release of the thread, which has written the kind of wait before. */
    uint64_t since = atomic_load_explicit(&lane->since, memory_order_acquire);
    if (!since)
        return false;
    bool found = atomic_load(&lane->kind) == LOCK_MONITOR ? lock_find_monitor(java_thread, target)
                                                          : lane->wait.target.owner.uid && lock_find_blocker(java_thread, target);
    return found && target->owner.uid && atomic_load(&lane->since) == since;
}

static void note_waiter(const struct lock_target *target)
{
    uint32_t i = 0;
    while (i < holders.count && holders.list[i].uid != target->owner.uid)
        i++;
    if (i == HOLDERS_MAX)
        return;
    if (i == holders.count)
        holders.list[holders.count++] = (struct holder){target->owner.slot, target->owner.uid, 0, target->klass};
    holders.list[i].waiters++;
}

static void find_holders(void)
{
    struct lock_target target;
    holders.count = 0;
    for (uint32_t i = 0, limit = threads_limit(); i < limit; i++)
        if (find_target(&sampled_threads[i], &target))
            note_waiter(&target);
}

/* ---- the work of the holders ---- */

static void record(const struct holder *h, const struct sampled_thread *t, struct jfr_lock_holder *sample, uint64_t ns)
{
    static uint64_t words[LANE_CLASS_WORDS_MAX]; /* too large for this thread's stack */
    struct recording *r = lock_samples.recording;
    size_t count = lock_class_words(h->klass, words);
    sample->ticks = clock_monotonic_ns();
    sample->thread = names_thread_id(t);
    sample->weight_ns = ns;
    sample->has_class = count;
    sample->context = names_context(&r->names, holders.context.words, holders.context.count);
    sample->class_name = count ? class_name_symbol(&r->names.strings, words, count) : 0;
    uint64_t dropped = jfr_writer_dropped(r->writer);
    jfr_write_lock_holder(r->writer, sample);
    add(jfr_writer_dropped(r->writer) == dropped ? &holders.taken : &holders.missed, ns);
}

/* Takes the stack of a sleeping thread. A thread whose CPU clock has not moved has slept while its stack was read. */
static bool look_at_sleeper(const struct sampled_thread *t, struct jfr_lock_holder *sample)
{
    uintptr_t java_thread = atomic_load(&t->java_thread);
    uint64_t cpu = clock_thread_cpu(t->tid);
    struct walk w;
    size_t count = 0;
    if (!java_thread || !cpu || task_state_once(t->tid) == 'R')
        return false;
    walk_begin_still(&w, java_thread);
    while (count < FRAMES_MAX && walk_next(&w, &holders.frames[count]))
        count++;
    holders.context.count = context_copy(context_of_thread(t->tid, thread_pointer_of(t)), holders.context.words);
    if (clock_thread_cpu(t->tid) != cpu || atomic_load(&t->java_thread) != java_thread)
        return false;
    sample->state = w.state;
    sample->outcome = lock_samples_outcome(w.outcome);
    sample->stack = lock_samples_stack(t, w.outcome, holders.frames, count);
    return true;
}

static void look_at(const struct holder *h, uint64_t ns)
{
    const struct sampled_thread *t = &sampled_threads[h->slot];
    struct jfr_lock_holder sample = {.state = JFR_STATE_UNKNOWN};
    bool slept = false;
    if (atomic_load(&t->slot) != SLOT_LIVE || t->uid != h->uid) {
        add(&holders.missed, ns);
        return;
    }
    for (int i = 0; i < TRIES && !slept; i++)
        slept = look_at_sleeper(t, &sample);
    if (!slept) {
        if (!context_copy_running(context_of_thread(t->tid, thread_pointer_of(t)), &holders.context))
            context_lose(CONTEXT_LOSS_IN_CHANGE);
        sample.state = JFR_STATE_JAVA;
        sample.outcome = lock_samples_outcome(OUTCOME_COMPLETE);
        sample.stack = lock_samples_pseudo_stack(t, "[running]");
    }
    record(h, t, &sample, ns);
}

void lock_holders_tick(uint64_t now)
{
    if (now < holders.due)
        return;
    uint64_t elapsed = now - holders.last;
    holders.last = now;
    holders.due = now + handler_draw_period(&holders.random, ROUND_NS);
    find_holders();
    if (!holders.count)
        return;
    uint32_t chosen = subset_draw(&holders.random, holders.count, LOCK_HOLDERS_MOST, holders.chosen);
    for (uint32_t i = 0; i < chosen; i++) {
        const struct holder *h = &holders.list[holders.chosen[i]];
        look_at(h, subset_weight(elapsed, holders.count, chosen, i) * h->waiters);
    }
}
