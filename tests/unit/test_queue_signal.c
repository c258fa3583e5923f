/*
 * Signal handlers as producers. Two timers interrupt one thread at a high rate, each with its own queue; the second signal interrupts
 * the handler of the first in the middle of a record. Both queues share a pool that runs out sometimes; a consumer reads and shrinks at
 * the same time. If signals come faster than their handlers end, which may happen on an emulated processor, the rate is halved until the
 * thread itself runs again.
 *
 * tier: quick
 * timeout: 120
 * aarch64: yes
 */
#include "../tap.h"

#include "candor/queue.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define HANDLED     10000 /* the test ends after this many signals of each kind */
#define BREATHLESS  100   /* signals in a row, with the thread itself never running in between */
#define MAX_WORDS   400
#define CHUNKS      10
#define CHUNK_WORDS 128

struct context {
    struct candor_queue q;
    _Atomic(uint64_t) handled; /* written by the handler, read by all threads */
    uint64_t accepted, refused, nested;
    uint64_t delivered, next;
    bool damaged;
};

static struct context contexts[2];
static _Atomic(unsigned) depth;    /* relaxed: it is written by one thread, and atomic only because of its handlers */
static _Atomic(unsigned) in_a_row; /* likewise */
static uint64_t words[MAX_WORDS];
static timer_t timers[2];
static long period_ns[2] = {23000, 17000};

static size_t length_of(uint64_t n)
{
    return 1 + n * 7919 % MAX_WORDS;
}

static void set_timers(void)
{
    for (int i = 0; i < 2; i++) {
        struct itimerspec when = {{0, period_ns[i]}, {0, period_ns[i]}};
        if (timer_settime(timers[i], 0, &when, NULL) != 0)
            abort();
    }
}

static void slow_down(void)
{
    atomic_store_explicit(&in_a_row, 0, memory_order_relaxed);
    for (int i = 0; i < 2; i++)
        period_ns[i] = period_ns[i] < 100000000 ? 2 * period_ns[i] : period_ns[i];
    set_timers();
}

static void handle(int signal_number)
{
    struct context *c = &contexts[signal_number == SIGUSR2];
    uint64_t n = atomic_load_explicit(&c->handled, memory_order_relaxed) + 1;
    size_t length = length_of(n);

    if (atomic_fetch_add_explicit(&in_a_row, 1, memory_order_relaxed) == BREATHLESS)
        slow_down();
    c->nested += atomic_fetch_add_explicit(&depth, 1, memory_order_relaxed) > 0;
    candor_queue_begin(&c->q);
    for (size_t i = 0; i < length; i++)
        candor_queue_put(&c->q, n + i);
    if (candor_queue_commit(&c->q))
        c->accepted++;
    else
        c->refused++;
    atomic_fetch_sub_explicit(&depth, 1, memory_order_relaxed);
    /* Release: pairs with the acquire in is_enough and main. */
    atomic_store_explicit(&c->handled, n, memory_order_release);
}

static bool is_enough(void)
{
    return atomic_load_explicit(&contexts[0].handled, memory_order_acquire) >= HANDLED &&
           atomic_load_explicit(&contexts[1].handled, memory_order_acquire) >= HANDLED;
}

static timer_t make_timer(int signal_number)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal_number};
    timer_t timer;

    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
        abort();
    return timer;
}

static void *produce(void *argument)
{
    timers[0] = make_timer(SIGUSR1);
    timers[1] = make_timer(SIGUSR2);
    set_timers();
    while (!is_enough())
        atomic_store_explicit(&in_a_row, 0, memory_order_relaxed);
    timer_delete(timers[0]);
    timer_delete(timers[1]);
    return argument;
}

static bool consume_one(struct context *c)
{
    size_t length = candor_queue_read(&c->q, words, MAX_WORDS);

    if (length == 0)
        return false;
    c->damaged |= length > MAX_WORDS || words[0] < c->next || length != length_of(words[0]);
    for (size_t i = 0; i < length && !c->damaged; i++)
        c->damaged = words[i] != words[0] + i;
    c->next = words[0] + 1;
    c->delivered++;
    return true;
}

static void consume(void)
{
    for (int i = 0; i < 2; i++) {
        while (consume_one(&contexts[i]))
            ;
        candor_queue_shrink(&contexts[i].q);
    }
}

static void check(const char *name, const struct context *c)
{
    uint64_t handled = atomic_load_explicit(&c->handled, memory_order_acquire);

    tap_ok(!c->damaged, "%s signal: records arrive whole and in order", name);
    tap_ok(c->delivered == c->accepted && c->accepted + c->refused == handled,
           "... all %llu of %llu that were accepted (%llu refused, %llu in a nested handler)", (unsigned long long)c->accepted,
           (unsigned long long)handled, (unsigned long long)c->refused, (unsigned long long)c->nested);
}

int main(void)
{
    void *memory = calloc(1, candor_pool_bytes(CHUNKS, CHUNK_WORDS));
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    struct timespec nap = {0, 200000};
    struct candor_pool pool;
    pthread_t thread;

    candor_pool_init(&pool, memory, CHUNKS, CHUNK_WORDS);
    candor_queue_init(&contexts[0].q, &pool);
    candor_queue_init(&contexts[1].q, &pool);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    pthread_create(&thread, NULL, produce, NULL);
    while (!is_enough()) {
        consume();
        nanosleep(&nap, NULL);
    }
    pthread_join(thread, NULL);
    consume();
    check("first", &contexts[0]);
    check("second", &contexts[1]);
    tap_ok(candor_pool_in_use(&pool) == 0, "the pool is whole");
    free(memory);
    return tap_done();
}
