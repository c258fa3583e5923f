/* The event lock without a JVM: what happens to each wait on its way into the file, and the books of the waiting time.
 * tier: quick
 * timeout: 120
 * sanitize: no
 *
 * The test plays the JVM: its threads call the functions that the JVM's callbacks call around a wait. There are no tables with which a
 * stack could be walked or an owner found, so each event fails with that reason, and must be in the file all the same. The duration of a
 * wait is measured from outside and from inside. */
#include "../tap.h"
#include "session.h"

#include "agent/hot/calls/lock.h"
#include "agent/hot/layout.h"
#include "agent/hot/walk/walk.h"
#include "agent/trigger/jvm/lock_events.h"
#include "agent/trigger/threads.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "profile/load/load_jfr.h"
#include "profile/locks.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 4, WAITS = 200, FLOOD = 5000, SOMEBODY = 4096 };

static char file[64];
static int open_count;
static _Atomic int ended;
static _Atomic uint64_t inner_ns, outer_ns;
static int waits_of_each, microseconds;

static int open_events(struct error *e)
{
    open_count++;
    return 0;
}

static int refuse_events(struct error *e)
{
    return error_set(e, -95, "this JVM refuses");
}

static void close_events(void)
{
    open_count--;
}

static void wait_once(const char *class_name)
{
    struct lock_wait wait;
    uint64_t outer = clock_monotonic_ns();
    lock_begin_monitor(SOMEBODY);
    uint64_t inner = clock_monotonic_ns();
    if (microseconds)
        usleep((useconds_t)microseconds);
    inner_ns += clock_monotonic_ns() - inner;
    bool wanted = lock_end_monitor(&wait);
    outer_ns += clock_monotonic_ns() - outer;
    if (wanted)
        lock_record(&wait, class_name, 0);
}

static void *work(void *unused)
{
    threads_java_begin(SOMEBODY, 7, "waits");
    for (int i = 0; i < waits_of_each; i++)
        wait_once(i % 2 ? "Ljava/util/Map;" : "[I");
    threads_java_end();
    ended++;
    return unused;
}

static bool start(struct lock_options lock)
{
    struct collect_options o = {.events = COLLECT_LOCK, .interval_ns = 10 * NS_PER_MS, .lock = lock};
    snprintf(o.file, sizeof o.file, "%s", file);
    ended = 0;
    inner_ns = outer_ns = 0;
    return session_start_with(&o);
}

static void run_threads(int count, int waits, int us)
{
    pthread_t threads[THREADS];
    waits_of_each = waits;
    microseconds = us;
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    while (ended < count) {
        collect_tick();
        usleep(1000);
    }
    collect_tick();
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static int64_t book(const struct profile *p, const char *account, const char *reason, uint64_t *count)
{
    const struct profile_book *line = profile_book(p, account, reason);
    *count = line ? line->count : 0;
    return line ? line->ns : 0;
}

static bool load(struct profile *p)
{
    struct error e;
    profile_init(p);
    return tap_ok(!profile_load_jfr(p, file, &e) && p->kind == PROFILE_LOCK, "the recording can be read, and is of waits");
}

static bool closes(const struct profile *p)
{
    uint64_t n;
    int64_t lost = 0;
    for (uint32_t i = 0; i < p->book_count; i++)
        if (!strcmp(profile_text(p, p->books[i].account), "lock_lost"))
            lost += p->books[i].ns;
    return book(p, "lock_time", "monitor", &n) + book(p, "lock_time", "park", &n) ==
           book(p, "lock_whole", "", &n) + book(p, "lock_drawn", "", &n) + lost + book(p, "lock_residual", "", &n);
}

static uint32_t count_of_class(const struct profile *p, const char *name)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->sample_count; i++)
        count += !strcmp(profile_text(p, locks_label(p, &p->samples[i], "class")), name);
    return count;
}

