/* Finds pools of threads that are all busy while other threads wait for results of tasks that no thread has begun.
 *
 * A thread in FutureTask.get or CompletableFuture.join waits for a task, and each running task has a worker. Therefore the number of
 * threads that wait for running tasks is at most the number of busy workers. The other waiting threads wait for tasks in a queue. Their
 * number is a lower bound of the queue's length, because there may be tasks for which no thread waits.
 *
 * The same holds for the threads that wait at one place of the program. Workers of another pool that wait there, as the request threads of
 * a server do, run no task for which others wait there, so they are not subtracted, if the tasks of the full pool have results to wait for:
 * a pool may also be busy with an endless loop.
 *
 * Waiting threads are seen by the wall clock, and their waits are recorded with exact times (event lock). The latter also count threads
 * that wait for a CountDownLatch, unless they do so until the end, as main threads do. */
#include "analysis/rules.h"

#include "analysis/findings.h"
#include "analysis/stack.h"
#include "analysis/tally.h"
#include "profile/figures/stats.h"
#include "profile/locks.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUEUE_WARNING 1.0  /* mean number of tasks that wait */
#define IDLE_MOST     0.25 /* largest idle share of the workers' time in a pool that is too small */
#define IN_USE        0.75 /* as a share of the processors; from here on more workers would only share them */
#define RESULTS       0.5  /* least share of a pool's busy time with tasks that have results */
#define NESTED        0.5  /* from this share of a pool's busy time on its tasks wait for other tasks of the pool */

/* A single worker may be an endless loop, and nothing connects a latch with the pool whose task counts it down. */
enum { NAME_MAX_BYTES = 128, LATCH_WORKERS = 2 };

/* Waiting threads, as one of the two profiles shows them. */
struct waits {
    const struct profile *p;
    struct tally threads, stacks; /* by place: the innermost method of the program, as a string id of the findings */
    uint64_t count;
    double ns, squared; /* squared: the sum of the squares of the weights, of draws */
};

/* Pools are string ids of the findings, too. */
struct crew {
    struct findings *f;
    const struct profile *p;
    const struct evidence *e;
    struct tally busy, idle, squares; /* by pool and thread; squares: of weights in us */
    struct tally running, ready;      /* parts of busy: on a processor, and ready without one; by pool, thread 0 */
    double computing_ns;              /* time of all threads on a processor, or ready for one */
    double busy_ns, squared;
    struct tally calls;                 /* workers that wait for tasks: by pool and place */
    struct tally others;                /* those of other pools than the full one: by place, thread 0 */
    struct tally results;               /* part of busy: tasks with a result; by pool, thread 0 */
    struct waits looks, timed, latches; /* timed: of tasks */
    uint32_t *pools;                    /* of threads that were asked for; 0 = not yet */
};

struct queued {
    struct amount ns;
    const struct waits *waits; /* NULL = no thread waits */
    uint32_t place;
};

/* ---- adding up ---- */

/* Returns the name of a thread's pool: "pool-1-thread-" for "pool-1-thread-12". */
static uint32_t pool_of(struct crew *c, const struct profile_sample *s)
{
    char name[NAME_MAX_BYTES];
    if (c->pools[s->thread])
        return c->pools[s->thread];
    snprintf(name, sizeof name, "%s", profile_text(c->p, c->p->threads[s->thread].name));
    size_t n = strlen(name);
    while (n && isdigit((unsigned char)name[n - 1]))
        n--;
    name[n] = 0;
    return c->pools[s->thread] = findings_string(c->f, n ? name : "[no name]");
}

static void add_worker(struct crew *c, const struct profile_sample *s, bool is_idle)
{
    uint32_t pool = pool_of(c, s);
    uint64_t us = s->weight / 1000;
    tally_add(is_idle ? &c->idle : &c->busy, pool, s->thread, s->weight);
    tally_add(&c->squares, pool, 0, us * us);
    if (is_idle)
        return;
    if (!jfr_state_waits((enum jfr_thread_state)s->state))
        tally_add(&c->running, pool, 0, s->weight);
    else if (s->state == JFR_STATE_READY)
        tally_add(&c->ready, pool, 0, s->weight);
    c->busy_ns += (double)s->weight;
    c->squared += (double)s->weight * (double)s->weight;
}

static void add_wait(struct waits *w, const struct profile_sample *s, uint32_t place)
{
    w->count += s->count;
    w->ns += (double)s->weight;
    tally_add(&w->threads, place, s->thread, s->weight);
    tally_add(&w->stacks, place, s->stack, s->weight);
}

static uint32_t place_of(const struct crew *c, const struct stack_marks *marks, uint32_t stack)
{
    return findings_string(c->f, profile_text(marks->profile, stack_own(marks, stack)));
}

