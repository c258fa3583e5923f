/* Finds halts that are a problem because of the time that threads lose, or because of their number: slow peers and files, allocations that
 * wait for the collector, compiled code that is discarded, errors that are thrown, and operations of the JVM that stop all threads for
 * long. */
#include "analysis/rules.h"

#include "analysis/findings.h"
#include "analysis/halt_groups.h"
#include "analysis/rules/pace.h"
#include "analysis/stack.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define OPERATION_WARNING_NS NS_PER_S /* the longest one, less the part in which other programs had the processors */
#define ERRORS_WARNING       60.0     /* a minute */
#define MEMORY_SCORE         90.0     /* a single OutOfMemoryError */
#define MEMORY_REMEDY        "set -XX:+HeapDumpOnOutOfMemoryError; candor record -e live shows what fills the memory"

enum { ERRORS_LEAST = 10 };

/* ---- by time and by number ---- */

enum measure { WAITERS, A_SECOND };

/* limit: the mean number of waiting threads, or halts a second. */
static const struct trouble {
    enum finding_kind kind;
    enum halt_kind halt;
    enum measure measure;
    double limit;
    uint64_t least;
    const char *words;
} troubles[] = {
    {FINDING_SLOW_WRITE, HALT_SOCKET_WRITE, WAITERS, 1.0, 3, "writes to"},
    {FINDING_SLOW_FILE, HALT_FILE_READ, WAITERS, 1.0, 3, "reads of"},
    {FINDING_SLOW_FILE, HALT_FILE_WRITE, WAITERS, 1.0, 3, "writes to"},
    {FINDING_ALLOCATION_STALL, HALT_ALLOCATION, WAITERS, 0.1, 3, "allocations waited until the collector had freed memory:"},
    {FINDING_DEOPTIMIZATIONS, HALT_DEOPTIMIZATION, A_SECOND, 1000, 100, "times compiled code was discarded:"},
};

/* Whether the group counts. A file without a name is a pipe or a terminal, whose other end may have nothing to send. */
static bool is_known(const struct trouble *t, const struct halt_group *g)
{
    return t->kind != FINDING_SLOW_FILE || g->what;
}

/* Returns the time in which threads within input or output could run but had no processor, by the wall clock. The halts include it. */
static double ready_ns(const struct evidence *e)
{
    double sum = 0;
    for (uint32_t i = 0; e->wall && i < e->wall->sample_count; i++) {
        const struct profile_sample *s = &e->wall->samples[i];
        if (s->state == JFR_STATE_READY && stack_work(e->wall, s->stack) == STACK_IS_IN_IO)
            sum += (double)s->weight;
    }
    return sum;
}

static bool is_of_files_or_writes(const struct trouble *t)
{
    return t->halt == HALT_FILE_READ || t->halt == HALT_FILE_WRITE || t->halt == HALT_SOCKET_WRITE;
}

