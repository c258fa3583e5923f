#include "agent/trigger/threads.h"

#include "agent/hot/calls/lanes.h"
#include "agent/hot/inject.h"
#include "agent/hot/load.h"
#include "agent/hot/signal/handler.h"
#include "agent/trigger/clocks/clock.h"
#include "agent/trigger/clocks/exits.h"
#include "agent/trigger/clocks/rings.h"
#include "agent/trigger/signals/blocked.h"
#include "agent/trigger/tasks/tasks.h"
#include "base/libc.h"
#include "base/text/units.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { HANDLER_WAIT_NS = 50000, LATE_NS = 10000000, SCANS_BETWEEN_LISTINGS = 10, NAMES_SETTLED = 2 };
enum { UID_MAX = INT32_MAX }; /* names_thread_id has one bit less. After two billion threads, numbers are used again */

static struct {
    pthread_mutex_t lock;
    bool running;
    struct candor_pool *pool;
    int exempt_tid;
    uint32_t next_uid;
    uint32_t armed, without_clock, with_timer;
    uint32_t generation;         /* odd; never repeats, because a trap from an earlier recording may still be on its way */
    int clock_error, perf_error; /* for the last thread without a clock, and for the last one with a timer in place of an event */
    uint64_t seed;
    uint32_t scan;
    uint32_t *scanned;      /* indexed by slot: the last scan that saw its thread */
    struct tasks_mark mark; /* from before the last scan that listed all threads */
    uint32_t unlisted;      /* number of scans since then */
    uint32_t *free_slots, free_count;
    uint64_t *booked; /* indexed by thread id: the value of its CPU clock up to which the books have its time */
} registry = {.lock = LIBC_ERRORCHECK_MUTEX, .generation = 1};

static int own_tid(void)
{
    return (int)syscall(SYS_gettid);
}

static struct sampled_thread *slot_of(int tid)
{
    uint32_t slot = tid < THREAD_IDS_MAX ? atomic_load_explicit(&thread_slot_of_tid[tid], memory_order_relaxed) : 0;
    return slot ? &sampled_threads[slot - 1] : NULL;
}

static struct sampled_thread *claim_slot(void)
{
    if (registry.free_count)
        return &sampled_threads[registry.free_slots[--registry.free_count]];
    if (atomic_load(&sampled_threads_used) == THREADS_MAX - 1) /* the last slot is for calibration */
        return NULL;
    uint32_t index = atomic_fetch_add(&sampled_threads_used, 1);
    sampled_threads[index].index = index;
    return &sampled_threads[index];
}

static void clear_slot(struct sampled_thread *t)
{
    uint32_t index = t->index, generation = atomic_load(&t->generation);
    memset(t, 0, sizeof *t);
    t->index = index;
    atomic_store(&t->generation, generation);
    t->clock.fd = -1;
}

/* Reads the thread's name. A thread that is gone keeps its former name. */
static void read_os_name(struct sampled_thread *t)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", t->tid);
    char name[32];
    int n = tasks_read_proc(path, name, sizeof name);
    if (n <= 0)
        return;
    if (name[n - 1] == '\n')
        name[n - 1] = 0;
    snprintf(t->os_name, sizeof t->os_name, "%s", name);
    atomic_store(&t->role, tasks_role(t->os_name));
}

static void set_java(struct sampled_thread *t, uintptr_t java_thread, int64_t java_id, const char *name)
{
    t->java_id = java_id;
    snprintf(t->java_name, sizeof t->java_name, "%s", name);
    atomic_store(&t->java_thread, java_thread);
    if (!java_thread)
        return;
    atomic_store(&t->role, ROLE_OTHER);
    if (!atomic_load(&t->java_since_ns))
        atomic_store(&t->java_since_ns, clock_monotonic_ns());
}

/* Sets the thread's clock. A thread that ended before that does not count as one without a clock. It may still exist: the leader of the
 * process stays until all others are gone. */
