/* A collector that does not drain: the queues fill the memory that they have and no more, and each sample that finds no room is counted.
 * tier: default
 * timeout: 240
 * sanitize: no
 *
 * The test's own thread plays the collector, and drains nothing; another thread burns CPU time below a deep stack. */
#include "../tap.h"
#include "session.h"

#include "agent/hot/record.h"
#include "agent/trigger/threads.h"
#include "profile/load/load_jfr.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { US = 1000, MS = 1000000, MIB = 1 << 20, DEPTH = FRAMES_MAX + 100, LOST_LEAST = 300, POOL_MIB = 32, BOOKS_AND_STACK_MIB = 8 };

static char file[64];
static _Atomic bool done;

static int work_below(int depth)
{
    volatile int deeper = depth;
    if (depth < DEPTH)
        return work_below(depth + 1) + deeper;
    while (!done)
        burn(MS);
    return deeper;
}

static void *work(void *unused)
{
    threads_java_begin(0, 0, "deep");
    work_below(0);
    threads_java_end();
    return NULL;
}

/* State of the one sampled thread, at one moment: while no handler was counting. */
struct counts {
    uint64_t offered, offered_ns, taken, lost, lost_ns, lost_otherwise;
};

static struct counts counts_now(void)
{
    const struct sampled_thread *t = &sampled_threads[0];
    struct counts c;
    do {
        while (atomic_load(&t->gate.inside))
            ;
        c = (struct counts){.offered = counter_get(&t->counts.expiries),
                            .offered_ns = counter_get(&t->counts.expiry_ns),
                            .taken = counter_get(&t->counts.samples),
                            .lost = counter_get(&t->counts.lost[LOSS_QUEUE_FULL]),
                            .lost_ns = counter_get(&t->counts.lost_ns[LOSS_QUEUE_FULL])};
        for (int i = 0; i < LOSS_COUNT; i++)
            c.lost_otherwise += i == LOSS_QUEUE_FULL ? 0 : counter_get(&t->counts.lost[i]);
        atomic_thread_fence(memory_order_acquire);
    } while (atomic_load(&t->gate.inside) || c.offered != counter_get(&t->counts.expiries));
    return c;
}

static long resident_mib(void)
{
    long pages = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (fscanf(f, "%ld %ld", &pages, &resident) != 2)
        resident = 0;
    fclose(f);
    return resident * sysconf(_SC_PAGESIZE) / MIB;
}

static void test_full(void)
{
    struct timespec pause = {.tv_nsec = MS};
    struct counts c;
    long before = resident_mib();
    while ((c = counts_now()).lost < LOST_LEAST)
        nanosleep(&pause, NULL);
    long grown = resident_mib() - before;
    tap_ok(!c.lost_otherwise && threads_limit() == 1, "%" PRIu64 " samples find the pool empty", c.lost);
    tap_ok(c.offered == c.taken + c.lost && c.offered_ns > c.lost_ns, "%" PRIu64 " came: %" PRIu64 " are in the queue, the others lost",
           c.offered, c.taken);
    tap_ok(c.taken >= (uint64_t)POOL_MIB * MIB / 8 / RECORD_WORDS_MAX - 16 && grown <= POOL_MIB + BOOKS_AND_STACK_MIB,
           "the queue took %ld MiB", grown);
}

/* Finally the collector drains. */
static void test_recovery(void)
{
    struct timespec pause = {.tv_nsec = MS};
    collect_tick();
    struct counts before = counts_now(), now;
    while ((now = counts_now()).taken < before.taken + 500) {
        nanosleep(&pause, NULL);
        collect_tick();
    }
    tap_ok(now.lost == before.lost, "a collector that comes again finds all the room there was");
}

static void test_recording(void)
{
    struct profile p;
    struct counts c = counts_now();
    bool good = session_stop();
    profile_init(&p);
    good = !profile_load_jfr(&p, file, &session_error) && good;
    const struct profile_book *b = profile_book(&p, "lost", "queue_full");
    tap_ok(good && b && b->count == c.lost && p.cpu_samples + b->count == c.offered,
           "%" PRIu64 " samples in the recording and %" PRIu64 " lost in its books are all that came", p.cpu_samples, c.lost);
    tap_ok(b && (uint64_t)b->ns == c.lost_ns && p.weight + (uint64_t)b->ns == c.offered_ns, "and so are their weights");
    profile_deinit(&p);
}

int main(void)
{
    struct clock c;
    pthread_t thread;
    snprintf(file, sizeof file, "/tmp/candor-full-%d.jfr", (int)getpid());
    if (clock_choose(&c, CLOCK_AUTO, 100 * US, &session_error) || (c.kind != CLOCK_SIGTRAP && c.kind != CLOCK_SIGNAL)) {
        tap_skip("no clock here is fast enough to fill the pool: perf events are refused");
        return tap_done();
    }
    if (tap_ok(session_start(file, CLOCK_AUTO, 100 * US), "a recording starts")) {
        pthread_create(&thread, NULL, work, NULL);
        test_full();
        test_recovery();
        done = true;
        pthread_join(thread, NULL); /* its counters stay until the collector's next tick */
        test_recording();
    }
    unlink(file);
    return tap_done();
}
