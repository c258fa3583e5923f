/* Finds a line at which one request waits for many answers, one after the other: a query for each row, a call for each item.
 *
 * A program that simply uses its database looks the same, unless it is known which waits belong to the same work. The context of the
 * samples says it: they have the same thread and the same trace. A wall-clock sample also shows whether its thread still waits as in the
 * sample before it, so samples with different waits count these waits; short ones between two samples are missed. */
#include "analysis/rules.h"

#include "analysis/findings.h"
#include "analysis/stack.h"
#include "analysis/tally.h"
#include "base/text/units.h"
#include "profile/owner.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WAITERS_WARNING 1.0 /* mean number of threads that wait */

enum { WAITS_LEAST = 3, VISITS_LEAST = 5 }; /* of a request, and requests; fewer may be chance */

/* The samples in which a thread waits for an answer. */
struct looks {
    const struct profile *p;
    struct stack_marks marks;
    uint32_t *list; /* their indices, by thread and time */
    uint32_t count;
};

/* Samples in a row with the same thread, trace and place. */
struct visit {
    const struct profile_sample *first;
    uint32_t trace, waits;
    double ns;
};

/* The visits with many waits. */
struct asking {
    struct tally sites, threads;
    uint64_t visits, waits;
    double ns, squares;
};

/* Returns the trace of a set of labels, as a string of the profile; 0 = none. */
static uint32_t trace_of(const struct profile *p, uint32_t labels)
{
    for (; labels; labels = p->labels[labels].parent)
        if (!strcmp(profile_text(p, p->labels[labels].key), "trace_id"))
            return p->labels[labels].value;
    return 0;
}

/* Virtual threads are left out: their samples do not show whether they still wait. */
static bool asks(const struct looks *l, const struct profile_sample *s)
{
    return s->wait != PROFILE_WAIT_UNKNOWN && stack_has(&l->marks, s->stack, STACK_ASKS) && jfr_state_waits(s->state) &&
           s->state != JFR_STATE_READY && !l->p->threads[s->thread].virtual_threads && trace_of(l->p, s->labels);
}

static int by_thread_and_time(const void *left, const void *right, void *samples)
{
    const struct profile_sample *list = samples, *a = &list[*(const uint32_t *)left], *b = &list[*(const uint32_t *)right];
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

static int list_looks(struct looks *l)
{
    const struct profile *p = l->p;
    l->list = malloc(((size_t)p->sample_count + 1) * sizeof *l->list);
    if (!l->list)
        return -ENOMEM;
    for (uint32_t i = 0; i < p->sample_count; i++)
        if (asks(l, &p->samples[i]))
            l->list[l->count++] = i;
    if (l->count)
        qsort_r(l->list, l->count, sizeof *l->list, by_thread_and_time, p->samples);
    return 0;
}

/* Returns the innermost frame of the program in that stack, as a node; 0 = none. */
static uint32_t own_frame(const struct profile *p, uint32_t stack)
{
    while (stack && owner_of_frame(p, &p->frames[p->nodes[stack].frame]) != CODE_OF_PROGRAM)
        stack = p->nodes[stack].parent;
    return stack;
}

/* Whether two stacks have the same lines of the program. A line may have several frames: interpreted, compiled, inlined. */
static bool is_same_path(const struct profile *p, uint32_t a, uint32_t b)
{
    for (a = own_frame(p, a), b = own_frame(p, b); a != b; a = own_frame(p, p->nodes[a].parent), b = own_frame(p, p->nodes[b].parent)) {
        const struct profile_frame *one = &p->frames[p->nodes[a].frame], *other = &p->frames[p->nodes[b].frame];
        if (!a || !b || one->method != other->method || one->line != other->line)
            return false;
    }
    return true;
}

static bool goes_on(const struct profile *p, const struct visit *v, const struct profile_sample *s)
{
    return v->first && v->first->thread == s->thread && v->trace == trace_of(p, s->labels) && is_same_path(p, v->first->stack, s->stack);
}

static void end_visit(struct asking *a, struct findings *f, const struct profile *p, const struct visit *v)
{
    if (v->waits < WAITS_LEAST || !own_frame(p, v->first->stack))
        return;
    a->visits++;
    a->waits += v->waits;
    a->ns += v->ns;
    a->squares += v->ns * v->ns;
    tally_add(&a->sites, 0, stack_site(f, p, v->first->stack), amount_whole(v->ns));
    tally_add(&a->threads, 0, v->first->thread, 1);
}

static void add_visits(struct asking *a, struct findings *f, const struct looks *l)
{
    struct visit v = {0};
    for (uint32_t i = 0; i < l->count; i++) {
        const struct profile_sample *s = &l->p->samples[l->list[i]];
        if (!goes_on(l->p, &v, s)) {
            end_visit(a, f, l->p, &v);
            v = (struct visit){.first = s, .trace = trace_of(l->p, s->labels)};
        }
        v.waits += s->wait == PROFILE_WAIT_NEW;
        v.ns += (double)s->weight;
    }
    end_visit(a, f, l->p, &v);
}

static void judge(struct findings *f, const struct evidence *e, const struct asking *a)
{
    char each[32];
    if (a->visits < VISITS_LEAST)
        return;
    struct amount lost = amount_normal(a->ns, sqrt(a->squares)), mean = amount_scaled(lost, 1 / (double)e->duration_ns);
    uint32_t site = tally_largest(&a->sites, 0)->key;
    findings_add(f, &(struct finding){
                        .kind = FINDING_REQUESTS_ONE_BY_ONE,
                        .score = score_saturate(mean.low, WAITERS_WARNING),
                        .text = findings_say(f,
                                             "%.2f threads on average (%.2f to %.2f) waited for one answer after the other for the same "
                                             "request, most of that time at %.300s; samples show %llu such requests, with %.1f waits or "
                                             "more and %s each",
                                             mean.value, mean.low, mean.high, findings_text(f, site), (unsigned long long)a->visits,
                                             (double)a->waits / (double)a->visits,
                                             units_format_duration(each, sizeof each, amount_whole(a->ns / (double)a->visits))),
                        .site = site,
                        .count = a->waits,
                        .threads = tally_keys(&a->threads, 0),
                        .lost_ns = lost,
                    });
}

void rule_requests(struct findings *f, const struct evidence *e)
{
    struct looks l = {.p = e->wall};
    struct asking a = {0};
    if (!e->wall || !e->duration_ns || e->wall->label_count < 2) /* the first set of labels is the empty one */
        return;
    tally_init(&a.sites);
    tally_init(&a.threads);
    if (stack_marks_of(&l.marks, f, e->wall) || list_looks(&l))
        f->failed = true;
    else
        add_visits(&a, f, &l);
    f->failed = f->failed || a.sites.failed || a.threads.failed;
    if (!f->failed)
        judge(f, e, &a);
    tally_deinit(&a.sites);
    tally_deinit(&a.threads);
    free(l.list);
}