static void set_clock(struct sampled_thread *t)
{
    int rc = clock_arm(t);
    t->clock.lacks_clock = rc < 0 && rc != -ESRCH && clock_thread_cpu(t->tid);
    if (t->clock.lacks_clock) {
        registry.without_clock += !t->clock.had_none;
        registry.clock_error = rc;
        t->clock.had_none = true;
    } else if (rc >= 0 && t->clock.perf_error) {
        registry.with_timer += !t->clock.had_timer;
        registry.perf_error = t->clock.perf_error;
        t->clock.had_timer = true;
    }
}

static struct sampled_thread *arm(int tid, uintptr_t java_thread, int64_t java_id, const char *java_name)
{
    struct sampled_thread *t = tid < THREAD_IDS_MAX ? claim_slot() : NULL;
    if (!t)
        return NULL;
    clear_slot(t);
    t->tid = tid;
    t->uid = registry.next_uid = registry.next_uid < UID_MAX ? registry.next_uid + 1 : 1;
    t->handler.random = (registry.seed += 0x9e3779b97f4a7c15ULL) | 1;
    candor_queue_init(&t->queue, registry.pool);
    lanes_open(t, registry.pool);
    registry.scanned[t->index] = registry.scan;
    read_os_name(t);
    set_java(t, java_thread, java_id, java_name);
    atomic_store(&t->generation, registry.generation += 2);
    atomic_store(&thread_slot_of_tid[tid], t->index + 1);
    exits_cancel(tid);
    set_clock(t);
    t->clock.cpu_at_arming = t->lot.cpu_at_draw = t->clock.cpu_at_setting;
    registry.armed++;
    t->scan.cpu_seen = clock_thread_cpu(tid);
    /* CPU time above the thread's clock belongs to a former owner of its id. */
    t->clock.cpu_at_start = registry.booked[tid] <= t->clock.cpu_at_arming ? registry.booked[tid] : 0;
    /* The collector only looks at live slots. Everything that it reads there is written now. */
    atomic_store(&t->slot, SLOT_LIVE);
    return t;
}

static void wait_for_handler(const struct sampled_thread *t)
{
    struct timespec pause = {.tv_nsec = HANDLER_WAIT_NS};
    /* Sequentially consistent, like the handler's accesses: the handler saw the even generation, or is seen here. The load also acquires
     * the handler's record in the queue. */
    while (atomic_load(&t->gate.inside) || lanes_are_inside(t))
        nanosleep(&pause, NULL);
}

/* Makes sure that no handler of t begins from here on. */
static void silence(struct sampled_thread *t)
{
    if (atomic_load(&t->slot) == SLOT_LIVE && atomic_load(&t->generation) & 1)
        atomic_fetch_add(&t->generation, 1);
}

static uint64_t cpu_of(const struct sampled_thread *t)
{
    uint64_t end = atomic_load(&t->end.cpu);
    if (end)
        return end - t->clock.cpu_at_arming;
    uint64_t now = clock_thread_cpu(t->tid);
    if (now && now >= t->scan.cpu_seen) /* otherwise the thread is gone, and its id belongs to another thread */
        return now - t->clock.cpu_at_arming;
    uint64_t count = clock_count(t);
    return count ? t->clock.cpu_at_setting - t->clock.cpu_at_arming + count : t->scan.cpu_seen - t->clock.cpu_at_arming;
}

/* Does the same when the recording ends. The CPU time that the thread uses from here on belongs to no recording. */
static void silence_for_good(struct sampled_thread *t)
{
    if (atomic_load(&t->slot) != SLOT_LIVE)
        return;
    silence(t);
    atomic_store(&t->end.cpu, t->clock.cpu_at_arming + cpu_of(t));
}

