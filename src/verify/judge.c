#include "verify/judge.h"

#include "base/time_units.h"
#include "profile/accounts.h"
#include "profile/figures/successive.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const double JUDGE_TOLERANCE = 0.01, JUDGE_CPU_TOLERANCE = 0.02;

enum { CLOCKS_APART_NS = 10 * NS_PER_MS };

static const char ROUND_THREADS[] = "verify-";

/* Assigns samples to parts. methods: the methods of the parts, without duplicates. */
struct matching {
    const struct profile *p;
    const struct truth *truth;
    const char *methods[TRUTH_PARTS_MAX];
    uint32_t method_count;
    uint32_t *innermost; /* by stack: index in methods of the innermost one, plus 1; 0 = none of them is in the stack */
};

static bool begins(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

static uint32_t method_number(const struct matching *m, const char *name)
{
    uint32_t i = 0;
    while (i < m->method_count && strcmp(m->methods[i], name))
        i++;
    return i;
}

static int matching_init(struct matching *m, const struct truth *truth, const struct profile *p)
{
    *m = (struct matching){.p = p, .truth = truth, .innermost = calloc(p->node_count, sizeof *m->innermost)};
    uint32_t *of_frame = calloc(p->frame_count + 1, sizeof *of_frame);
    for (uint32_t i = 0; i < truth->count; i++) {
        const char *method = truth->parts[i].method;
        if (*method && method_number(m, method) == m->method_count)
            m->methods[m->method_count++] = method;
    }
    for (uint32_t i = 0; of_frame && i < p->frame_count; i++) {
        uint32_t number = method_number(m, profile_text(p, p->frames[i].label));
        of_frame[i] = number < m->method_count ? number + 1 : 0;
    }
    for (uint32_t i = 1; of_frame && m->innermost && i < p->node_count; i++) {
        uint32_t own = of_frame[p->nodes[i].frame];
        m->innermost[i] = own ? own : m->innermost[p->nodes[i].parent];
    }
    int rc = of_frame && m->innermost ? 0 : -ENOMEM;
    free(of_frame);
    return rc;
}

static const char *thread_name(const struct matching *m, const struct profile_sample *s)
{
    return profile_text(m->p, m->p->threads[s->thread].name);
}

/* Whether a sample belongs to the round. Carriers also work before the round, and earlier and later rounds have threads with the same
 * names. The times of samples in a recording may be wrong by a few milliseconds. */
static bool is_of_round(const struct matching *m, const struct profile_sample *s)
{
    const char *name = thread_name(m, s);
    bool is = begins(name, ROUND_THREADS);
    for (uint32_t i = 0; i < m->truth->carrier_count && !is; i++)
        is = begins(name, m->truth->carriers[i]);
    return is && s->time_ns >= m->truth->begin_ns - CLOCKS_APART_NS && s->time_ns <= m->truth->end_ns + CLOCKS_APART_NS;
}

/* Whether a sample of the round belongs to the part. A profiler that does not know virtual threads shows their work in their
 * carriers. */
static bool is_part(const struct matching *m, const struct truth_part *part, const struct profile_sample *s)
{
    if (strcmp(part->threads, ROUND_THREADS) && !begins(thread_name(m, s), part->threads))
        return false;
    return !*part->method || m->innermost[s->stack] == method_number(m, part->method) + 1;
}

/* Keeps only the round's samples in the order. */
static void keep_round(const struct matching *m, struct successive_order *order)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < order->count; i++)
        if (is_of_round(m, &m->p->samples[order->samples[i]]))
            order->samples[count++] = order->samples[i];
    order->count = count;
}

/* Judges one part. shows: space for one element for each of the order's samples. */
static void judge_part(struct judgement *j, struct judgement_part *of, const struct matching *m, const struct successive_order *order,
                       double weight, bool *shows)
{
    struct successive_whole whole = successive_whole(order);
    double of_part = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < order->count; i++) {
        const struct profile_sample *s = &m->p->samples[order->samples[i]];
        shows[i] = is_part(m, of->part, s);
        of_part += shows[i] ? (double)s->weight : 0;
        count += shows[i];
    }
    double effect = successive_effect(successive_count_one(order, shows), count, &whole);
    of->truth = (double)of->part->ns / (double)j->truth.cpu_ns;
    of->share = weight > 0 ? of_part / weight : 0;
    of->interval = stats_wilson(of->share, j->effective / effect);
    double hidden = (double)j->hidden_ns / (double)j->truth.cpu_ns;
    of->interval = (struct interval){of->interval.low * (1 - hidden), of->interval.high * (1 - hidden) + hidden};
    of->off = fmax(0, fmax(of->interval.low - of->truth, of->truth - of->interval.high));
}

