/*
 * A producer that interrupts itself: a thread offers in a loop, and two signals offer to the same queue in their handlers, one of
 * which interrupts the other, 100,000 times in all, wherever they come. Neither hangs, and every element arrives once, in the order
 * of its context.
 *
 * tier: default
 * timeout: 300
 */
#include "../tap.h"

#include "queue_kinds.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define HANDLED 100000
#define CONTEXTS 3 /* the thread, the first signal, the second */
#define CAPACITY 64

/* Elements are numbers: the context and the count of what it offered. */
static struct {
    uint64_t accepted, refused, nested;
} made[CONTEXTS];
static struct {
    _Atomic(uint64_t) delivered; /* relaxed: holds the thread back where nothing else bounds it */
    uint64_t next;
} arrived[CONTEXTS];

static const struct queue_kind *kind;
static struct any_queue q;
static uint64_t damaged;
static _Atomic(unsigned) handled; /* written in handlers of one thread */
static volatile sig_atomic_t depth;
static _Atomic(bool) done;

static void offer(unsigned context)
{
    uint64_t n = made[context].accepted + 1;

    /* mpsc chunked's strict form may wait for a producer that this one has interrupted, and mpmc's for a consumer. */
    if ((context ? kind->relaxed_offer : kind->offer)(&q, (void *)(uintptr_t)(n * 16 + context * 4)))
        made[context].accepted = n;
    else
        made[context].refused++;
}

static void handle(int number)
{
    unsigned context = number == SIGUSR1 ? 1 : 2;

    made[context].nested += depth++ > 0;
    offer(context);
    depth--;
    /* Relaxed: a count. */
    atomic_fetch_add_explicit(&handled, 1, memory_order_relaxed);
}

static void take(void *context, void *element)
{
    uint64_t word = (uintptr_t)element, from = word % 16 / 4;

    if (from >= CONTEXTS || word / 16 != arrived[from].next + 1) {
        damaged++;
        return;
    }
    arrived[from].next++;
    atomic_fetch_add_explicit(&arrived[from].delivered, 1, memory_order_relaxed);
}

static void *consume(void *argument)
{
    bool over;

    do {
        /* Acquire: pairs with the release in run. */
        over = atomic_load_explicit(&done, memory_order_acquire);
        if (kind->drain(&q, take, NULL, 1000) > 0)
            over = false;
        else if (!over)
            sched_yield();
    } while (!over);
    return argument;
}

static void *disturb(void *argument)
{
    pthread_t victim = *(pthread_t *)argument;

    for (unsigned i = 0; atomic_load_explicit(&handled, memory_order_relaxed) < HANDLED; i++) {
        pthread_kill(victim, i % 2 ? SIGUSR1 : SIGUSR2);
        if (i % 64 == 0)
            sched_yield();
    }
    return NULL;
}

static void run(const char *name)
{
    pthread_t self = pthread_self(), threads[2];
    uint64_t accepted = 0, delivered = 0;

    for (unsigned i = 0; i < queue_kind_count; i++) {
        if (strcmp(queue_kinds[i].name, name) == 0)
            kind = &queue_kinds[i];
    }
    memset(made, 0, sizeof made);
    for (unsigned i = 0; i < CONTEXTS; i++) {
        atomic_store(&arrived[i].delivered, 0);
        arrived[i].next = 0;
    }
    damaged = 0;
    atomic_store(&handled, 0);
    atomic_store(&done, false);
    kind->make(&q, CAPACITY, 0);
    pthread_create(&threads[0], NULL, consume, NULL);
    pthread_create(&threads[1], NULL, disturb, &self);
    while (atomic_load_explicit(&handled, memory_order_relaxed) < HANDLED) {
        if (kind->bounded ||
            made[0].accepted - atomic_load_explicit(&arrived[0].delivered, memory_order_relaxed) < QUEUE_MAX / 4)
            offer(0);
    }
    pthread_join(threads[1], NULL);
    atomic_store_explicit(&done, true, memory_order_release);
    pthread_join(threads[0], NULL);
    for (unsigned i = 0; i < CONTEXTS; i++) {
        accepted += made[i].accepted;
        delivered += atomic_load(&arrived[i].delivered);
    }
    tap_ok(damaged == 0 && accepted == delivered && made[1].accepted > 0 && made[2].accepted > 0,
           "%s: %u handlers, %llu of them in another (refused %llu): all %llu elements arrive once and in order", name,
           atomic_load(&handled), (unsigned long long)(made[1].nested + made[2].nested),
           (unsigned long long)(made[1].refused + made[2].refused), (unsigned long long)accepted);
    tap_ok(queue_kind_free(kind, &q), "... and its memory is whole");
}

int main(void)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};

    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    run("mpsc array");
    run("mpsc chunked");
    run("mpsc unbounded");
    run("mpsc linked");
    run("mpmc array");
    return tap_done();
}