static void end(struct sampled_thread *t, uint64_t cpu)
{
    atomic_store(&t->end.cpu, cpu);
    registry.booked[t->tid] = cpu;
    atomic_store(&t->end.java_until_ns, clock_monotonic_ns());
    atomic_store(&t->java_thread, 0);
    registry.armed--;
    atomic_store(&t->slot, SLOT_ENDED);
}

/* Disarms a slot. No handler of t may run: t is the calling thread's slot, its thread is gone, or its handler was waited for. A handler
 * uses the clock's descriptor, whose number may belong to another file after it is closed. */
static void disarm(struct sampled_thread *t)
{
    if (atomic_load(&t->slot) != SLOT_LIVE)
        return;
    silence(t);
    uint64_t cpu = t->clock.cpu_at_arming + cpu_of(t);
    t->end.events = clock_reading(t);
    clock_disarm(t);
    end(t, cpu);
}

/* Ends the clock of the calling thread, which is about to end. */
static void leave(struct sampled_thread *t)
{
    if (atomic_load(&t->slot) != SLOT_LIVE)
        return;
    silence(t);
    t->end.events = clock_reading(t);
    uint64_t cpu = t->clock.cpu_at_arming + cpu_of(t), count = clock_count(t);
    exits_add(t->tid, cpu, clock_mute(t), count);
    end(t, cpu);
}

uint64_t threads_cpu(const struct sampled_thread *t)
{
    pthread_mutex_lock(&registry.lock);
    uint64_t cpu = cpu_of(t);
    pthread_mutex_unlock(&registry.lock);
    return cpu;
}

struct event_reading threads_events(const struct sampled_thread *t)
{
    pthread_mutex_lock(&registry.lock);
    struct event_reading r = atomic_load(&t->slot) == SLOT_LIVE ? clock_reading(t) : t->end.events;
    pthread_mutex_unlock(&registry.lock);
    return r;
}

uint32_t threads_limit(void)
{
    return atomic_load(&sampled_threads_used);
}

static int begin(void)
{
    int *tids = NULL, count = 0, rc = -ENOMEM;
    rings_reset();
    atomic_store(&sampled_threads_used, 0);
    registry.free_count = registry.armed = registry.without_clock = registry.with_timer = 0;
    registry.seed = clock_process_cpu() ^ (uint64_t)time(NULL) << 20 ^ (uint64_t)getpid() << 40;
    registry.scanned = calloc(THREADS_MAX, sizeof *registry.scanned);
    registry.free_slots = calloc(THREADS_MAX, sizeof *registry.free_slots);
    /* Large allocations are mapped, and only the pages for thread ids in use are touched. */
    registry.booked = calloc(THREAD_IDS_MAX, sizeof *registry.booked);
    if (registry.scanned && registry.free_slots && registry.booked)
        rc = count = tasks_list(&tids);
    if (rc >= 0) {
        registry.running = true;
        for (int i = 0; i < count; i++)
            if (tids[i] < THREAD_IDS_MAX)
                registry.booked[tids[i]] = clock_thread_cpu(tids[i]);
        for (int i = 0; i < count; i++)
            if (tids[i] != registry.exempt_tid)
                arm(tids[i], 0, 0, "");
        rc = (int)registry.armed;
    }
    free(tids);
    return rc;
}

int threads_start(struct candor_pool *pool, int exempt_tid)
{
    pthread_mutex_lock(&registry.lock);
    registry.pool = pool;
    registry.exempt_tid = exempt_tid;
    registry.next_uid = 0;
    blocked_reset();
    exits_reset();
    int rc = begin();
    pthread_mutex_unlock(&registry.lock);
    return rc;
}

int threads_resume(void)
{
    pthread_mutex_lock(&registry.lock);
    int rc = begin();
    pthread_mutex_unlock(&registry.lock);
    return rc;
}

void threads_set_clock(struct sampled_thread *t)
{
    t->scan.cpu_at_expiry = 0;
    t->scan.is_revived = false;
    set_clock(t);
}

