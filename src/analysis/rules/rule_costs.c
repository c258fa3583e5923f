/* Finds work that is expensive if a program requests it again and again: regular expressions that are compiled at each call, lists that
 * are searched element by element, host names that are resolved. The table is costs.h. */
#include "analysis/rules.h"

#include "analysis/findings.h"
#include "analysis/rules/pace.h"
#include "analysis/stack.h"
#include "base/time_units.h"
#include "profile/figures/stats.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of one processor, on average; below this, an idle program may simply do little else. It is less where other programs have the
 * processors, because this one would do more without them. */
#define PROCESSOR_LEAST 0.05
#define SETTLED_NS      (60 * NS_PER_S) /* time after the JVM's start in which every program loads classes and looks things up */

#define THIRD_LEAST 0.2 /* share of the samples of a cost in each third of the recording, if the JVM is young */

enum { SAMPLES_LEAST = 10, THIRDS = 3 };

enum cost_when { EVER, SETTLED };

struct cost {
    enum stack_mark mark;
    enum finding_kind kind;
    enum source source;
    const char *words;
    double limit;
    enum cost_when when;
};

static const struct cost costs[] = {
#define COST(F, symbol, id, title, words, source, limit, when, remedy)                                                                     \
    {STACK_COST_##symbol, FINDING_##symbol, SOURCE_##source, words, limit, when},
    COST_ROWS(COST, NONE)
#undef COST
};

enum { COSTS = sizeof costs / sizeof *costs };

struct sums {
    double part, squares;
    uint64_t samples, young[THIRDS]; /* young: those of the JVM's first minute, by thirds of the recording */
    uint32_t largest;                /* stack of the sample with the largest weight */
    uint64_t largest_weight;
};

/* The sums of one profile: of each cost, of all samples, and of samples after the JVM's beginning. */
struct sampled {
    struct findings *f;
    const struct evidence *e;
    const struct profile *p;
    enum source source;
    struct stack_marks marks;
    struct sums sums[COSTS];
    double all, draws; /* draws: the effective sample size of all samples */
    double pace;
};

static bool is_settled(const struct evidence *e, const struct profile_sample *s)
{
    return e->jvm_start_ns && s->time_ns > e->jvm_start_ns + (int64_t)SETTLED_NS;
}

/* Whether the sample of a young JVM may count nevertheless: its thread is not the one that starts the program, and the program itself has
 * a frame in it. */
static bool is_repeated(const struct sampled *d, const struct profile_sample *s)
{
    return d->e->jvm_start_ns && stack_own(&d->marks, s->stack) && strcmp(profile_text(d->p, d->p->threads[s->thread].name), "main") != 0;
}

/* Counts a sample of the JVM's first minute in its third of the recording. */
static void add_young(const struct sampled *d, struct sums *sums, const struct profile_sample *s)
{
    int64_t since = s->time_ns - d->e->start_ns;
    uint64_t third = since > 0 ? (uint64_t)since / (d->e->duration_ns / THIRDS + 1) : 0;
    sums->young[third < THIRDS ? third : THIRDS - 1] += s->count;
}

/* Whether work goes on in all of the recording: what a program does at its start comes to an end. */
static bool goes_on(const struct sums *sums)
{
    uint64_t young = 0, least = UINT64_MAX;
    for (int i = 0; i < THIRDS; i++) {
        young += sums->young[i];
        least = sums->young[i] < least ? sums->young[i] : least;
    }
    return (double)least >= THIRD_LEAST * (double)young;
}

static void add(struct sums *sums, const struct profile_sample *s)
{
    sums->part += (double)s->weight;
    sums->squares += (double)s->weight * (double)s->weight;
    sums->samples += s->count;
    if (s->weight > sums->largest_weight) {
        sums->largest = s->stack;
        sums->largest_weight = s->weight;
    }
}

/* Whether a sample counts. For wall-clock costs, threads that run or are ready to run do not count, because they do not wait. */
static bool counts(const struct sampled *d, const struct profile_sample *s)
{
    return d->source == SOURCE_CPU || (jfr_state_waits((enum jfr_thread_state)s->state) && s->state != JFR_STATE_READY);
}

/* Whether the sample counts for the cost, by its time. */
static bool is_time(const struct sampled *d, const struct cost *c, const struct profile_sample *s, struct sums *sums)
{
    if (c->when == EVER || is_settled(d->e, s))
        return true;
    if (is_repeated(d, s)) {
        add_young(d, sums, s);
        return true;
    }
    return false;
}

static void add_samples(struct sampled *d)
{
    for (uint32_t i = 0; i < d->p->sample_count; i++) {
        const struct profile_sample *s = &d->p->samples[i];
        d->all += (double)s->weight;
        if (!counts(d, s))
            continue;
        for (int k = 0; k < COSTS; k++)
            if (costs[k].source == d->source && stack_has(&d->marks, s->stack, costs[k].mark) && is_time(d, &costs[k], s, &d->sums[k]))
                add(&d->sums[k], s);
    }
}

/* Formats "--callers Pattern.compile", if the method's name needs no quotes. */
static const char *callers_of(const struct sampled *d, const struct cost *c, uint32_t stack)
{
    const char *label = profile_text(d->p, stack_marked(&d->marks, stack, c->mark));
    for (const char *at = label; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '.' && *at != '_')
            return NULL;
    return *label ? findings_text(d->f, findings_say(d->f, "%s --callers %s", finding_infos[c->kind].report, label)) : NULL;
}

static uint32_t site_of(const struct sampled *d, const struct cost *c, const struct sums *sums, char *place, size_t size)
{
    double share;
    uint32_t line = stack_line_most(d->f, d->p, &d->marks, c->mark, &share);
    uint32_t site = line ? line : stack_site(d->f, d->p, sums->largest);
    *place = 0;
    if (line)
        snprintf(place, size, "; the largest part (%.0f %%) for %.300s", 100 * share, findings_text(d->f, line));
    else if (site)
        snprintf(place, size, "; for example for %.300s", findings_text(d->f, site));
    return site;
}

static void tell(const struct sampled *d, const struct cost *c, const struct sums *sums, struct finding *one, const char *amount)
{
    char place[400];
    if (one->score < SCORE_INFO || d->f->left_out[c->kind])
        return;
    one->kind = c->kind;
    one->site = site_of(d, c, sums, place, sizeof place);
    one->text = findings_say(d->f, "%s %s%s", amount, c->words, place);
    one->count = sums->samples;
    one->report = callers_of(d, c, sums->largest);
    one->table = one->report ? "Callers" : NULL;
    findings_add(d->f, one);
}

static void judge_cpu(const struct sampled *d, const struct cost *c, const struct sums *sums)
{
    double all = d->all;
    char amount[160];
    struct amount share = amount_share(sums->part, all, d->draws);
    if (share.low * all < PROCESSOR_LEAST * d->pace * (double)d->e->duration_ns)
        return;
    snprintf(amount, sizeof amount, "%.1f to %.1f %% of the CPU time, %.2f processors, went into", 100 * share.low, 100 * share.high,
             sums->part / (double)d->e->duration_ns);
    tell(d, c, sums, &(struct finding){.score = score_saturate(share.low, c->limit), .lost_ns = amount_scaled(share, all)}, amount);
}

static void judge_wall(const struct sampled *d, const struct cost *c, const struct sums *sums)
{
    struct amount lost = amount_normal(sums->part, sqrt(sums->squares)), mean = amount_scaled(lost, 1 / (double)d->e->duration_ns);
    char amount[160];
    snprintf(amount, sizeof amount, "%.2f threads on average (%.2f to %.2f) waited for", mean.value, mean.low, mean.high);
    tell(d, c, sums, &(struct finding){.score = score_saturate(mean.low, c->limit), .lost_ns = lost}, amount);
}

static void judge_profile(struct findings *f, const struct evidence *e, const struct profile *p, enum source source)
{
    struct sampled d = {.f = f, .e = e, .p = p, .source = source};
    if (!p || p->unit != PROFILE_UNIT_NS || !e->duration_ns)
        return;
    if (stack_marks_of(&d.marks, f, p)) {
        f->failed = true;
        return;
    }
    add_samples(&d);
    d.draws = stats_effective_samples(p);
    d.pace = pace(e);
    for (int k = 0; k < COSTS; k++)
        if (d.sums[k].samples >= SAMPLES_LEAST && goes_on(&d.sums[k]))
            (source == SOURCE_CPU ? judge_cpu : judge_wall)(&d, &costs[k], &d.sums[k]);
}

void rule_costs(struct findings *f, const struct evidence *e)
{
    judge_profile(f, e, e->cpu, SOURCE_CPU);
    judge_profile(f, e, e->wall, SOURCE_WALL);
}
