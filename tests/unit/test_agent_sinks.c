/* Several recordings of one process at once, without a JVM: each has the same contents as it would have alone, whichever other
 * recordings start and end.
 * tier: default
 * timeout: 120
 *
 * Bounds. The weights of a thread differ from its CPU time by less than its last period, which is at most 1.5 intervals, by one interval
 * for the first, and by one for the random part of the samples (clock/thin.h); a recording that starts later begins within such a
 * period. 2 % is allowed in addition. In test_parts the share of a part has at most the standard error of independent draws: six of them
 * are allowed. */
#include "../tap.h"
#include "session.h"

#include "agent/collect/clock/thin.h"
#include "agent/hot/signal/handler.h"
#include "agent/trigger/jvm/gc_pauses.h"
#include "agent/trigger/lot.h"
#include "agent/trigger/threads.h"
#include "base/time_units.h"
#include "profile/load/load_jfr.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FILES = 5, SLOW = 10 * NS_PER_MS, FAST = NS_PER_MS, SLOWER = 20 * NS_PER_MS, PHASE_MS = 500 };

static char files[FILES][64];

/* ---- an unbiased part ---- */

/* Two kinds of samples alternate, in step with the pieces: the selected parts have the same ratio as the weights. */
static void test_parts(void)
{
    enum { N = 400000, EVERY = 1000 };
    static const uint64_t weights[] = {300, 700, 2600, 400};
    struct thin t = {.random = 88172645463325252u};
    uint64_t sum = 0, taken = 0;
    double of[4] = {0}, all = 0;
    int64_t off = 0;
    for (int i = 0; i < N; i++) {
        uint64_t w = thin_take(&t, EVERY, weights[i % 4]);
        of[i % 4] += (double)w;
        sum += weights[i % 4];
        taken += w;
        off = llabs((int64_t)(sum - taken)) > off ? llabs((int64_t)(sum - taken)) : off;
    }
    for (int i = 0; i < 4; i++)
        all += (double)weights[i];
    for (int i = 0; i < 4; i++) {
        double share = of[i] / (double)taken, truth = (double)weights[i] / all, error = sqrt(truth * (1 - truth) / ((double)sum / EVERY));
        tap_ok(fabs(share - truth) < 6 * error, "kind %d has its share of the weight: %.4f of %.4f", i, share, truth);
    }
    tap_ok(off <= EVERY, "and the sum is never off by more than a piece (%lld)", (long long)off);
    tap_ok(thin_take(&t, 0, 123) == 123, "all samples are taken with their own weights");
}

/* ---- recordings ---- */

static _Atomic bool over;
static _Atomic uint64_t used_ns;

static void *work(void *unused)
{
    while (!over) {
        burn(NS_PER_MS);
        used_ns = own_cpu();
    }
    return NULL;
}

static void collect_for(int ms)
{
    struct timespec pause = {.tv_nsec = COLLECT_PERIOD_MS * NS_PER_MS};
    for (int i = 0; i < ms; i += COLLECT_PERIOD_MS) {
        nanosleep(&pause, NULL);
        collect_tick();
    }
}

static struct collect_options options_for(int i, uint64_t interval_ns)
{
    struct collect_options o = {.events = COLLECT_CPU, .interval_ns = interval_ns};
    snprintf(o.file, sizeof o.file, "%s", files[i]);
    return o;
}

static uint32_t start(int i, uint64_t interval_ns)
{
    struct collect_options o = options_for(i, interval_ns);
    return session_start_with(&o) ? collect_newest() : 0;
}

static bool stop(uint32_t id)
{
    uint64_t bytes, samples;
    struct error e;
    int rc = collect_stop(id, &bytes, &samples, &e);
    if (rc)
        tap_note("%s", e.text);
    return !rc && samples;
}

static int64_t book(const struct profile *p, const char *account)
{
    const struct profile_book *b = profile_book(p, account, "");
    return b ? b->ns : INT64_MIN;
}

static int64_t weights_of(const struct profile *p)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < p->sample_count; i++)
        sum += (int64_t)p->samples[i].weight;
    return sum;
}

/* The file accounts for this much CPU time, in samples that are an interval apart. */
static void check(int i, const char *what, uint64_t cpu_ns, uint64_t interval_ns)
{
    struct profile p;
    struct error e = {""};
    profile_init(&p);
    tap_ok(!profile_load_jfr(&p, files[i], &e), "%s is read %s", what, e.text);
    double bound = 3.5 * (double)interval_ns + 3.5 * SLOW + 0.02 * (double)cpu_ns, cpu = (double)cpu_ns;
    int64_t weights = weights_of(&p);
    tap_ok(fabs((double)weights - cpu) < bound, "%s: its samples weigh the CPU time of its own time: %lld of %llu ms", what,
           (long long)weights / 1000000, (unsigned long long)cpu_ns / NS_PER_MS);
    tap_ok(fabs((double)book(&p, "residual")) < bound, "%s: its books close to %lld ms", what, (long long)book(&p, "residual") / 1000000);
    tap_ok(book(&p, "complete") + book(&p, "truncated") <= weights && fabs((double)book(&p, "cpu") - cpu) < bound + 0.1 * cpu,
           "%s: they are of its own time only: %lld ms", what, (long long)book(&p, "cpu") / 1000000);
    double wanted = cpu / (double)interval_ns;
    tap_ok(fabs((double)p.sample_count - wanted) < 4 + 0.25 * wanted, "%s: samples are an interval apart: %u of %.0f", what, p.sample_count,
           wanted);
    profile_deinit(&p);
}