static uint32_t count_threads(const struct successive_order *order, bool *met)
{
    uint32_t threads = 0;
    for (uint32_t i = 0; i < order->count; i++) {
        uint32_t thread = order->profile->samples[order->samples[i]].thread;
        threads += !met[thread];
        met[thread] = true;
    }
    return threads;
}

/* Returns the hidden kernel time: the part of the round's CPU time that its samples lack, but at most the unseen kernel time in the
 * recording's books. */
static uint64_t hidden_ns(const struct judgement *j, const struct profile *p)
{
    const struct profile_book *kernel = accounts_reason(p, ACCOUNT_UNSEEN, REASON_LIST_UNSEEN, UNSEEN_KERNEL);
    if (!j->cpu_ns || j->cpu_ns >= j->truth.cpu_ns || !kernel || kernel->ns <= 0)
        return 0;
    uint64_t unseen = (uint64_t)kernel->ns, missing = j->truth.cpu_ns - j->cpu_ns;
    return unseen < missing ? unseen : missing;
}

static void judge_all(struct judgement *j, const struct matching *m, const struct successive_order *order, bool *shows, bool *met)
{
    double weight = 0, squares = 0;
    for (uint32_t i = 0; i < order->count; i++) {
        double w = (double)m->p->samples[order->samples[i]].weight;
        weight += w;
        squares += w * w;
    }
    j->samples = order->count;
    j->effective = stats_effective_size(weight, squares);
    if (m->p->unit == PROFILE_UNIT_NS)
        j->cpu_ns = (uint64_t)weight;
    j->hidden_ns = hidden_ns(j, m->p);
    /* The weights of a thread differ from its time by up to an interval at its start and at its end (docs/internals/sampling-math.md). */
    struct successive_whole whole = successive_whole(order);
    double ends = (double)m->p->interval_ns * (double)m->p->interval_ns * count_threads(order, met) / 4.8;
    j->cpu_error = (uint64_t)(5 * sqrt(ends + whole.windows.sums.squares + whole.windows.sums.draws)); /* clocks by lot: and by windows */
    for (uint32_t i = 0; i < j->truth.count; i++) {
        j->parts[i].part = &j->truth.parts[i];
        judge_part(j, &j->parts[i], m, order, weight, shows);
    }
}

int judge(struct judgement *j, const struct truth *truth, const struct profile *p)
{
    struct matching m;
    struct successive_order order = {0};
    bool *shows = calloc(p->sample_count + 1, sizeof *shows), *met = calloc(p->thread_count + 1, sizeof *met);
    *j = (struct judgement){.truth = *truth};
    int rc = matching_init(&m, &j->truth, p) || successive_order_init(&order, p) || !shows || !met ? -ENOMEM : 0;
    if (!rc) {
        keep_round(&m, &order);
        judge_all(j, &m, &order, shows, met);
    }
    successive_order_deinit(&order);
    free(m.innermost);
    free(shows);
    free(met);
    return rc;
}

const struct judgement_part *judge_worst(const struct judgement *j)
{
    const struct judgement_part *worst = &j->parts[0];
    for (uint32_t i = 1; i < j->truth.count; i++) {
        const struct judgement_part *part = &j->parts[i];
        bool is_farther = part->off > worst->off;
        bool is_equal = part->off == worst->off && fabs(part->share - part->truth) > fabs(worst->share - worst->truth);
        if (is_farther || is_equal)
            worst = part;
    }
    return worst;
}

double judge_cpu_off(const struct judgement *j)
{
    double truth = (double)j->truth.cpu_ns;
    double off = fabs((double)(j->cpu_ns + j->hidden_ns) - truth) - (double)j->cpu_error - JUDGE_CPU_TOLERANCE * truth;
    return j->cpu_ns && off > 0 ? off / truth : 0;
}

void judge_pool_add(struct judge_pool *pool, const struct judgement *j)
{
    pool->rounds++;
    for (uint32_t i = 0; i < j->truth.count; i++) {
        const struct judgement_part *part = &j->parts[i];
        if (part->truth < JUDGE_TOLERANCE)
            continue;
        pool->intervals++;
        pool->held += part->off == 0;
        pool->widths[i] += part->interval.high - part->interval.low;
        pool->errors[i] += part->share - part->truth;
        pool->squares[i] += (part->share - part->truth) * (part->share - part->truth);
    }
}

double judge_pool_width(const struct judge_pool *pool)
{
    double sum = 0;
    uint32_t parts = 0;
    for (uint32_t i = 0; i < TRUTH_PARTS_MAX; i++)
        if (pool->squares[i] > 0) {
            sum += pool->widths[i] / pool->rounds / (2 * 1.96 * sqrt(pool->squares[i] / pool->rounds));
            parts++;
        }
    return parts ? sum / parts : 0;
}
