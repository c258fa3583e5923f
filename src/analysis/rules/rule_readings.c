/* Judges figures and incidents that the JVM reports (events/figures/readings.h): the container's limits, switches between threads,
 * growing numbers of classes and threads, full memory for code and classes, and data that the JVM's recorder lost. They are listed in a
 * table. */
#include "analysis/rules.h"

#include "analysis/allocating.h"
#include "analysis/findings.h"
#include "analysis/rules/starting.h"
#include "base/time_units.h"

#include <math.h>
#include <stdio.h>

#define SETTLED_NS (60 * NS_PER_S) /* time after the JVM's start */

/* In the JVM's first minute a figure must grow by this share of its growth in each third of the recording, and by so many in all. A third
 * of a short recording has one or two readings. */
#define YOUNG_LEAST 0.15
enum { YOUNG_THREADS = 100 };

#define OWN_USE 0.25 /* of the processors; a program that uses less of them does not make the whole machine switch */

enum { THIRDS = 3 };

/* How a figure is made from a reading's values. */
enum measure {
    PART_OF,   /* its increase, as a share of the increase of `other` */
    LEVEL_OF,  /* its largest value, as a share of the last value of `other` */
    MEAN,      /* the mean of its values, divided by the number of processors */
    ADDED,     /* its increase per minute */
    STEADILY,  /* as ADDED, minus the increase of `other`, in the third of the time with the least of it: pools fill at the start */
    EVENTS,    /* the number of its values per minute */
    SUM,       /* the sum of its values per minute, without the JVM's first minute */
    CERTAINLY, /* the number of its values: each one is bad */
};

/* `from` is the value up to which there is no problem: a level that is half full is fine. */
static const struct figure {
    enum finding_kind kind;
    enum measure measure;
    enum reading_kind of, other;
    double from, limit;
    uint32_t least; /* least number of readings */
    const char *words;
} figures[] = {
    {FINDING_CPU_THROTTLED, PART_OF, READING_PERIODS_THROTTLED, READING_PERIODS, 0, 0.25, 2,
     "of the periods of the container's CPU quota ended with the program's threads stopped"},
    {FINDING_CONTAINER_FULL, LEVEL_OF, READING_RESIDENT, READING_MEMORY_LIMIT, 0.85, 0.1, 2,
     "of the memory that the container may use was in use by this process"},
    {FINDING_CONTAINER_FULL, ADDED, READING_MEMORY_REFUSED, READING_KINDS, 0, 60, 2,
     "times a minute the container's memory reached its limit, and the kernel had to free some of it first"},
    {FINDING_CONTEXT_SWITCHES, MEAN, READING_SWITCHES, READING_KINDS, 0, 50e3, 3,
     "times a second each processor of the machine switched threads"},
    {FINDING_CLASSES_GROW, STEADILY, READING_CLASSES_LOADED, READING_CLASSES_UNLOADED, 0, 600, 3,
     "more classes were loaded than unloaded each minute"},
    {FINDING_THREADS_GROW, STEADILY, READING_THREADS, READING_KINDS, 0, 60, 3, "more threads started than ended each minute"},
    {FINDING_CODE_CACHE_FULL, CERTAINLY, READING_CODE_FULL, READING_KINDS, 0, 1, 1,
     "the memory for compiled code was full: methods that were not compiled before then remain interpreted"},
    {FINDING_METASPACE_FULL, CERTAINLY, READING_METASPACE_FULL, READING_KINDS, 0, 1, 1, "there was no more memory for classes"},
    {FINDING_SUBMIT_FAILED, CERTAINLY, READING_SUBMIT_FAILED, READING_KINDS, 0, 1, 1, "a virtual thread could not be started or continued"},
    {FINDING_GC_OVERRUN, EVENTS, READING_EVACUATION_FAILED, READING_KINDS, 0, 6, 3,
     "times a minute the collector had no memory to move live objects to"},
    {FINDING_GC_OVERRUN, EVENTS, READING_MODE_FAILED, READING_KINDS, 0, 6, 3,
     "times a minute the heap was full before the concurrent collector had finished"},
    {FINDING_GC_OVERRUN, EVENTS, READING_PROMOTION_FAILED, READING_KINDS, 0, 6, 3,
     "times a minute the old generation had no room for objects from the young generation"},
    {FINDING_REDEFINITIONS, SUM, READING_REDEFINED, READING_KINDS, 0, 600, 3, "classes a minute were redefined"},
    {FINDING_REDEFINITIONS, SUM, READING_RETRANSFORMED, READING_KINDS, 0, 600, 3, "classes a minute were transformed again by an agent"},
    {FINDING_CHILD_PROCESSES, EVENTS, READING_PROCESSES, READING_KINDS, 0, 60, 10, "processes a minute were started"},
    {FINDING_JDK_DATA_LOST, CERTAINLY, READING_DATA_LOST, READING_KINDS, 0, 1, 1, "the JDK's recorder lost data"},
};

struct values {
    double first, last, most, sum;
    int64_t first_ns, last_ns;
    uint32_t count;
};

/* Agents transform classes when a program begins. */
static bool is_of_start(const struct evidence *e, const struct reading *one)
{
    bool is_change = one->kind == READING_REDEFINED || one->kind == READING_RETRANSFORMED;
    return is_change && one->ns < e->jvm_start_ns + (int64_t)SETTLED_NS;
}