static bool has_clock(const struct sampled_thread *t)
{
    return t->clock.fd >= 0 || t->clock.has_timer;
}

/* With the lock held from the start of the clock on: a thread that begins meanwhile must find either no clock, or all of it. */
int threads_add_clock(const struct clock *clock, const struct clock *before, struct error *e)
{
    pthread_mutex_lock(&registry.lock);
    int rc = clock_start(clock, e);
    if (rc)
        clock_start(before, NULL);
    for (uint32_t i = 0; !rc && i < threads_limit(); i++)
        if (atomic_load(&sampled_threads[i].slot) == SLOT_LIVE && !has_clock(&sampled_threads[i]))
            threads_set_clock(&sampled_threads[i]);
    pthread_mutex_unlock(&registry.lock);
    return rc;
}

void threads_open_lanes(void)
{
    pthread_mutex_lock(&registry.lock);
    for (uint32_t i = 0; i < threads_limit(); i++)
        if (atomic_load(&sampled_threads[i].slot) == SLOT_LIVE)
            lanes_open_missing(&sampled_threads[i], registry.pool);
    pthread_mutex_unlock(&registry.lock);
}

static void end_all(void)
{
    pthread_mutex_lock(&registry.lock);
    registry.running = false;
    for (uint32_t i = 0; i < threads_limit(); i++)
        silence_for_good(&sampled_threads[i]);
    pthread_mutex_unlock(&registry.lock);
    /* A handler takes microseconds, but its thread may be stopped inside. Threads that begin or end meanwhile need the lock, but no slot,
     * because the registry no longer runs. */
    for (uint32_t i = 0; i < threads_limit(); i++)
        wait_for_handler(&sampled_threads[i]);
    pthread_mutex_lock(&registry.lock);
    for (uint32_t i = 0; i < threads_limit(); i++)
        disarm(&sampled_threads[i]);
    exits_close();
    pthread_mutex_unlock(&registry.lock);
}

void threads_let_go(void)
{
    pthread_mutex_unlock(&registry.lock); /* fails if the caller does not hold it, which does no harm */
}

void threads_abandon(void)
{
    threads_let_go();
    end_all();
}

void threads_stop(void)
{
    end_all();
    pthread_mutex_lock(&registry.lock);
    free(registry.scanned);
    free(registry.free_slots);
    free(registry.booked);
    registry.scanned = registry.free_slots = NULL;
    registry.booked = NULL;
    pthread_mutex_unlock(&registry.lock);
}

void threads_java_begin(uintptr_t java_thread, int64_t java_id, const char *name)
{
    int tid = own_tid();
    pthread_mutex_lock(&registry.lock);
    inject_crash(INJECT_IN_CALLBACK);
    if (registry.running && tid != registry.exempt_tid) {
        struct sampled_thread *t = slot_of(tid);
        /* A scan found the thread before it registered itself, or the slot is from a former owner of this thread id. */
        if (t)
            disarm(t);
        arm(tid, java_thread, java_id, name);
    }
    pthread_mutex_unlock(&registry.lock);
}

void threads_java_end(void)
{
    pthread_mutex_lock(&registry.lock);
    struct sampled_thread *t = registry.running ? slot_of(own_tid()) : NULL;
    if (t)
        leave(t);
    pthread_mutex_unlock(&registry.lock);
}

bool threads_find_java(uintptr_t java_thread, int *tid)
{
    uint64_t os_thread, id = 0;
    /* Under the lock, so that the recording does not end meanwhile: the thread that ends the JVM calls this, too. */
    pthread_mutex_lock(&registry.lock);
    bool found = registry.running && load_field(java_thread, vm_layout.thread_osthread, &os_thread) &&
                 load_field(os_thread, vm_layout.osthread_tid, &id);
    pthread_mutex_unlock(&registry.lock);
    *tid = (int)id;
    return found;
}