/* Adds a look at a thread. A worker that has been woken for a task but has no processor yet is not idle. */
static void add_look(struct crew *c, const struct stack_marks *marks, const struct profile_sample *s)
{
    bool sleeps = jfr_state_waits((enum jfr_thread_state)s->state) && s->state != JFR_STATE_READY;
    bool works = stack_has(marks, s->stack, STACK_WORKS), awaits = stack_has(marks, s->stack, STACK_AWAITS);
    c->computing_ns += sleeps ? 0 : (double)s->weight;
    if (works)
        add_worker(c, s, stack_is_idle(marks, s->stack) && sleeps);
    if (works && stack_has(marks, s->stack, STACK_RESULTS))
        tally_add(&c->results, pool_of(c, s), 0, s->weight);
    if (works && sleeps && (awaits || stack_has(marks, s->stack, STACK_LATCHES)))
        tally_add(&c->calls, pool_of(c, s), place_of(c, marks, s->stack), s->weight);
    if (awaits && sleeps) {
        add_wait(&c->looks, s, place_of(c, marks, s->stack));
        c->looks.squared += (double)s->weight * (double)s->weight;
    }
}

static void add_timed(struct crew *c, const struct stack_marks *marks, const struct profile_sample *s)
{
    if (s->state != JFR_STATE_PARKED)
        return;
    if (stack_has(marks, s->stack, STACK_AWAITS))
        add_wait(&c->timed, s, place_of(c, marks, s->stack));
    else if (stack_has(marks, s->stack, STACK_LATCHES) && !locks_label(marks->profile, s, "open"))
        add_wait(&c->latches, s, place_of(c, marks, s->stack));
}

static void add_samples(struct crew *c, const struct profile *p,
                        void (*add)(struct crew *, const struct stack_marks *, const struct profile_sample *))
{
    struct stack_marks marks;
    if (stack_marks_of(&marks, c->f, p))
        c->f->failed = true;
    for (uint32_t i = 0; !c->f->failed && i < p->sample_count; i++)
        add(c, &marks, &p->samples[i]);
}

/* ---- judging ---- */

static struct amount idle_share(const struct crew *c, uint32_t pool)
{
    double idle = (double)tally_weight(&c->idle, pool), all = idle + (double)tally_weight(&c->busy, pool);
    return amount_share(idle, all, stats_effective_size(all / 1e3, (double)tally_weight(&c->squares, pool)));
}

/* Whether the pool's tasks compute rather than wait, and the processors have no time for more tasks. */
static bool lacks_processors(const struct crew *c, uint32_t pool)
{
    uint64_t running = tally_weight(&c->running, pool), waiting = tally_weight(&c->busy, pool) - running - tally_weight(&c->ready, pool);
    return c->e->processors && running >= waiting && c->computing_ns >= IN_USE * (double)c->e->processors * (double)c->e->duration_ns;
}

/* Returns the time in which the pool's workers wait for other tasks. */
static uint64_t calling_ns(const struct crew *c, uint32_t pool)
{
    return tally_weight(&c->calls, pool);
}

/* Returns the pool that has hardly any idle time, and whose workers wait least for other tasks; 0 = there is none. */
static uint32_t full_pool(const struct crew *c)
{
    uint32_t found = 0;
    double most = -1;
    for (uint32_t i = 0; i < c->busy.count; i++) {
        uint32_t pool = c->busy.rows[i].group;
        double works = (double)tally_weight(&c->busy, pool) - (double)calling_ns(c, pool);
        if (works > most && idle_share(c, pool).high <= IDLE_MOST && !lacks_processors(c, pool)) {
            found = pool;
            most = works;
        }
    }
    return found;
}

/* Adds up by place the workers of other pools than the full one that wait for its results. */
static void add_others(struct crew *c, uint32_t full)
{
    bool has_results = (double)tally_weight(&c->results, full) >= RESULTS * (double)tally_weight(&c->busy, full);
    for (uint32_t i = 0; has_results && i < c->calls.count; i++)
        if (c->calls.rows[i].group != full)
            tally_add(&c->others, c->calls.rows[i].key, 0, c->calls.rows[i].weight);
}

/* Returns the time in which workers were busy, without those of other pools that wait at this place. */
static double busy_besides(const struct crew *c, uint32_t place)
{
    return c->busy_ns - (double)tally_weight(&c->others, place);
}

static void take(struct queued *q, const struct crew *c, const struct waits *w, uint32_t place, double queued_ns)
{
    struct amount ns = amount_normal(fmax(0, queued_ns), sqrt(w->squared + c->squared));
    if (!q->waits || ns.low > q->ns.low)
        *q = (struct queued){ns, w, place};
}

/* Keeps the largest lower bound: of each place alone, and of all places together. The place with the most waiting stands for them all. */
static void take_largest(struct queued *q, const struct crew *c, const struct waits *w)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < w->stacks.count; i++) {
        uint32_t place = w->stacks.rows[i].group;
        if (tally_largest(&w->stacks, place) != &w->stacks.rows[i])
            continue; /* once for each place */
        double waiting = (double)tally_weight(&w->stacks, place);
        most = waiting > (double)tally_weight(&w->stacks, most) ? place : most;
        take(q, c, w, place, waiting - busy_besides(c, place));
    }
    if (w->stacks.count)
        take(q, c, w, most, w->ns - c->busy_ns);
}