static void add_readings(struct values all[READING_KINDS], const struct evidence *e)
{
    for (uint32_t i = 0; i < e->reading_count; i++) {
        const struct reading *one = &e->readings[i];
        struct values *v = &all[one->kind];
        if (is_of_start(e, one))
            continue;
        if (!v->count++) {
            v->first = one->value;
            v->first_ns = one->ns;
        }
        v->last = one->value;
        v->last_ns = one->ns;
        v->most = fmax(v->most, one->value);
        v->sum += one->value;
    }
}

static double added(const struct values *v)
{
    return v->count ? fmax(0, v->last - v->first) : 0;
}

/* Returns the value of a figure at a time. */
static double value_at(const struct evidence *e, enum reading_kind kind, int64_t ns)
{
    double value = 0;
    for (uint32_t i = 0; kind != READING_KINDS && i < e->reading_count && e->readings[i].ns <= ns; i++)
        if (e->readings[i].kind == kind)
            value = e->readings[i].value;
    return value;
}

static double steadily(const struct figure *g, const struct values *of, const struct evidence *e)
{
    int64_t from = of->first_ns, third = (of->last_ns - from) / THIRDS;
    double least = INFINITY, all = 0;
    bool young = from < e->jvm_start_ns + (int64_t)SETTLED_NS;
    if (!e->jvm_start_ns || (young && g->of != READING_THREADS))
        return 0;
    for (int i = 0; i < THIRDS; i++) {
        int64_t begin = from + i * third, end = i + 1 < THIRDS ? begin + third : of->last_ns;
        double grown = value_at(e, g->of, end) - value_at(e, g->of, begin);
        grown -= value_at(e, g->other, end) - value_at(e, g->other, begin);
        least = fmin(least, grown);
        all += grown;
    }
    return young && (all < YOUNG_THREADS || least < YOUNG_LEAST * all) ? 0 : THIRDS * fmax(0, least);
}

static struct amount amount_of(const struct figure *g, const struct values *of, const struct values *other, const struct evidence *e)
{
    double minute = 60.0 * NS_PER_S, minutes = evidence_jdk_ns(e) / minute, between = (double)(of->last_ns - of->first_ns) / minute;
    switch (g->measure) {
    case PART_OF:
        return amount_share(added(of), added(other), added(other));
    case LEVEL_OF:
        return amount_exact(other && other->last > 0 ? of->most / other->last : 0);
    case MEAN:
        return amount_exact(of->sum / of->count / (e->processors ? e->processors : 1));
    case ADDED:
        return amount_scaled(amount_count(added(of)), between > 0 ? 1 / between : 0);
    case STEADILY:
        return amount_scaled(amount_count(steadily(g, of, e)), between > 0 ? 1 / between : 0);
    case EVENTS:
        return amount_scaled(amount_count(of->count), 1 / minutes);
    case SUM:
        return amount_exact(of->sum / minutes);
    default:
        return amount_exact(of->count);
    }
}

static uint32_t tell(struct findings *f, const struct figure *g, const struct amount *v)
{
    bool is_share = g->measure == PART_OF || g->measure == LEVEL_OF;
    double factor = is_share ? 100 : 1;
    const char *unit = is_share ? " %" : g->measure == CERTAINLY ? " times" : "";
    if (g->measure == CERTAINLY && v->value == 1)
        return findings_say(f, "once %s", g->words);
    if (v->low == v->high)
        return findings_say(f, "%.*f%s %s", is_share ? 1 : 0, factor * v->value, unit, g->words);
    int digits = factor * v->value < 100 ? 1 : 0;
    return findings_say(f, "%.*f%s (%.*f to %.*f) %s", digits, factor * v->value, unit, digits, factor * v->low, digits, factor * v->high,
                        g->words);
}

/* Whether a figure of the whole machine may come from this program. */
static bool may_be_own(const struct evidence *e)
{
    double all = (double)e->processors * (double)e->duration_ns;
    return !e->cpu || e->cpu->unit != PROFILE_UNIT_NS || all <= 0 || (double)e->cpu->weight >= OWN_USE * all;
}

static bool is_of_collector(enum finding_kind kind)
{
    return kind == FINDING_GC_OVERRUN;
}

static void judge(struct findings *f, const struct evidence *e, const struct figure *g, const struct values all[READING_KINDS])
{
    const struct values *of = &all[g->of], *other = g->other == READING_KINDS ? NULL : &all[g->other];
    char line[400] = "";
    if (of->count < g->least || (g->kind == FINDING_CONTEXT_SWITCHES && !may_be_own(e)))
        return;
    struct amount v = amount_of(g, of, other, e);
    if (score_saturate(v.low - g->from, g->limit) < SCORE_INFO)
        return;
    uint32_t site = is_of_collector(g->kind)          ? allocating_line(f, e, line, sizeof line)
                    : g->kind == FINDING_THREADS_GROW ? starting_line(f, e, line, sizeof line)
                                                      : 0;
    findings_add(f, &(struct finding){
                        .kind = g->kind,
                        .score = score_saturate(v.low - g->from, g->limit),
                        .text = findings_say(f, "%s%s", findings_text(f, tell(f, g, &v)), line),
                        .site = site,
                        .count = of->count,
                    });
}

void rule_readings(struct findings *f, const struct evidence *e)
{
    struct values all[READING_KINDS] = {0};
    if (!e->reading_count || !e->duration_ns)
        return;
    add_readings(all, e);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        judge(f, e, &figures[i], all);
}