/* Whether the peer is a process on the same machine. */
static bool is_local(const char *peer)
{
    static const char *const begins[] = {"localhost/", "/127.", "127.", "/0:0:0:0:0:0:0:1", "0:0:0:0:0:0:0:1", "/::1", "::1"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (!strncmp(peer, begins[i], strlen(begins[i])))
            return true;
    return false;
}

/* What the wall clock says about processors. It is the same for all groups, and takes a pass over the samples. */
struct processors {
    double ready; /* time in which threads within input or output had no processor, in ns */
    double pace;
};

/* Returns the mean number of threads that wait. The low end leaves out waits for a processor. A peer on the same machine may have waited
 * for one, too, while other programs had the processors. */
static struct amount waiters_of(const struct evidence *e, const struct trouble *t, const struct halt_group *g, const struct processors *of)
{
    struct amount waiters = amount_exact((double)g->sum_ns / evidence_jdk_ns(e));
    waiters.low = fmax(0, waiters.low - of->ready / (double)e->duration_ns);
    if (t->halt == HALT_SOCKET_WRITE && is_local(halts_text(e->halts, g->what)))
        waiters.low *= of->pace;
    return waiters;
}

static void judge_group(struct findings *f, const struct evidence *e, const struct trouble *t, const struct halt_group *g,
                        const struct processors *of)
{
    struct amount waiters = waiters_of(e, t, g, of);
    struct amount rate = amount_scaled(amount_count((double)g->count), NS_PER_S / evidence_jdk_ns(e));
    const struct amount *v = t->measure == WAITERS ? &waiters : &rate;
    const char *site = halts_text(e->halts, g->site);
    char sum[32], cost[96];
    if (g->count < t->least || !is_known(t, g))
        return;
    if (t->measure == WAITERS)
        snprintf(cost, sizeof cost, "%s in all, %u thread%s", units_format_duration(sum, sizeof sum, g->sum_ns), g->threads,
                 g->threads == 1 ? "" : "s");
    else
        snprintf(cost, sizeof cost, "%.0f a second (%.0f to %.0f)", rate.value, rate.low, rate.high);
    findings_add(f, &(struct finding){
                        .kind = t->kind,
                        .score = score_saturate(v->low, t->limit),
                        .text = findings_say(f, "%llu %s %.200s, %s; mostly at %.300s", (unsigned long long)g->count, t->words,
                                             halts_text(e->halts, g->what), cost, *site ? site : "[unknown]"),
                        .subject = findings_string(f, halts_text(e->halts, g->what)),
                        .site = findings_string(f, site),
                        .count = g->count,
                        .threads = g->threads,
                        .lost_ns = amount_exact((double)g->sum_ns),
                    });
}

static void judge_trouble(struct findings *f, const struct evidence *e, const struct trouble *t)
{
    struct halt_groups groups;
    f->failed = halt_groups_make(&groups, e->halts, t->halt) || f->failed;
    struct processors of = {0, 1};
    if (groups.count && is_of_files_or_writes(t))
        of = (struct processors){ready_ns(e), pace(e)};
    for (uint32_t i = 0; i < groups.count; i++)
        judge_group(f, e, t, &groups.list[i], &of);
    halt_groups_deinit(&groups);
}

/* ---- errors ---- */

static bool ends(const char *text, const char *with)
{
    size_t n = strlen(text), m = strlen(with);
    return n >= m && !strcmp(text + n - m, with);
}

/* Returns the part of the site below the error's constructors, of which the last frame is kept. */
static const char *thrower(const char *site)
{
    for (const char *next; (next = strstr(site, " < ")); site = next + 3) {
        const char *constructor = strstr(site, ".<init>");
        if (!constructor || constructor > next)
            break;
    }
    return site;
}

static void judge_error(struct findings *f, const struct evidence *e, const struct halt_group *g)
{
    const char *class_name = halts_text(e->halts, g->what), *site = thrower(halts_text(e->halts, g->site));
    bool is_memory = !strcmp(class_name, "java.lang.OutOfMemoryError");
    double minutes = evidence_jdk_ns(e) / (60.0 * NS_PER_S);
    struct amount rate = amount_scaled(amount_count((double)g->count), 1 / minutes);
    if (!ends(class_name, "Error") || (g->count < ERRORS_LEAST && !is_memory))
        return;
    findings_add(f, &(struct finding){
                        .kind = FINDING_ERRORS,
                        .score = is_memory ? MEMORY_SCORE : score_saturate(rate.low, ERRORS_WARNING),
                        .text = findings_say(f, "%llu times %.200s was thrown, %.1f a minute; mostly at %.300s",
                                             (unsigned long long)g->count, class_name, rate.value, *site ? site : "[unknown]"),
                        .subject = findings_string(f, class_name),
                        .site = findings_string(f, site),
                        .count = g->count,
                        .remedy = is_memory ? MEMORY_REMEDY : NULL,
                    });
}

static void judge_errors(struct findings *f, const struct evidence *e)
{
    struct halt_groups groups;
    f->failed = halt_groups_make(&groups, e->halts, HALT_EXCEPTION) || f->failed;
    for (uint32_t i = 0; i < groups.count; i++)
        judge_error(f, e, &groups.list[i]);
    halt_groups_deinit(&groups);
}

static const struct {
    const char *class_name, *remedy;
    uint64_t least;
    double score; /* 0 = by the rate */
} jvm_errors[JVM_ERROR_COUNT] = {
    [JVM_ERROR_STACK_OVERFLOW] = {"java.lang.StackOverflowError",
                                  "use a loop instead of the recursion, or limit its depth; -Xss makes stacks larger", ERRORS_LEAST, 0},
    [JVM_ERROR_OUT_OF_MEMORY] = {"java.lang.OutOfMemoryError", MEMORY_REMEDY, 1, MEMORY_SCORE},
};

/* Judges Errors that the JVM throws itself: it counts them, but no event describes them. Samples may show where their stack traces are
 * filled in. */
static void judge_jvm_errors(struct findings *f, const struct evidence *e, enum jvm_error error)
{
    struct amount rate = amount_scaled(amount_count((double)e->jvm_errors[error]), 60.0 * NS_PER_S / (double)e->duration_ns);
    struct stack_marks marks;
    if (e->jvm_errors[error] < jvm_errors[error].least)
        return;
    if (e->cpu)
        f->failed = stack_marks_of(&marks, f, e->cpu) || f->failed;
    bool is_filled = e->cpu && !f->failed && error == JVM_ERROR_STACK_OVERFLOW;
    uint32_t site = is_filled ? stack_line_most(f, e->cpu, &marks, STACK_FILLS_TRACE, NULL) : 0;
    findings_add(f, &(struct finding){
                        .kind = FINDING_ERRORS,
                        .score = jvm_errors[error].score > 0 ? jvm_errors[error].score : score_saturate(rate.low, ERRORS_WARNING),
                        .text = findings_say(f, "%llu times %s was thrown by the JVM, %.1f a minute%s%.300s",
                                             (unsigned long long)e->jvm_errors[error], jvm_errors[error].class_name, rate.value,
                                             site ? "; mostly at " : "", findings_text(f, site)),
                        .subject = findings_string(f, jvm_errors[error].class_name),
                        .site = site,
                        .count = e->jvm_errors[error],
                        .remedy = jvm_errors[error].remedy,
                    });
}

/* ---- operations of the JVM ---- */

/* Collections have separate rules. GC_HeapInspection is not a collection: it counts objects. */
static bool collects(const char *operation)
{
    static const char *const begins[] = {"G1", "Gen", "Parallel", "Serial", "Z", "X", "CMS", "CGC", "CollectF", "Shenandoah"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (!strncmp(operation, begins[i], strlen(begins[i])))
            return true;
    return false;
}

static void judge_operations(struct findings *f, const struct evidence *e)
{
    const struct halt *longest = NULL;
    char ns[32], note[100];
    for (uint32_t i = 0; i < e->halts->count; i++) {
        const struct halt *one = &e->halts->list[i];
        bool counts = one->kind == HALT_VM_OPERATION && !collects(halts_text(e->halts, one->what));
        longest = counts && (!longest || one->ns > longest->ns) ? one : longest;
    }
    if (!longest)
        return;
    const char *what = halts_text(e->halts, longest->what), *by = halts_text(e->halts, longest->by);
    struct amount own = pace_halt(e, longest);
    findings_add(f, &(struct finding){
                        .kind = FINDING_LONG_OPERATION,
                        .score = score_saturate(own.low, OPERATION_WARNING_NS),
                        .text = findings_say(f, "the JVM's operation %.100s stopped all threads for %s%s%.100s%s", what,
                                             units_format_duration(ns, sizeof ns, longest->ns), *by ? ", asked by " : "", by,
                                             pace_note(note, sizeof note, &own)),
                        .subject = findings_string(f, what),
                        .owner = findings_string(f, by),
                        .count = 1,
                        .lost_ns = amount_exact((double)longest->ns),
                    });
}

void rule_halts(struct findings *f, const struct evidence *e)
{
    if (!e->halts || !e->duration_ns)
        return;
    for (size_t i = 0; i < sizeof troubles / sizeof *troubles; i++)
        judge_trouble(f, e, &troubles[i]);
    judge_errors(f, e);
    for (enum jvm_error i = 0; i < JVM_ERROR_COUNT; i++)
        judge_jvm_errors(f, e, i);
    judge_operations(f, e);
}
