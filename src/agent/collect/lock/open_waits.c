#include "agent/collect/lock/open_waits.h"

#include "agent/collect/lock/lock_samples.h"
#include "agent/hot/java/virtual.h"
#include "agent/hot/layout.h"
#include "agent/hot/load.h"
#include "agent/hot/walk/walk.h"
#include "agent/record/names/class_name.h"
#include "agent/trigger/threads.h"
#include "base/text/units.h"

#include <stdlib.h>

struct open_wait {
    struct sampled_thread *thread;
    uint64_t since, waits; /* as in the thread's lane; since 0: the thread has waited since before the recording */
    struct lock_wait wait;
};

/* Whether the JavaThread still belongs to the thread. If a thread ends when the JVM no longer reports events, its slot keeps the address of
 * a structure that another thread may use by now. */
static bool is_of(uintptr_t java_thread, int tid)
{
    uint64_t os_thread, id;
    return load_field(java_thread, vm_layout.thread_osthread, &os_thread) && load_field(os_thread, vm_layout.osthread_tid, &id) &&
           (int)id == tid;
}

static bool waits_for_monitor(uintptr_t java_thread)
{
    uint64_t monitor;
    return vm_layout.thread_pending_monitor.width && load_field(java_thread, vm_layout.thread_pending_monitor, &monitor) && monitor;
}

/* Whether the thread is parked for a lock of java.util.concurrent that another thread owns. Other parks that began before the recording
 * are left out: many threads are parked until they get work. */
static bool waits_for_owned_lock(uintptr_t java_thread)
{
    struct lock_target target;
    return lock_find_blocker(java_thread, &target) && target.is_synchronizer && target.owner.java_id;
}

/* Determines what a thread has waited for since before the recording, from the state of the JVM. */
static bool look_at_old(uintptr_t java_thread, int tid, enum lock_kind *kind)
{
    if (!is_of(java_thread, tid))
        return false;
    *kind = waits_for_monitor(java_thread) ? LOCK_MONITOR : LOCK_PARK;
    return *kind == LOCK_MONITOR || waits_for_owned_lock(java_thread);
}

/* Notes the wait of a thread. */
static bool look_at(struct sampled_thread *t, struct open_wait *o)
{
    struct lock_lane *lane = lane_of(&lock_lanes, t);
    uintptr_t java_thread = atomic_load(&t->java_thread);
    if (atomic_load(&t->slot) != SLOT_LIVE || !lane || !java_thread)
        return false;
    /* A lane that an earlier recording left says nothing about this one. */
    bool is_new = atomic_load_explicit(&lane->beginning, memory_order_acquire) == atomic_load(&lock_config.beginning);
    /* Acquire: pairs with the release of the thread, which has written before what kind of wait it is. */
    uint64_t since = is_new ? atomic_load_explicit(&lane->since, memory_order_acquire) : 0, waits = atomic_load(&lane->waits);
    *o = (struct open_wait){.thread = t, .since = since, .waits = waits};
    o->wait.kind = since ? (enum lock_kind)atomic_load(&lane->kind) : LOCK_MONITOR;
    o->wait.since = since ? since : is_new ? lane->opened : atomic_load(&lock_config.began_ns);
    o->wait.deadline = since ? lane->wait.deadline : 0;
    return since || ((!waits || !is_new) && look_at_old(java_thread, t->tid, &o->wait.kind));
}

static void read_target(struct open_wait *o)
{
    uintptr_t java_thread = atomic_load(&o->thread->java_thread);
    if (o->wait.kind == LOCK_MONITOR)
        lock_find_monitor(java_thread, &o->wait.target);
    else
        lock_find_blocker(java_thread, &o->wait.target);
}

/* Takes the wait from its thread, which then does not record it when it wakes. Returns false if the wait has ended meanwhile. */
static bool claim(struct open_wait *o)
{
    struct lock_lane *lane = lane_of(&lock_lanes, o->thread);
    uint64_t since = o->since, waits = o->waits;
    if (atomic_load(&lane->waits) != o->waits)
        return false;
    return since ? atomic_compare_exchange_strong(&lane->since, &since, 0)
                 : atomic_compare_exchange_strong(&lane->waits, &waits, waits + 1);
}

static void weigh(struct open_wait *o)
{
    struct lock_wait *wait = &o->wait;
    uint64_t now = clock_monotonic_ns(), threshold = atomic_load(&lock_config.limits[lock_group_of(wait)].threshold);
    struct lock_draw draw = {.random = now << 8 | 1}; /* only the lane's own thread may use the lane's draw */
    wait->ns = now > wait->since ? now - wait->since : 0;
    wait->weight = lock_draw(&draw, wait->ns, threshold);
    wait->is_whole = wait->ns >= threshold;
    lock_samples_count_open(wait->kind, wait->ns);
}

static void take(struct open_wait *o)
{
    static uint64_t frames[FRAMES_MAX + 1]; /* these are too large for this thread's stack; names_stack may add a frame */
    static uint64_t class_words[LANE_CLASS_WORDS_MAX];
    static struct context_words own, owner;
    uint64_t virtual_words[RECORD_VIRTUAL_MAX];
    struct lock_sample s = {.thread = o->thread, .wait = &o->wait, .is_open = true};
    struct names *names = &lock_samples.recording->names;
    struct walk w;
    size_t count = 0, of_virtual = 0;
    walk_begin_still(&w, atomic_load(&o->thread->java_thread));
    while (count < FRAMES_MAX && walk_next(&w, &frames[count]))
        count++;
    if (walk_is_virtual(&w) && !o->since && o->wait.kind == LOCK_PARK)
        return; /* the blocker is the virtual thread's, which has only just begun to park; its carrier has waited for nothing */
    if (walk_is_virtual(&w) && vm_layout.virtuals.usable)
        of_virtual = virtual_describe(w.java_thread, w.state, w.virtuals.entry, o->thread->java_id, virtual_words);
    own.count = context_copy(context_of_thread(o->thread->tid, thread_pointer_of(o->thread)), own.words);
    lock_owner_context(&o->wait.target.owner, &owner);
    size_t of_class = lock_class_words(o->wait.target.klass, class_words);
    if (!claim(o))
        return;
    weigh(o);
    s.outcome = w.outcome;
    s.has_class = of_class;
    s.class_name = of_class ? class_name_symbol(&names->strings, class_words, of_class) : 0;
    if (of_virtual)
        s.virtual_id = names_virtual_thread(names, virtual_words, of_virtual);
    s.context = names_context(names, own.words, own.count);
    s.owner_context = names_context(names, owner.words, owner.count);
    s.stack = lock_samples_stack(o->thread, s.outcome, frames, count);
    lock_samples_take(&s);
}

void open_waits_take(void)
{
    uint32_t limit = threads_limit(), count = 0;
    struct open_wait *all = calloc(limit ? limit : 1, sizeof *all);
    if (!all)
        return;
    for (uint32_t i = 0; i < limit; i++)
        count += look_at(&sampled_threads[i], &all[count]);
    for (uint32_t i = 0; i < count; i++)
        read_target(&all[i]);
    for (uint32_t i = 0; i < count; i++)
        take(&all[i]);
    free(all);
}