void threads_bind_java(int tid, uintptr_t java_thread, int64_t java_id, const char *name)
{
    pthread_mutex_lock(&registry.lock);
    struct sampled_thread *t = registry.running ? slot_of(tid) : NULL;
    if (t && atomic_load(&t->slot) == SLOT_LIVE)
        set_java(t, java_thread, java_id, name);
    pthread_mutex_unlock(&registry.lock);
}

/* Whether the thread's clock does not expire although the thread uses CPU time. */
static bool is_silent(struct sampled_thread *t, uint64_t cpu)
{
    uint64_t expiries = counter_get(&t->counts.expiries);
    if (expiries != t->scan.expiries_seen || !t->scan.cpu_at_expiry) {
        t->scan.expiries_seen = expiries;
        t->scan.cpu_at_expiry = cpu;
    }
    return cpu > t->scan.cpu_at_expiry + 2 * t->handler.base_ns + LATE_NS;
}

/* Checks whether the thread blocks its signal, but only if it has used CPU time since the last look, because reading its file in
 * /proc is slow. */
static void look_for_block(struct sampled_thread *t, uint64_t cpu)
{
    int signal = clock_signal(t); /* 0 = the thread has no clock */
    t->scan.blocks = is_silent(t, cpu) && signal && !t->clock.lacks_clock && !handler_config.counts && tasks_blocks_signal(t->tid, signal);
    uint64_t used = cpu - t->clock.cpu_at_arming;
    uint64_t seen = counter_get(&t->counts.expiry_ns); /* with the process's timer, also of other threads */
    if (t->scan.blocks)
        blocked_note(t, signal, used > seen ? used - seen : 0);
}

static bool has_lost_first(const struct sampled_thread *t, uint64_t cpu)
{
    if (handler_config.counts) /* the thread may not have had an event yet */
        return false;
    bool is_first = counter_get(&t->counts.expiries) == t->clock.expiries_at_setting;
    return is_first && cpu > t->clock.cpu_at_setting + 2 * t->handler.base_ns + LATE_NS;
}

/* Arms a thread that has no slot yet. A thread's clock never goes back: a lower value means that the slot's thread is gone, and that its id
 * belongs to another thread. */
static void look_at(int tid)
{
    struct sampled_thread *t = slot_of(tid);
    uint64_t cpu = clock_thread_cpu(tid);
    bool replaced = t && cpu && cpu < t->scan.cpu_seen && atomic_load(&t->slot) == SLOT_LIVE;
    if (replaced)
        disarm(t);
    if (replaced || (!t && tid != registry.exempt_tid && !exits_expects(tid))) {
        arm(tid, 0, 0, "");
        return;
    }
    if (!t)
        return;
    registry.scanned[t->index] = registry.scan;
    bool has_worked = cpu > t->scan.cpu_seen;
    if (has_worked)
        t->scan.cpu_seen = cpu;
    /* The scan may have found the thread before it got its name. */
    if (t->scan.scans++ == 1 && !atomic_load(&t->java_thread))
        read_os_name(t);
    if (atomic_load(&t->slot) != SLOT_LIVE || t->lot.waits)
        return;
    if (has_worked)
        look_for_block(t, cpu);
    if (counter_get(&t->counts.samples))
        clock_want_kernel_stacks(t);
    if (!t->scan.is_revived && has_lost_first(t, cpu) && !atomic_load(&t->gate.held) && !atomic_load(&handler_config.held)) {
        clock_revive(t);
        t->scan.is_revived = true;
    }
}

/* Looks at all threads in the list, including those without a slot. Slots from limit on may belong to threads that are newer than the
 * list. */
static void scan_listed(const int *tids, int count, uint32_t limit)
{
    for (int i = 0; i < count; i++)
        look_at(tids[i]);
    for (uint32_t i = 0; i < limit; i++)
        if (registry.scanned[i] != registry.scan && !clock_thread_cpu(sampled_threads[i].tid))
            disarm(&sampled_threads[i]);
}

