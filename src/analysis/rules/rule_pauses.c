/* Finds the reasons of pauses for garbage collection from the JVM's names of their collector and cause: collections of the whole heap,
 * and collections that were not requested by the program's allocation. A table has the causes. */
#include "analysis/rules.h"

#include "analysis/arguments.h"
#include "analysis/allocating.h"
#include "analysis/findings.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FULL_WARNING     0.05 /* as a share of the time, in collections of the whole heap */
#define FALLBACK_WARNING 0.02 /* the same for concurrent collectors, which collect the whole heap only if they cannot keep up */
#define LATE_WARNING     0.5  /* as a share of G1's pauses: those longer than the target */
#define TARGET_MS        200  /* unless MaxGCPauseMillis is given */
#define CAUSE_LEAST      0.01 /* as a share of the time, for causes that are judged by their share of all pauses */

enum { FULL_LEAST = 3, LATE_LEAST = 10 };

/* ---- causes ---- */

enum measure { OF_PAUSES, A_MINUTE };

/* cause: the JVM's name for the cause, or the beginning of such names. limit: a share of the pauses, or pauses a minute. */
static const struct cause {
    enum finding_kind kind;
    const char *cause;
    enum measure measure;
    double limit;
    uint32_t least;
    const char *words;
} causes[] = {
    {FINDING_GC_HUMONGOUS, "G1 Humongous Allocation", OF_PAUSES, 0.5, 5, "arrays that are larger than half a region of the heap"},
    {FINDING_GC_LOCKER, "GCLocker Initiated GC", OF_PAUSES, 0.5, 5, "native code that held an array, which delays the collector"},
    {FINDING_GC_METASPACE, "Metadata GC", A_MINUTE, 6, 5, "a lack of memory for classes, not for objects"},
    {FINDING_GC_CODE_CACHE, "CodeCache GC", A_MINUTE, 6, 5, "a lack of memory for compiled code, not for objects"},
    {FINDING_GC_BY_TOOL, "Heap Inspection", A_MINUTE, 2, 2, "a histogram of the heap"},
    {FINDING_GC_BY_TOOL, "Heap Dump", A_MINUTE, 2, 2, "a dump of the heap"},
    {FINDING_GC_BY_TOOL, "Diagnostic Command", A_MINUTE, 2, 2, "a jcmd command"},
};

struct sums {
    double sum, squares;
    uint64_t count;
};

static void add(struct sums *s, const struct halt *one)
{
    s->sum += (double)one->ns;
    s->squares += (double)one->ns * (double)one->ns;
    s->count++;
}

static struct amount lost_in(const struct sums *s)
{
    return amount_normal(s->sum, sqrt(s->squares));
}

static void judge_cause(struct findings *f, const struct evidence *e, const struct cause *c, uint64_t pauses, const struct sums *s)
{
    double minutes = (double)e->duration_ns / (60.0 * NS_PER_S);
    struct amount share = amount_share((double)s->count, (double)pauses, (double)pauses);
    struct amount rate = amount_scaled(amount_count((double)s->count), 1 / minutes);
    const struct amount *v = c->measure == OF_PAUSES ? &share : &rate;
    char stopped[32], line[400];
    if (s->count < c->least || (c->measure == OF_PAUSES && s->sum < CAUSE_LEAST * (double)e->duration_ns))
        return;
    *line = 0;
    uint32_t site = c->kind == FINDING_GC_HUMONGOUS ? allocating_line(f, e, line, sizeof line) : 0;
    findings_add(f, &(struct finding){
                        .kind = c->kind,
                        .score = score_saturate(v->low, c->limit),
                        .text = findings_say(f, "%llu of %llu pauses for garbage collection, %.1f a minute and %s in all, came from %s%s",
                                             (unsigned long long)s->count, (unsigned long long)pauses, rate.value,
                                             units_format_duration(stopped, sizeof stopped, amount_whole(s->sum)), c->words, line),
                        .site = site,
                        .subject = findings_string(f, c->cause),
                        .count = s->count,
                        .lost_ns = lost_in(s),
                    });
}

static void judge_causes(struct findings *f, const struct evidence *e, uint64_t pauses)
{
    for (size_t k = 0; k < sizeof causes / sizeof *causes; k++) {
        struct sums s = {0};
        for (uint32_t i = 0; i < e->halts->count; i++) {
            const struct halt *one = &e->halts->list[i];
            if (one->kind == HALT_GC && strstr(halts_text(e->halts, one->what), causes[k].cause))
                add(&s, one);
        }
        judge_cause(f, e, &causes[k], pauses, &s);
    }
}

/* ---- the whole heap ---- */

enum extent { A_PART, WHOLE, WHOLE_AS_FALLBACK };