/* Whether another pool has tasks for whose results this pool's tasks may wait. */
static bool has_other_results(const struct crew *c, uint32_t pool)
{
    for (uint32_t i = 0; i < c->results.count; i++)
        if (c->results.rows[i].group != pool)
            return true;
    return false;
}

/* Whether the pool's tasks wait for other tasks of the pool; then sets *place. If all its workers do, none of them ever ends. Tasks that
 * wait for latches may wait for anything. */
static bool is_nested(const struct crew *c, uint32_t pool, uint32_t *place)
{
    bool calls = (double)calling_ns(c, pool) >= NESTED * (double)tally_weight(&c->busy, pool);
    if (!calls || has_other_results(c, pool))
        return false;
    uint32_t most = tally_largest(&c->calls, pool)->key;
    bool awaits = tally_largest(&c->looks.stacks, most);
    *place = awaits ? most : *place;
    return awaits;
}

/* Whether these are workers of a ForkJoinPool with their default names. */
static bool is_fork_join(const struct crew *c, uint32_t pool)
{
    return !strncmp(findings_text(c->f, pool), "ForkJoinPool", strlen("ForkJoinPool"));
}

static void judge(struct crew *c)
{
    uint32_t pool = full_pool(c), workers = tally_keys(&c->busy, pool);
    struct queued q = {0};
    add_others(c, pool);
    take_largest(&q, c, &c->looks);
    take_largest(&q, c, &c->timed);
    if (workers >= LATCH_WORKERS)
        take_largest(&q, c, &c->latches);
    if (!pool || !q.waits)
        return;
    bool nested = is_nested(c, pool, &q.place);
    q.waits = nested ? &c->looks : q.waits;
    struct amount mean = amount_scaled(q.ns, 1 / (double)c->e->duration_ns);
    uint32_t where = stack_site(c->f, q.waits->p, tally_largest(&q.waits->stacks, q.place)->key);
    findings_add(
        c->f,
        &(struct finding){
            .kind = FINDING_POOL_TOO_SMALL,
            .score = score_saturate(mean.low, QUEUE_WARNING),
            .text =
                findings_say(c->f,
                             "%.1f tasks on average (%.1f to %.1f) waited for a thread of %.120s*, which has %u thread%s, busy "
                             "for %.0f %% of the time; %s wait for the results of these tasks at %.300s",
                             mean.value, mean.low, mean.high, findings_text(c->f, pool), workers, workers == 1 ? "" : "s",
                             100 * (1 - idle_share(c, pool).value), nested ? "its own tasks" : "other threads", findings_text(c->f, where)),
            .subject = pool,
            .site = where,
            .count = q.waits->count,
            .threads = tally_keys(&q.waits->threads, q.place),
            .lost_ns = q.ns,
            .remedy = nested ? "give the inner tasks a pool of their own, or run them in the task that waits for them: if all "
                               "threads of a pool wait for its queue, they wait forever"
                      : is_fork_join(c, pool)
                          ? "run tasks that wait in a pool of their own, with as many threads as may wait at a time: a ForkJoinPool has "
                            "one for each processor"
                          : "use more core threads: a pool adds further threads only when its queue is full, which never "
                            "happens with an unbounded queue",
        });
}

void rule_pool(struct findings *f, const struct evidence *e)
{
    struct crew c = {.f = f, .p = e->wall, .e = e, .looks = {.p = e->wall}, .timed = {.p = e->lock}, .latches = {.p = e->lock}};
    if (!e->wall || !e->duration_ns)
        return;
    struct tally *tallies[] = {&c.busy,          &c.idle,         &c.squares,         &c.running,       &c.ready,
                               &c.results,       &c.calls,        &c.others,          &c.looks.threads, &c.looks.stacks,
                               &c.timed.threads, &c.timed.stacks, &c.latches.threads, &c.latches.stacks};
    for (size_t i = 0; i < sizeof tallies / sizeof *tallies; i++)
        tally_init(tallies[i]);
    c.pools = calloc((size_t)e->wall->thread_count + 1, sizeof *c.pools);
    f->failed = f->failed || !c.pools;
    if (c.pools)
        add_samples(&c, e->wall, add_look);
    if (e->lock && evidence_has(e, SOURCE_PARKS))
        add_samples(&c, e->lock, add_timed);
    if (!f->failed)
        judge(&c);
    for (size_t i = 0; i < sizeof tallies / sizeof *tallies; i++) {
        f->failed = f->failed || tallies[i]->failed;
        tally_deinit(tallies[i]);
    }
    free(c.pools);
}