static void scan_known(void)
{
    for (uint32_t i = 0; i < threads_limit(); i++)
        if (atomic_load(&sampled_threads[i].slot) == SLOT_LIVE)
            look_at(sampled_threads[i].tid);
}

/* Whether to list the threads of the process. Listing takes longer than the rest of a scan. */
static bool must_list(void)
{
    struct tasks_mark now = {0};
    bool is_same = tasks_mark(&now) && now.last_id == registry.mark.last_id && now.count == registry.mark.count;
    if (is_same && ++registry.unlisted < SCANS_BETWEEN_LISTINGS)
        return false;
    registry.mark = now;
    registry.unlisted = 0;
    return true;
}

void threads_scan(void)
{
    int *tids = NULL;
    uint32_t limit_before = threads_limit();
    bool list = must_list();
    int count = list ? tasks_list(&tids) : 0;
    pthread_mutex_lock(&registry.lock);
    inject_crash(INJECT_UNDER_LOCK);
    if (registry.running && count >= 0) {
        registry.scan++;
        if (list)
            scan_listed(tids, count, limit_before);
        else
            scan_known();
        exits_reap();
    }
    pthread_mutex_unlock(&registry.lock);
    free(tids);
}

void threads_with_all(void (*fn)(void *context), void *context)
{
    pthread_mutex_lock(&registry.lock);
    if (registry.running)
        fn(context);
    pthread_mutex_unlock(&registry.lock);
}

void threads_settle_name(struct sampled_thread *t)
{
    if (t->collector.settled >= NAMES_SETTLED)
        return;
    t->collector.settled++;
    pthread_mutex_lock(&registry.lock);
    if (!atomic_load(&t->java_thread))
        read_os_name(t);
    pthread_mutex_unlock(&registry.lock);
}

bool threads_running(void)
{
    pthread_mutex_lock(&registry.lock);
    bool running = registry.running;
    pthread_mutex_unlock(&registry.lock);
    return running;
}

void threads_release(struct sampled_thread *t)
{
    pthread_mutex_lock(&registry.lock);
    if (atomic_load(&thread_slot_of_tid[t->tid]) == t->index + 1)
        atomic_store(&thread_slot_of_tid[t->tid], 0);
    candor_queue_deinit(&t->queue);
    lanes_close(t);
    atomic_store(&t->slot, SLOT_FREE);
    if (registry.free_slots)
        registry.free_slots[registry.free_count++] = t->index;
    pthread_mutex_unlock(&registry.lock);
}

uint64_t threads_exit_cpu(void)
{
    pthread_mutex_lock(&registry.lock);
    uint64_t cpu = exits_cpu();
    pthread_mutex_unlock(&registry.lock);
    return cpu;
}

uint32_t threads_without_clock(int *error)
{
    pthread_mutex_lock(&registry.lock);
    uint32_t n = registry.without_clock;
    *error = registry.clock_error;
    pthread_mutex_unlock(&registry.lock);
    return n;
}

uint32_t threads_with_timer(int *error)
{
    pthread_mutex_lock(&registry.lock);
    uint32_t n = registry.with_timer;
    *error = registry.perf_error;
    pthread_mutex_unlock(&registry.lock);
    return n;
}

uint32_t threads_without_kernel_stacks(int *error)
{
    pthread_mutex_lock(&registry.lock);
    uint32_t n = rings_refused(error);
    pthread_mutex_unlock(&registry.lock);
    return n;
}

uint32_t threads_blocking(char *text, size_t size)
{
    pthread_mutex_lock(&registry.lock);
    uint32_t n = blocked_describe(text, size);
    pthread_mutex_unlock(&registry.lock);
    return n;
}

uint32_t threads_armed(void)
{
    pthread_mutex_lock(&registry.lock);
    uint32_t n = registry.armed;
    pthread_mutex_unlock(&registry.lock);
    return n;
}