static bool has(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

#define HAS(text, words) has(text, words, sizeof(words) / sizeof *(words))

/* Judges by the names of collectors, which differ between the JDK's recorder and the agent, and between JDKs. */
static enum extent extent_of(const char *what)
{
    static const char *const asked[] = {"System.gc()", "Heap Inspection", "Heap Dump", "Diagnostic Command", "Metadata GC", "ForceGarbage"};
    static const char *const fallbacks[] = {"G1 full", "G1Full", "stop-the-world full", "Degenerated", "Full GC", "ShenandoahFull"};
    static const char *const planned[] = {"MSC,",        "SerialOld",   "Serial full",  "PSParallelCompact",
                                          "PSMarkSweep", "ParallelOld", "Parallel full"};
    if (HAS(what, asked)) /* other rules cover these */
        return A_PART;
    return HAS(what, fallbacks) ? WHOLE_AS_FALLBACK : HAS(what, planned) ? WHOLE : A_PART;
}

static void judge_full(struct findings *f, const struct evidence *e)
{
    struct sums s = {0};
    bool falls_back = false;
    char stopped[32], line[400];
    const struct halt *longest = NULL;
    for (uint32_t i = 0; i < e->halts->count; i++) {
        const struct halt *one = &e->halts->list[i];
        enum extent extent = one->kind == HALT_GC ? extent_of(halts_text(e->halts, one->what)) : A_PART;
        if (extent == A_PART)
            continue;
        falls_back = falls_back || extent == WHOLE_AS_FALLBACK;
        longest = !longest || one->ns > longest->ns ? one : longest;
        add(&s, one);
    }
    if (s.count < FULL_LEAST)
        return;
    struct amount lost = lost_in(&s), share = amount_scaled(lost, 1 / (double)e->duration_ns);
    uint32_t site = allocating_line(f, e, line, sizeof line);
    findings_add(
        f, &(struct finding){
               .kind = FINDING_GC_FULL,
               .score = score_saturate(share.low, falls_back ? FALLBACK_WARNING : FULL_WARNING),
               .text = findings_say(
                   f,
                   "%llu times the whole heap was collected while all threads were stopped, for %.1f %% of the time (%.1f to %.1f)%s; "
                   "the longest took %s (%.200s)%s",
                   (unsigned long long)s.count, 100 * share.value, 100 * share.low, 100 * fmin(share.high, 1),
                   falls_back ? ", because the concurrent collector could not keep up with the program" : "",
                   units_format_duration(stopped, sizeof stopped, longest->ns), halts_text(e->halts, longest->what), line),
               .site = site,
               .subject = findings_string(f, halts_text(e->halts, longest->what)),
               .count = s.count,
               .lost_ns = lost,
           });
}

/* ---- the target ---- */

static uint64_t target_ms(const char *arguments)
{
    struct argument a;
    uint64_t given = argument_last(&a, arguments, "MaxGCPauseMillis") ? argument_bytes(a.value) : 0;
    return given ? given : TARGET_MS;
}

/* Compares G1's collecting pauses with the target. */
static void judge_target(struct findings *f, const struct evidence *e)
{
    uint64_t ms = target_ms(e->jvm->arguments), pauses = 0;
    struct sums late = {0};
    for (uint32_t i = 0; i < e->halts->count; i++) {
        const struct halt *one = &e->halts->list[i];
        const char *what = halts_text(e->halts, one->what);
        if (one->kind != HALT_GC || strncmp(what, "G1", 2) || extent_of(what) != A_PART || strstr(what, "System.gc()"))
            continue;
        pauses++;
        if (one->ns > ms * NS_PER_MS)
            add(&late, one);
    }
    struct amount share = amount_share((double)late.count, (double)pauses, (double)pauses);
    if (pauses < LATE_LEAST)
        return;
    findings_add(f, &(struct finding){
                        .kind = FINDING_GC_MISSES_TARGET,
                        .score = score_saturate(share.low, LATE_WARNING),
                        .text = findings_say(f, "%llu of %llu pauses of G1 (%.0f to %.0f %%) took longer than their target of %llu ms",
                                             (unsigned long long)late.count, (unsigned long long)pauses, 100 * share.low, 100 * share.high,
                                             (unsigned long long)ms),
                        .subject = findings_string(f, "MaxGCPauseMillis"),
                        .count = late.count,
                        .lost_ns = lost_in(&late),
                    });
}

void rule_pauses(struct findings *f, const struct evidence *e)
{
    uint64_t pauses = 0;
    if (!e->halts || !e->duration_ns)
        return;
    for (uint32_t i = 0; i < e->halts->count; i++)
        pauses += e->halts->list[i].kind == HALT_GC;
    judge_causes(f, e, pauses);
    judge_full(f, e);
    if (e->jvm)
        judge_target(f, e);
}