static void test_whole(void)
{
    struct profile p;
    uint64_t count, taken, n;
    if (!tap_ok(start((struct lock_options){.has_threshold = true}), "a recording of all waits begins"))
        return;
    run_threads(THREADS, WAITS, 200);
    tap_ok(session_stop() && !open_count, "and ends");
    if (!load(&p))
        return;
    int64_t waited = book(&p, "lock_time", "monitor", &count);
    tap_ok(count == THREADS * WAITS && p.sample_count == count, "all %u waits are in the file, and in the books", p.sample_count);
    tap_ok(waited >= (int64_t)inner_ns && waited <= (int64_t)outer_ns, "they took what they took");
    tap_ok((int64_t)p.weight == waited && book(&p, "lock_whole", "", &taken) == waited && taken == count &&
               !book(&p, "lock_residual", "", &n) && closes(&p),
           "and weigh that, to the nanosecond");
    tap_ok(count_of_class(&p, "int[]") == count / 2 && count_of_class(&p, "java.util.Map") == count / 2,
           "the locks' classes are named as people write them");
    tap_ok(!strcmp(profile_text(&p, p.samples[0].outcome), "unreadable") && p.samples[0].state == JFR_STATE_MONITOR,
           "no stack, and the reason");
    tap_ok(!p.problem_count, "nothing is wrong with it");
    profile_deinit(&p);
}

/* All waits are shorter than the threshold: the drawn waits weigh thresholds, and the sum is off by less than one threshold for each
 * thread. */
static void test_drawn(void)
{
    const uint64_t threshold = NS_PER_S;
    struct profile p;
    uint64_t count, taken, longer, n;
    if (!tap_ok(start((struct lock_options){.has_threshold = true, .threshold_ns = threshold}), "a recording with a threshold begins"))
        return;
    run_threads(THREADS, WAITS, 100);
    session_stop();
    if (!load(&p))
        return;
    book(&p, "lock_time", "monitor", &count);
    int64_t drawn = book(&p, "lock_drawn", "", &taken), residual = book(&p, "lock_residual", "", &n);
    int64_t whole = book(&p, "lock_whole", "", &longer); /* no wait, unless the machine stood still */
    tap_ok(count == THREADS * WAITS && taken + longer == p.sample_count && taken < count, "of %" PRIu64 " waits %" PRIu64 " are drawn",
           count, taken);
    tap_ok((uint64_t)drawn % threshold == 0 && (uint64_t)(drawn + whole) == p.weight, "each weighs thresholds");
    tap_ok(closes(&p) && residual <= (int64_t)(THREADS * threshold) && residual >= -(int64_t)(THREADS * threshold),
           "the books balance, with less than a threshold a thread left over");
    profile_deinit(&p);
}

static _Atomic bool has_begun, may_end;
static bool was_wanted;

static void *wait_on(void *unused)
{
    struct lock_wait wait;
    threads_java_begin(SOMEBODY, 8, "waits on");
    lock_begin_monitor(SOMEBODY);
    has_begun = true;
    while (!may_end)
        usleep(1000);
    was_wanted = lock_end_monitor(&wait);
    threads_java_end();
    return unused;
}

static void test_open(void)
{
    struct profile p;
    uint64_t open, count;
    pthread_t thread;
    if (!tap_ok(start((struct lock_options){.has_threshold = true}), "a recording begins that ends before a wait does"))
        return;
    pthread_create(&thread, NULL, wait_on, NULL);
    while (!has_begun)
        usleep(1000);
    session_stop();
    may_end = true;
    pthread_join(thread, NULL);
    tap_ok(!was_wanted, "the end of the wait is nobody's");
    if (!load(&p))
        return;
    int64_t waited = book(&p, "lock_time", "monitor", &count), went_on = book(&p, "lock_open", "", &open);
    tap_ok(count == 1 && open == 1 && waited == went_on && waited > 0 && p.sample_count == 1 && (int64_t)p.weight == waited && closes(&p),
           "it is in the recording, with its time until then");
    tap_ok(p.sample_count == 1 && locks_label(&p, &p.samples[0], "open"), "and says so");
    profile_deinit(&p);
}

/* The JVM's structures for a thread that waits for a monitor. */
static struct {
    uint64_t monitor;
    const uint32_t *os_thread;
} java_thread;
static uint32_t os_thread_id;

static void *wait_since_before(void *unused)
{
    threads_java_begin((uintptr_t)&java_thread, 8, "waited before");
    os_thread_id += (uint32_t)syscall(SYS_gettid);
    has_begun = true;
    while (!may_end)
        usleep(1000);
    threads_java_end();
    return unused;
}

/* How many waits are recorded for a thread whose waits nobody saw begin. id_off: the difference between the id in the JVM's structure
 * and its own. */
