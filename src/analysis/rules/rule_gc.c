/* Judges the cost of garbage collection: the share of the time in which it stops all threads, the CPU time of its own threads, and the
 * longest pause. If allocations were recorded, they show why the collector has so much work. */
#include "analysis/rules.h"
#include "base/time_units.h"

#include "analysis/allocating.h"
#include "analysis/findings.h"
#include "analysis/rules/pace.h"
#include "analysis/stack.h"
#include "base/text/units.h"
#include "profile/figures/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STOPPED_WARNING    0.1      /* as a share of the time */
#define CPU_WARNING        0.4      /* as a share of the CPU time, for the collector's threads */
#define PROCESSOR_LEAST    0.1      /* of one processor, for the collector's threads; in an idle program they may well use most CPU time */
#define CPU_LEAST_NS       NS_PER_S /* used by the collector's threads; a program that only fills its heap at the start has no pressure */
#define LONGEST_WARNING_NS NS_PER_S /* less the part in which other programs had the processors */

enum { PAUSES_LEAST = 5 };

struct pauses {
    double sum, squares, asked; /* asked: requested by System.gc(), and not part of sum and squares */
    uint64_t count;
    const struct halt *longest;
};

static struct pauses add_pauses(const struct halts *h)
{
    struct pauses p = {0};
    for (uint32_t i = 0; i < h->count; i++) {
        const struct halt *one = &h->list[i];
        if (one->kind != HALT_GC)
            continue;
        p.longest = !p.longest || one->ns > p.longest->ns ? one : p.longest;
        if (strstr(halts_text(h, one->what), "System.gc()")) { /* the rule system_gc covers these */
            p.asked += (double)one->ns;
            continue;
        }
        p.sum += (double)one->ns;
        p.squares += (double)one->ns * (double)one->ns;
        p.count++;
    }
    return p;
}

/* Returns the part of the collector's CPU time that the program did not request. A sample does not show for which collection a thread
 * works. Therefore requested collections are assumed to have the same share of the CPU time as of the pauses. */
static double part_not_asked(const struct pauses *p)
{
    return p->asked > 0 ? p->sum / (p->sum + p->asked) : 1;
}

static struct amount cpu_share(struct findings *f, const struct profile *p, const struct pauses *pauses)
{
    struct stack_marks marks;
    double collects = 0;
    if (stack_marks_of(&marks, f, p))
        f->failed = true;
    for (uint32_t i = 0; !f->failed && i < p->sample_count; i++)
        collects += stack_has(&marks, p->samples[i].stack, STACK_COLLECTS) ? (double)p->samples[i].weight : 0;
    collects *= part_not_asked(pauses);
    return amount_share(collects, (double)p->weight, stats_effective_samples(p));
}

static uint32_t tell_pressure(struct findings *f, const struct evidence *e, const struct pauses *p, const struct amount *stopped,
                              const struct amount *cpu, const char *line)
{
    char allocated[500] = "", share[100] = "", rate[32];
    if (cpu->value > 0)
        snprintf(share, sizeof share, ", and %.1f to %.1f %% of the CPU time went into collecting", 100 * cpu->low, 100 * cpu->high);
    if (e->alloc)
        snprintf(allocated, sizeof allocated, "; the program allocates %s/s%s",
                 units_format_bytes(rate, sizeof rate, amount_whole((double)e->alloc->weight / (double)e->duration_ns * NS_PER_S)), line);
    return findings_say(f, "%llu pauses for garbage collection stopped all threads for %.1f %% of the time (%.1f to %.1f)%s%s",
                        (unsigned long long)p->count, 100 * stopped->value, 100 * stopped->low, 100 * stopped->high, share, allocated);
}

static void judge_pressure(struct findings *f, const struct evidence *e, const struct pauses *p)
{
    struct amount lost = amount_normal(p->sum, sqrt(p->squares)), stopped = amount_scaled(lost, 1 / (double)e->duration_ns), cpu = {0};
    stopped.high = fmin(stopped.high, 1);
    if (e->cpu && e->cpu->unit == PROFILE_UNIT_NS)
        cpu = cpu_share(f, e->cpu, p);
    double collects_ns = cpu.low > 0 ? cpu.low * (double)e->cpu->weight : 0;
    bool is_busy = collects_ns >= CPU_LEAST_NS && collects_ns >= PROCESSOR_LEAST * (double)e->duration_ns;
    double of_pauses = p->count < PAUSES_LEAST ? 0 : score_saturate(stopped.low, STOPPED_WARNING);
    double score = fmax(of_pauses, is_busy ? score_saturate(cpu.low, CPU_WARNING) : 0);
    if (score < SCORE_INFO)
        return;
    char line[400];
    uint32_t site = allocating_line(f, e, line, sizeof line);
    findings_add(f, &(struct finding){
                        .kind = FINDING_GC_PRESSURE,
                        .score = score,
                        .text = tell_pressure(f, e, p, &stopped, &cpu, line),
                        .site = site,
                        .count = p->count,
                        .lost_ns = lost,
                    });
}

static void judge_longest(struct findings *f, const struct evidence *e, const struct pauses *p)
{
    char ns[32], note[100];
    if (!p->longest)
        return;
    struct amount own = pace_halt(e, p->longest);
    findings_add(f, &(struct finding){
                        .kind = FINDING_GC_LONG_PAUSE,
                        .score = score_saturate(own.low, LONGEST_WARNING_NS),
                        .text = findings_say(f, "one pause stopped all threads for %s (%.200s)%s",
                                             units_format_duration(ns, sizeof ns, p->longest->ns), halts_text(e->halts, p->longest->what),
                                             pace_note(note, sizeof note, &own)),
                        .subject = findings_string(f, halts_text(e->halts, p->longest->what)),
                        .count = 1,
                        .lost_ns = amount_exact((double)p->longest->ns),
                    });
}

void rule_gc(struct findings *f, const struct evidence *e)
{
    if (!e->halts || !e->duration_ns)
        return;
    struct pauses p = add_pauses(e->halts);
    judge_pressure(f, e, &p);
    judge_longest(f, e, &p);
}
