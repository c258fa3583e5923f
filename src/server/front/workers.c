#include "server/front/workers.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const unsigned lane_threads[LANES] = {[LANE_SHORT] = 4, [LANE_RECEIVE] = 16, [LANE_QUERY] = 16};
enum { THREADS_MAX = 36 };

struct queue {
    struct workers *workers;
    pthread_cond_t more;
    struct job *first, **last;
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

/* Waits for the next job, and returns it. Returns NULL if there will be no more. */
static struct job *take(struct queue *q)
{
    struct workers *w = q->workers;
    pthread_mutex_lock(&w->lock);
    while (!q->first && !w->stopping)
        pthread_cond_wait(&q->more, &w->lock);
    struct job *job = q->first;
    if (job && !(q->first = job->next))
        q->last = &q->first;
    pthread_mutex_unlock(&w->lock);
    return job;
}

static void *work(void *context)
{
    struct queue *q = context;
    for (struct job *job; (job = take(q));) {
        q->workers->run(job);
        q->workers->done(q->workers->context, job);
    }
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
        *q = (struct queue){.workers = w, .last = &q->first};
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
    job->next = NULL;
    pthread_mutex_lock(&w->lock);
    *q->last = job;
    q->last = &job->next;
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
