/*
 * A producer that interrupts itself: a thread pushes in a loop, and a timer's handler pushes to the same queue, at any point. Each queue
 * runs in a separate process. If nothing was pushed for a second, the queue is reported as hung.
 *
 * usage: nested SECONDS     one line of CSV per queue: queue,pushes,signals,hung
 */
#include "candor/queue.h"

#include <ck_ring.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SLOTS     1024
#define PERIOD_NS 20000

/* A ring whose producers publish in the order of their claims, with one index, as DPDK's rte_ring does for many producers. */
struct ordered_ring {
    uint64_t head __attribute__((aligned(128)));
    uint64_t tail __attribute__((aligned(128)));
    uint64_t taken __attribute__((aligned(128)));
    void *slots[SLOTS];
};

static struct ordered_ring ordered;
static ck_ring_t ck_ring;
static ck_ring_buffer_t ck_buffer[SLOTS];
static struct candor_mpsc_array array;
static struct candor_mpsc_chunked chunked;
static struct candor_mpsc_linked linked;
static struct candor_pool rings, nodes;
static uint64_t slots[SLOTS], ring_memory[SLOTS * 4], node_memory[SLOTS * 4];

static bool push_ordered(void *element, bool handler)
{
    uint64_t head = __atomic_load_n(&ordered.head, __ATOMIC_RELAXED);

    do {
        if (head - __atomic_load_n(&ordered.taken, __ATOMIC_ACQUIRE) >= SLOTS)
            return false;
    } while (!__atomic_compare_exchange_n(&ordered.head, &head, head + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    ordered.slots[head % SLOTS] = element;
    while (__atomic_load_n(&ordered.tail, __ATOMIC_RELAXED) != head) /* an earlier producer: perhaps the one we interrupted */
        candor_queue_pause();
    __atomic_store_n(&ordered.tail, head + 1, __ATOMIC_RELEASE);
    return true;
}

static void *pop_ordered(void)
{
    uint64_t taken = __atomic_load_n(&ordered.taken, __ATOMIC_RELAXED);
    void *element;

    if (__atomic_load_n(&ordered.tail, __ATOMIC_ACQUIRE) == taken)
        return NULL;
    element = ordered.slots[taken % SLOTS];
    __atomic_store_n(&ordered.taken, taken + 1, __ATOMIC_RELEASE);
    return element;
}

static bool push_ck(void *element, bool handler)
{
    return ck_ring_enqueue_mpsc(&ck_ring, ck_buffer, element);
}

static void *pop_ck(void)
{
    void *element;

    return ck_ring_dequeue_mpsc(&ck_ring, ck_buffer, &element) ? element : NULL;
}

static bool push_array(void *element, bool handler)
{
    return candor_mpsc_array_offer(&array, element);
}

static void *pop_array(void)
{
    return candor_mpsc_array_relaxed_poll(&array);
}

static bool push_chunked(void *element, bool handler)
{
    return handler ? candor_mpsc_chunked_relaxed_offer(&chunked, element) : candor_mpsc_chunked_offer(&chunked, element);
}

static void *pop_chunked(void)
{
    return candor_mpsc_chunked_relaxed_poll(&chunked);
}

static bool push_linked(void *element, bool handler)
{
    return candor_mpsc_linked_offer(&linked, element);
}

static void *pop_linked(void)
{
    return candor_mpsc_linked_relaxed_poll(&linked);
}

static const struct contender {
    const char *name;
    bool (*push)(void *element, bool handler);
    void *(*pop)(void);
} contenders[] = {
    {"ck_ring mpsc", push_ck, pop_ck},
    {"ordered ring (as rte_ring)", push_ordered, pop_ordered},
    {"candor mpsc array", push_array, pop_array},
    {"candor mpsc chunked", push_chunked, pop_chunked},
    {"candor mpsc linked", push_linked, pop_linked},
};

/* Shared with the process that watches. */
static struct {
    _Atomic(uint64_t) pushes, signals;
} * shared;
static const struct contender *running;

static void handle(int number)
{
    running->push((void *)16, true);
    shared->signals++;
    shared->pushes++;
}

static void *consume(void *argument)
{
    for (;;) {
        if (!running->pop())
            sched_yield();
    }
    return argument;
}

static void init(void)
{
    ck_ring_init(&ck_ring, SLOTS);
    candor_mpsc_array_init(&array, slots, SLOTS);
    if (candor_pool_bytes(8, 129) > sizeof ring_memory || candor_pool_init(&rings, ring_memory, 8, 129) ||
        candor_mpsc_chunked_init(&chunked, &rings, CANDOR_QUEUE_UNBOUNDED) || candor_pool_bytes(SLOTS, 2) > sizeof node_memory ||
        candor_pool_init(&nodes, node_memory, SLOTS, 2) || candor_mpsc_linked_init(&linked, &nodes))
        abort();
}

static void produce(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
    struct itimerspec when = {{0, PERIOD_NS}, {0, PERIOD_NS}};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    pthread_t thread;
    timer_t timer;

    init();
    pthread_create(&thread, NULL, consume, NULL);
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    sigaction(SIGUSR1, &action, NULL);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &when, NULL) != 0)
        abort();
    for (;;) {
        running->push((void *)8, false);
        shared->pushes++;
    }
}

/* Returns true if it stopped before its time. */
static bool watch(pid_t child, int seconds)
{
    uint64_t before = 0;
    bool hung = false;

    for (int i = 0; i < seconds && !hung; i++) {
        sleep(1);
        hung = shared->pushes == before;
        before = shared->pushes;
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return hung;
}

int main(int argc, char **argv)
{
    int seconds = argc == 2 ? atoi(argv[1]) : 0;

    if (seconds < 1) {
        fprintf(stderr, "usage: nested SECONDS\n");
        return 2;
    }
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 1;
    puts("queue,pushes,signals,hung");
    for (size_t i = 0; i < sizeof contenders / sizeof *contenders; i++) {
        pid_t child;
        bool hung;

        fflush(stdout);
        shared->pushes = shared->signals = 0;
        running = &contenders[i];
        child = fork();
        if (child == 0)
            produce();
        hung = watch(child, seconds);
        printf("%s,%llu,%llu,%s\n", running->name, (unsigned long long)shared->pushes, (unsigned long long)shared->signals,
               hung ? "yes" : "no");
    }
    return 0;
}