static uint64_t record_since_before(uint32_t id_off)
{
    struct profile p;
    struct error e;
    uint64_t open = 0;
    pthread_t thread;
    has_begun = may_end = false;
    os_thread_id = id_off;
    if (!tap_ok(start((struct lock_options){.has_threshold = true}), "a recording begins while a thread waits"))
        return 0;
    pthread_create(&thread, NULL, wait_since_before, NULL);
    while (!has_begun)
        usleep(1000);
    session_stop();
    may_end = true;
    pthread_join(thread, NULL);
    profile_init(&p);
    if (tap_ok(!profile_load_jfr(&p, file, &e), "the recording can be read"))
        book(&p, "lock_open", "", &open);
    profile_deinit(&p);
    return open;
}

static void test_since_before(void)
{
    const struct vm_layout before = vm_layout;
    java_thread.monitor = SOMEBODY;
    java_thread.os_thread = &os_thread_id;
    vm_layout.thread_pending_monitor = (struct vm_field){0, 8};
    vm_layout.thread_osthread = (struct vm_field){sizeof java_thread.monitor, 8};
    vm_layout.osthread_tid = (struct vm_field){0, 4};
    tap_ok(record_since_before(0) == 1, "its wait is recorded");
    tap_ok(record_since_before(1) == 0, "but not that of a thread that has its structure now");
    vm_layout = before;
}

/* Far more waits than are to be recorded: the threshold rises, and the waits until then are counted. */
static void test_flood(void)
{
    struct profile p;
    uint64_t count, taken, drawn, thrown, by_queue, n;
    if (!tap_ok(start((struct lock_options){.has_threshold = true, .rate = 1}), "a recording with a rate begins"))
        return;
    run_threads(1, FLOOD, 0);
    session_stop();
    if (!load(&p))
        return;
    int64_t waited = book(&p, "lock_time", "monitor", &count);
    book(&p, "lock_whole", "", &taken);
    book(&p, "lock_drawn", "", &drawn);
    book(&p, "lock_lost", "throttled", &thrown);
    book(&p, "lock_lost", "queue_full", &by_queue);
    tap_ok(count == FLOOD && waited > 0 && book(&p, "lock_threshold", "monitor", &n) > 0 && !book(&p, "lock_threshold", "other", &n),
           "of %" PRIu64 " waits: the threshold was raised, of monitors", count);
    tap_ok(taken + drawn == p.sample_count && taken + drawn + thrown + by_queue <= FLOOD,
           "%" PRIu64 " are recorded for their length, %" PRIu64 " drawn, %" PRIu64 " thrown away", taken, drawn, thrown);
    tap_ok(closes(&p), "the books balance");
    profile_deinit(&p);
}

static void test_refused(void)
{
    unlink(file); /* from the previous test: an earlier recording is kept if a new one is refused */
    lock_events.open = refuse_events;
    tap_ok(!start((struct lock_options){.has_threshold = true}) && strstr(session_error.text, "refuses") && !collect_running(),
           "who is refused has no recording");
    tap_ok(access(file, F_OK) != 0, "and no file");
    lock_events.open = open_events;
    tap_ok(start((struct lock_options){.has_threshold = true}) && session_stop(), "and can try again");
}

/* The last test: after a fault in the agent the process is not sampled any more. */
static void *wait_badly(void *unused)
{
    threads_java_begin(SOMEBODY, 9, "faults");
    wait_once((const char *)8);
    wait_once("[I");
    threads_java_end();
    return unused;
}

static void test_fault(void)
{
    struct profile p;
    uint64_t lost, taken;
    pthread_t thread;
    if (!tap_ok(start((struct lock_options){.has_threshold = true}), "a recording begins in which the agent faults"))
        return;
    microseconds = 1000;
    pthread_create(&thread, NULL, wait_badly, NULL);
    pthread_join(thread, NULL);
    collect_tick();
    tap_ok(session_stop(), "the process continues, and the recording ends normally");
    if (!load(&p))
        return;
    int64_t ns = book(&p, "lock_lost", "internal_fault", &lost);
    book(&p, "lock_whole", "", &taken);
    tap_ok(lost == 1 && ns > 0 && !taken, "the wait is lost and counted, the next one is not taken");
    tap_ok(p.problem_count > 0, "the log tells of the fault");
    profile_deinit(&p);
}

int main(void)
{
    snprintf(file, sizeof file, "/tmp/candor-test-lock-%d.jfr", getpid());
    lock_events = (struct lock_events){open_events, close_events};
    walk_libjvm_low = (uintptr_t)main; /* the library whose tables get the hook */
    test_whole();
    test_drawn();
    test_open();
    test_since_before();
    test_flood();
    test_refused();
    test_fault();
    unlink(file);
    return tap_done();
}
