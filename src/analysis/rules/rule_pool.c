/* Finds pools of threads that are all busy while other threads wait for results of tasks that no thread has begun.
 *
 * A thread in FutureTask.get or CompletableFuture.join waits for a task, and each running task has a worker. Therefore the number of
 * threads that wait for running tasks is at most the number of busy workers. The other waiting threads wait for tasks in a queue. Their
 * number is a lower bound of the queue's length, because there may be tasks for which no thread waits. */
#include "analysis/rules.h"

#include "analysis/findings.h"
#include "analysis/stack.h"
#include "analysis/tally.h"
#include "profile/figures/stats.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define QUEUE_WARNING 1.0  /* mean number of tasks that wait */
#define IDLE_MOST     0.25 /* largest idle share of the workers' time in a pool that is too small */
#define IN_USE        0.75 /* as a share of the processors; from here on more workers would only share them */

enum { NAME_MAX_BYTES = 128 };

struct crew {
    struct findings *f;
    const struct profile *p;
    const struct evidence *e;
    struct tally busy, idle, squares;    /* by the pool's name, as a string id of the findings, and by thread; squares: of weights in us */
    struct tally running, ready;         /* parts of busy: on a processor, and ready without one; by the pool's name, thread 0 */
    double computing_ns;                 /* time of all threads on a processor, or ready for one */
    double waiting_ns, busy_ns, squared; /* squared: the sum of the squares of both weights */
    uint64_t waits;
    struct tally waiters, sites; /* group 0, by thread and stack */
};

/* Returns the name of a thread's pool: "pool-1-thread-" for "pool-1-thread-12". */
static uint32_t pool_of(struct crew *c, const struct profile_sample *s)
{
    char name[NAME_MAX_BYTES];
    snprintf(name, sizeof name, "%s", profile_text(c->p, c->p->threads[s->thread].name));
    size_t n = strlen(name);
    while (n && isdigit((unsigned char)name[n - 1]))
        n--;
    name[n] = 0;
    return findings_string(c->f, n ? name : "[no name]");
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

static void add_waiter(struct crew *c, const struct profile_sample *s)
{
    c->waits += s->count;
    c->waiting_ns += (double)s->weight;
    c->squared += (double)s->weight * (double)s->weight;
    tally_add(&c->waiters, 0, s->thread, s->weight);
    tally_add(&c->sites, 0, s->stack, s->weight);
}

/* Adds up the samples. A worker that has been woken for a task but has no processor yet is not idle. */
static void add_samples(struct crew *c)
{
    struct stack_marks marks;
    if (stack_marks_of(&marks, c->f, c->p))
        c->f->failed = true;
    for (uint32_t i = 0; !c->f->failed && i < c->p->sample_count; i++) {
        const struct profile_sample *s = &c->p->samples[i];
        bool sleeps = jfr_state_waits((enum jfr_thread_state)s->state) && s->state != JFR_STATE_READY;
        c->computing_ns += sleeps ? 0 : (double)s->weight;
        if (stack_has(&marks, s->stack, STACK_WORKS))
            add_worker(c, s, stack_is_idle(&marks, s->stack) && sleeps);
        if (stack_has(&marks, s->stack, STACK_AWAITS) && sleeps)
            add_waiter(c, s);
    }
}

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

/* Returns the busiest pool that has hardly any idle time; 0 = there is none. */
static uint32_t full_pool(const struct crew *c)
{
    uint32_t found = 0;
    uint64_t most = 0;
    for (uint32_t i = 0; i < c->busy.count; i++) {
        uint32_t pool = c->busy.rows[i].group;
        uint64_t busy = tally_weight(&c->busy, pool);
        if (busy > most && idle_share(c, pool).high <= IDLE_MOST && !lacks_processors(c, pool)) {
            found = pool;
            most = busy;
        }
    }
    return found;
}

static void judge(struct crew *c, const struct evidence *e)
{
    uint32_t pool = full_pool(c), workers = tally_keys(&c->busy, pool);
    const struct tally_row *site = tally_largest(&c->sites, 0);
    struct amount queued = amount_normal(fmax(0, c->waiting_ns - c->busy_ns), sqrt(c->squared));
    struct amount mean = amount_scaled(queued, 1 / (double)e->duration_ns);
    if (!pool || !site)
        return;
    uint32_t where = stack_site(c->f, c->p, site->key);
    findings_add(c->f,
                 &(struct finding){
                     .kind = FINDING_POOL_TOO_SMALL,
                     .score = score_saturate(mean.low, QUEUE_WARNING),
                     .text = findings_say(c->f,
                                          "%.1f tasks on average (%.1f to %.1f) waited for a thread of %.120s*, which has %u threads, busy "
                                          "for %.0f %% of the time; other threads wait for the results of these tasks at %.300s",
                                          mean.value, mean.low, mean.high, findings_text(c->f, pool), workers,
                                          100 * (1 - idle_share(c, pool).value), findings_text(c->f, where)),
                     .subject = pool,
                     .site = where,
                     .count = c->waits,
                     .threads = tally_keys(&c->waiters, 0),
                     .lost_ns = queued,
                     .remedy = "use more core threads: a pool adds further threads only when its queue is full, which never happens with "
                               "an unbounded queue",
                 });
}

void rule_pool(struct findings *f, const struct evidence *e)
{
    struct crew c = {.f = f, .p = e->wall, .e = e};
    if (!e->wall || !e->duration_ns)
        return;
    struct tally *tallies[] = {&c.busy, &c.idle, &c.squares, &c.running, &c.ready, &c.waiters, &c.sites};
    for (size_t i = 0; i < sizeof tallies / sizeof *tallies; i++)
        tally_init(tallies[i]);
    add_samples(&c);
    if (!f->failed)
        judge(&c, e);
    for (size_t i = 0; i < sizeof tallies / sizeof *tallies; i++) {
        f->failed = f->failed || tallies[i]->failed;
        tally_deinit(tallies[i]);
    }
}
