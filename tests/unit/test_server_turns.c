/*
 * Clients of the server take turns: one who wants everything leaves something to others, both of the workers' threads and of the turns to
 * read recordings.
 * tier: quick
 * timeout: 60
 */
#include "../tap.h"

#include "server/access/turns.h"
#include "server/front/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { MANY = 40, THREADS = 16, GREEDY = 1, MODEST = 2 };

/* ---- workers ---- */

struct task {
    struct job job; /* the first member */
};

static struct task tasks[2 * MANY];
static atomic_uint began[3], done; /* by owner */
static atomic_bool open_gate;

static void run(struct job *job)
{
    atomic_fetch_add(&began[job->owner], 1);
    while (job->owner == GREEDY && !atomic_load(&open_gate))
        usleep(1000);
}

static void on_done(void *context, struct job *job)
{
    (void)context;
    (void)job;
    atomic_fetch_add(&done, 1);
}

static void submit(struct workers *w, unsigned at, unsigned n, uint64_t owner)
{
    for (unsigned i = at; i < at + n; i++) {
        tasks[i].job.owner = owner;
        workers_submit(w, LANE_QUERY, &tasks[i].job);
    }
}

static bool wait_for(const atomic_uint *count, unsigned n)
{
    for (int i = 0; i < 30000 && atomic_load(count) < n; i++)
        usleep(1000);
    return atomic_load(count) >= n;
}

static void test_workers(void)
{
    struct workers *w;
    struct error e;
    if (workers_start(&w, run, on_done, NULL, &e)) {
        tap_ok(false, "the workers start");
        return;
    }
    submit(w, 0, MANY, GREEDY);
    tap_ok(wait_for(&began[GREEDY], THREADS - THREADS / 4), "a client has most threads of a lane");
    submit(w, MANY, MANY, MODEST);
    tap_ok(wait_for(&done, MANY), "while they hang, all jobs of another are done");
    tap_ok(atomic_load(&began[GREEDY]) == THREADS - THREADS / 4, "and the first one has got no more threads");
    atomic_store(&open_gate, true);
    workers_stop(w);
    tap_ok(atomic_load(&done) == 2 * MANY, "in the end all of them are done");
}

/* ---- turns ---- */

static struct turns turns;
static const atomic_bool never;
static pthread_mutex_t order_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t order[MANY];
static atomic_uint count;

static void *want(void *owner)
{
    bool taken = turns_take(&turns, (uint64_t)(uintptr_t)owner, 60, &never);
    pthread_mutex_lock(&order_lock);
    order[atomic_load(&count)] = taken ? (uint64_t)(uintptr_t)owner : 0;
    atomic_fetch_add(&count, 1);
    pthread_mutex_unlock(&order_lock);
    return NULL;
}

static struct turns_waiter **end_of_line(void)
{
    pthread_mutex_lock(&turns.lock);
    struct turns_waiter **last = turns.last;
    pthread_mutex_unlock(&turns.lock);
    return last;
}

/* Starts a thread, and returns when it waits. */
static pthread_t start(uintptr_t owner)
{
    pthread_t thread;
    struct turns_waiter **before = end_of_line();
    pthread_create(&thread, NULL, want, (void *)owner);
    while (end_of_line() == before)
        usleep(1000);
    return thread;
}

static void test_turns(void)
{
    pthread_t threads[8];
    turns_init(&turns, 2);
    tap_ok(turns_take(&turns, GREEDY, 60, &never) && turns_take(&turns, GREEDY, 60, &never), "both turns are one client's");
    tap_ok(!turns_take(&turns, MODEST, 1, &never), "a third one waits in vain if none is given back");
    for (int i = 0; i < 7; i++)
        threads[i] = start(GREEDY);
    threads[7] = start(MODEST);
    turns_give(&turns, GREEDY);
    tap_ok(wait_for(&count, 1) && order[0] == MODEST, "the next turn is for the client that has none, although others came before");
    for (unsigned given = 0; given < 7; given++) {
        turns_give(&turns, given ? GREEDY : MODEST);
        wait_for(&count, given + 2);
    }
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    tap_ok(atomic_load(&count) == 8, "all get one in the end");
    turns_give(&turns, GREEDY);
    turns_give(&turns, GREEDY);
    tap_ok(turns.count == 0, "and none is left");
    turns_deinit(&turns);
}

int main(void)
{
    test_workers();
    test_turns();
    return tap_done();
}