static uint64_t pace(void)
{
    return atomic_load(&handler_config.pace_ns);
}

static void test_come_and_go(void)
{
    uint64_t at[4];
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    uint32_t first = start(0, SLOW);
    at[0] = used_ns;
    collect_for(PHASE_MS);
    uint32_t fast = start(1, FAST), slower = start(2, SLOWER);
    at[1] = used_ns;
    tap_ok(first && fast && slower && first != fast && fast != slower, "three recordings run: %u %u %u", first, fast, slower);
    tap_ok(pace() == FAST, "the clocks expire as often as the finest wants");
    collect_for(2 * PHASE_MS);
    tap_ok(stop(fast), "one of them ends");
    at[2] = used_ns;
    tap_ok(pace() == SLOW && collect_running(), "and the clocks go back");
    collect_for(PHASE_MS);
    tap_ok(stop(slower) && stop(first) && !collect_running(), "the others end");
    at[3] = used_ns;
    over = true;
    pthread_join(worker, NULL);
    check(0, "the first", at[3] - at[0], SLOW);
    check(1, "the finest", at[2] - at[1], FAST);
    check(2, "the coarsest", at[3] - at[1], SLOWER);
}

/* ---- clocks that nobody wants ---- */

static int open_pauses(struct error *e)
{
    return 0;
}

static void close_pauses(void)
{
}

static int clocks(void)
{
    int n = 0;
    for (uint32_t i = 0; i < threads_limit(); i++)
        n += atomic_load(&sampled_threads[i].slot) == SLOT_LIVE && (sampled_threads[i].clock.fd >= 0 || sampled_threads[i].clock.has_timer);
    return n;
}

/* Returns the number of perf events that the process has open. */
static int perf_events(void)
{
    int n = 0;
    struct dirent *entry;
    DIR *d = opendir("/proc/self/fd");
    while ((entry = readdir(d))) {
        char target[64] = "";
        n += readlinkat(dirfd(d), entry->d_name, target, sizeof target - 1) > 0 && strstr(target, "perf_event");
    }
    closedir(d);
    return n;
}

/* A recording of pauses goes on, while two of CPU time, one after the other, come and go. */
static void test_unwanted(enum clock_kind kind, enum lots_mode mode)
{
    pthread_t worker;
    struct collect_options pauses = options_for(0, SLOW), cpu = options_for(1, FAST);
    pauses.events = COLLECT_HALT;
    cpu.clock = kind;
    cpu.clocks = mode;
    over = false;
    used_ns = 0;
    pthread_create(&worker, NULL, work, NULL);
    while (!used_ns)
        sched_yield();
    uint32_t first = session_start_with(&pauses) ? collect_newest() : 0;
    tap_ok(first && !clocks(), "%s: a recording of pauses sets no clock", clock_names[kind]);
    for (int i = 1; i <= 2; i++) {
        snprintf(cpu.file, sizeof cpu.file, "%s", files[i]);
        bool good = session_start_with(&cpu);
        uint32_t id = collect_newest();
        uint64_t from = used_ns;
        tap_ok(good && clocks() >= 1, "%s: recording %d of CPU time sets %d", clock_names[kind], i, clocks());
        collect_for(PHASE_MS);
        uint64_t to = used_ns;
        tap_ok(stop(id), "it ends");
        if (kind == CLOCK_SIGTRAP)
            check(i, "it", to - from, FAST);
        collect_for(PHASE_MS);
        tap_ok(!clocks() && !perf_events(), "%s: then %d threads have a clock, and %d events are open", clock_names[kind], clocks(),
               perf_events());
    }
    stop(first);
    over = true;
    pthread_join(worker, NULL);
}

static void *wait_until_over(void *tid)
{
    _Atomic int *own = tid;
    burn(20 * NS_PER_MS);
    *own = (int)syscall(SYS_gettid);
    while (!over)
        sched_yield();
    return NULL;
}

static struct sampled_thread *slot_of(int tid)
{
    uint32_t slot = atomic_load(&thread_slot_of_tid[tid]);
    return slot ? &sampled_threads[slot - 1] : NULL;
}

