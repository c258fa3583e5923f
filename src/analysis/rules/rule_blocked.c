/* Finds important threads that wait although they should not: event loops, each of which serves many connections, and workers of the
 * common pool, whose number is at most that of the processors. */
#include "analysis/rules.h"

#include "analysis/findings.h"
#include "analysis/stack.h"
#include "analysis/tally.h"

#include <math.h>
#include <string.h>

#define LOOPS_WARNING 0.5 /* mean number of threads that wait */
#define POOL_WARNING  1.0 /* the same for the common pool */

enum { LOOKS_LEAST = 10 };

static bool has_name(const struct stack_marks *m, const struct profile_sample *s, const char *begin)
{
    return !strncmp(profile_text(m->profile, m->profile->threads[s->thread].name), begin, strlen(begin));
}

/* Whether the sample shows an event loop outside of its selector, or a thread of Reactor's Schedulers.parallel, which must not wait. Only
 * its name distinguishes such a thread from those of Schedulers.boundedElastic, which may. */
static bool is_of_loop(const struct stack_marks *m, const struct profile_sample *s)
{
    bool loops = stack_has(m, s->stack, STACK_LOOPS) && !stack_has(m, s->stack, STACK_SELECTS);
    return loops || (stack_has(m, s->stack, STACK_REACTS) && has_name(m, s, "parallel-"));
}

/* Whether the sample shows a worker of the common pool in a task. A worker that waits for other tasks of the pool does not count,
 * because it works on them or has another thread do so. */
static bool is_of_common_pool(const struct stack_marks *m, const struct profile_sample *s)
{
    return stack_has(m, s->stack, STACK_EXECUTES) && !stack_has(m, s->stack, STACK_AWAITS) &&
           has_name(m, s, "ForkJoinPool.commonPool-worker-");
}

static const struct blocked {
    enum finding_kind kind;
    bool (*is_of)(const struct stack_marks *m, const struct profile_sample *s);
    double limit;
    const char *words;
} kinds[] = {
    {FINDING_EVENT_LOOP_BLOCKED, is_of_loop, LOOPS_WARNING, "event loops"},
    {FINDING_COMMON_POOL_BLOCKED, is_of_common_pool, POOL_WARNING, "workers of the common pool"},
};

static void judge(struct findings *f, const struct evidence *e, const struct stack_marks *marks, const struct blocked *b)
{
    const struct profile *p = e->wall;
    struct tally threads, stacks; /* group 0 */
    double sum = 0, squares = 0;
    uint64_t looks = 0;
    tally_init(&threads);
    tally_init(&stacks);
    for (uint32_t i = 0; i < p->sample_count; i++) {
        const struct profile_sample *s = &p->samples[i];
        if (!jfr_state_waits((enum jfr_thread_state)s->state) || s->state == JFR_STATE_READY || !b->is_of(marks, s))
            continue;
        sum += (double)s->weight;
        squares += (double)s->weight * (double)s->weight;
        looks += s->count;
        tally_add(&threads, 0, s->thread, s->weight);
        tally_add(&stacks, 0, s->stack, s->weight);
    }
    f->failed = f->failed || threads.failed || stacks.failed;
    struct amount lost = amount_normal(sum, sqrt(squares)), mean = amount_scaled(lost, 1 / (double)e->duration_ns);
    double score = score_saturate(mean.low, b->limit);
    if (looks >= LOOKS_LEAST && score >= SCORE_INFO && !f->failed) {
        uint32_t site = stack_site(f, p, tally_largest(&stacks, 0)->key);
        findings_add(
            f, &(struct finding){
                   .kind = b->kind,
                   .score = score,
                   .text = findings_say(f, "%.2f %s on average (%.2f to %.2f) were blocked while other work needed them, mostly at %.300s",
                                        mean.value, b->words, mean.low, mean.high, findings_text(f, site)),
                   .site = site,
                   .count = looks,
                   .threads = tally_keys(&threads, 0),
                   .lost_ns = lost,
               });
    }
    tally_deinit(&threads);
    tally_deinit(&stacks);
}

void rule_blocked(struct findings *f, const struct evidence *e)
{
    struct stack_marks marks;
    if (!e->wall || !e->duration_ns)
        return;
    if (stack_marks_of(&marks, f, e->wall)) {
        f->failed = true;
        return;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        judge(f, e, &marks, &kinds[i]);
}
