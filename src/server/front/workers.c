#include "server/front/workers.h"

#include "base/text/units.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const unsigned lane_threads[LANES] = {[LANE_SHORT] = 4, [LANE_RECEIVE] = 16, [LANE_QUERY] = 16};
enum {
    THREADS_MAX = 36,
    CLIENTS = 4096,
    KEPT = 4, /* one thread in this many is reserved for clients that have no thread yet */
};

/* The jobs of a client that wait in a lane. A part of the clients' numbers distinguishes them. */
struct client {
    struct job *first, **last;
    struct client *next; /* the next one in the lane's round; only if it has jobs */
    unsigned running;    /* threads that work for it */
};

struct queue {
    struct workers *workers;
    pthread_cond_t more;
    unsigned threads, running;
    struct client *first, **last; /* the round of clients that have jobs */
    struct client clients[CLIENTS];
};

struct workers {
    pthread_mutex_t lock; /* protects all members below */
    struct queue queues[LANES];
    bool stopping;
    pthread_t threads[THREADS_MAX];
    unsigned thread_count;
    void (*run)(struct job *job);
    void (*done)(void *context, struct job *job);
    void *context;
};

/* Puts a client at the end of the round. */
static void line_up(struct queue *q, struct client *c)
{
    c->next = NULL;
    *q->last = c;
    q->last = &c->next;
}

/* Whether a thread may work for the client: the last free threads are reserved for clients that have no thread yet. */
static bool may_run(const struct queue *q, const struct client *c)
{
    return !c->running || q->threads - q->running > q->threads / KEPT || q->workers->stopping;
}

/* Takes a job of the first client of the round that may have a thread. Clients without a thread come before the others. Returns NULL if
 * there is none. */
static struct job *take_next(struct queue *q)
{
    struct client **best = NULL;
    for (struct client **at = &q->first; *at && (!best || (*best)->running); at = &(*at)->next)
        if (may_run(q, *at) && (!best || !(*at)->running))
            best = at;
    if (!best)
        return NULL;
    struct client *c = *best;
    *best = c->next;
    if (q->last == &c->next)
        q->last = best;
    struct job *job = c->first;
    c->first = job->next;
    if (c->first)
        line_up(q, c);
    c->running++;
    q->running++;
    return job;
}

static struct client *client_of(struct queue *q, const struct job *job)
{
    return &q->clients[job->owner % CLIENTS];
}

/* Waits for the next job, and returns it. Returns NULL if there will be no more. */
static struct job *take(struct queue *q)
{
    struct workers *w = q->workers;
    struct job *job;
    while (!(job = take_next(q)) && !w->stopping)
        pthread_cond_wait(&q->more, &w->lock);
    return job;
}

static void *work(void *context)
{
    struct queue *q = context;
    struct workers *w = q->workers;
    pthread_mutex_lock(&w->lock);
    for (struct job *job; (job = take(q));) {
        struct client *c = client_of(q, job);
        pthread_mutex_unlock(&w->lock);
        w->run(job);
        w->done(w->context, job); /* from here on, the job is not ours */
        pthread_mutex_lock(&w->lock);
        c->running--;
        q->running--;
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

int workers_start(struct workers **out, void (*run)(struct job *job), void (*done)(void *context, struct job *job), void *context,
                  struct error *e)
{
    struct workers *w = *out = calloc(1, sizeof *w);
    if (!w)
        return error_set(e, -ENOMEM, "out of memory");
    *w = (struct workers){.run = run, .done = done, .context = context};
    pthread_mutex_init(&w->lock, NULL);
    int rc = 0;
    for (int lane = 0; lane < LANES; lane++) {
        struct queue *q = &w->queues[lane];
        q->workers = w;
        q->last = &q->first;
        q->threads = lane_threads[lane];
        pthread_cond_init(&q->more, NULL);
        for (unsigned i = 0; !rc && i < lane_threads[lane]; i++) {
            rc = pthread_create(&w->threads[w->thread_count], NULL, work, q);
            w->thread_count += !rc;
        }
    }
    if (!rc)
        return 0;
    workers_stop(w);
    *out = NULL;
    return error_set(e, -rc, "cannot start a thread: %s", strerror(rc));
}

void workers_submit(struct workers *w, enum lane lane, struct job *job)
{
    struct queue *q = &w->queues[lane];
    struct client *c = client_of(q, job);
    job->next = NULL;
    job->since_ns = clock_monotonic_ns();
    pthread_mutex_lock(&w->lock);
    if (!c->first) {
        line_up(q, c);
        c->last = &c->first;
    }
    *c->last = job;
    c->last = &job->next;
    pthread_cond_signal(&q->more);
    pthread_mutex_unlock(&w->lock);
}

void workers_stop(struct workers *w)
{
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->stopping = true;
    for (int lane = 0; lane < LANES; lane++)
        pthread_cond_broadcast(&w->queues[lane].more);
    pthread_mutex_unlock(&w->lock);
    for (unsigned i = 0; i < w->thread_count; i++)
        pthread_join(w->threads[i], NULL);
    for (int lane = 0; lane < LANES; lane++)
        pthread_cond_destroy(&w->queues[lane].more);
    pthread_mutex_destroy(&w->lock);
    free(w);
}