/* The clocks are dropped after a thread has ended that had no clock by lot, and before a scan has seen that. */
static void test_gone(void)
{
    pthread_t thread;
    _Atomic int tid = 0;
    struct collect_options pauses = options_for(0, SLOW), cpu = options_for(1, FAST);
    pauses.events = COLLECT_HALT;
    cpu.clocks = LOTS_LOT;
    over = false;
    uint32_t first = session_start_with(&pauses) ? collect_newest() : 0, second = session_start_with(&cpu) ? collect_newest() : 0;
    pthread_create(&thread, NULL, wait_until_over, (void *)&tid);
    while (!tid)
        sched_yield();
    collect_for(PHASE_MS);
    struct sampled_thread *t = slot_of(tid);
    uint64_t waited = t ? t->lot.waited_ns : 0;
    if (t)
        t->lot.waits = true;
    over = true;
    pthread_join(thread, NULL);
    stop(second);
    tap_ok(t && t->lot.waited_ns - waited < NS_PER_S, "a thread that is gone has waited %llu ns more",
           t ? (unsigned long long)(t->lot.waited_ns - waited) : 0);
    stop(first);
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *sleep_at_gate(void *tid)
{
    _Atomic int *own = tid;
    burn(20 * NS_PER_MS);
    *own = (int)syscall(SYS_gettid);
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return NULL;
}

/* A restless thread has fallen asleep: further draws leave its clock as it is. */
static void test_asleep(void)
{
    enum { TURNS = 2 * LOT_TURNS - 1 };
    pthread_t thread;
    _Atomic int tid = 0;
    struct collect_options cpu = options_for(1, FAST);
    cpu.clocks = LOTS_LOT;
    pthread_mutex_lock(&gate);
    uint32_t id = session_start_with(&cpu) ? collect_newest() : 0;
    pthread_create(&thread, NULL, sleep_at_gate, (void *)&tid);
    while (!tid)
        sched_yield();
    collect_for(PHASE_MS);
    struct sampled_thread *t = slot_of(tid);
    if (t)
        t->lot.restless = true;
    lot_draw_restless(FAST); /* it may have run since the last draw */
    uint8_t turn = t ? t->lot.turn : 0;
    uint32_t window = t ? t->lot.window : 0;
    for (int i = 0; i < TURNS; i++)
        lot_draw_restless(FAST);
    tap_ok(t && t->lot.turn == turn && t->lot.window == window, "%d draws leave a restless thread that is asleep as it is", TURNS);
    pthread_mutex_unlock(&gate);
    pthread_join(thread, NULL);
    stop(id);
}

/* ---- requests that are refused ---- */

static bool refused(const struct collect_options *o, const char *why)
{
    struct error e = {""};
    bool good = collect_start(o, false, NULL, &e) == -EBUSY && !strncmp(e.text, "already recording", 17) && strstr(e.text, why);
    tap_note("%s", e.text);
    return good;
}

static void test_refused(void)
{
    uint32_t ids[COLLECT_AT_ONCE], listed[COLLECT_AT_ONCE];
    for (int i = 0; i < COLLECT_AT_ONCE; i++)
        ids[i] = start(i, SLOW);
    struct collect_options fifth = options_for(4, SLOW);
    tap_ok(collect_ids(listed) == COLLECT_AT_ONCE && !memcmp(ids, listed, sizeof ids), "four run at once");
    tap_ok(refused(&fifth, files[0]) && access(files[4], F_OK), "a fifth is refused, with the names of the four");
    tap_ok(stop(ids[1]) || true, "one ends");
    struct collect_options same = options_for(0, SLOW), further = options_for(4, SLOW);
    struct collect_options alone = options_for(4, SLOW), counts = options_for(4, 1000);
    further.events |= COLLECT_LIVE | COLLECT_ALLOC;
    alone.events = COLLECT_SAFEPOINT;
    snprintf(counts.counter.name, sizeof counts.counter.name, "page-faults");
    tap_ok(refused(&further, "live") && refused(&alone, "safepoint") && refused(&counts, "count"), "so is what cannot be shared");
    struct error e;
    tap_ok(collect_start(&same, false, NULL, &e) && !strstr(e.text, "already recording"), "and a file that is being written: %s", e.text);
    tap_ok(collect_ids(listed) == 3, "three continue");
    for (int i = 0; i < COLLECT_AT_ONCE; i++)
        if (i != 1)
            stop(ids[i]);
    tap_ok(!collect_running(), "until they end");
}

int main(void)
{
    for (int i = 0; i < FILES; i++)
        snprintf(files[i], sizeof files[i], "/tmp/candor-sinks-%d-%d.jfr", (int)getpid(), i);
    test_parts();
    gc_events = (struct gc_events){open_pauses, close_pauses};
    test_come_and_go();
    test_unwanted(CLOCK_SIGTRAP, LOTS_ALL);
    test_unwanted(CLOCK_SIGTRAP, LOTS_LOT);
    test_unwanted(CLOCK_TIMER, LOTS_ALL);
    test_gone();
    test_asleep();
    test_refused();
    for (int i = 0; i < FILES; i++)
        unlink(files[i]);
    return tap_done();
}
