/* Finds threads that could run, but have no processor. The program's own CPU time shows the cause: either the program's own load, or
 * other processes on the machine and quotas. */
#include "analysis/rules.h"

#include "analysis/findings.h"
#include "analysis/stack.h"
#include "analysis/tally.h"
#include "profile/figures/stats.h"

#include <math.h>
#include <stdio.h>

#define READY_WARNING 1.0  /* waiting threads for each processor */
#define OWN_USE       0.75 /* a share of the processors; a program that uses at least this share is itself the cause */

enum { LOOKS_LEAST = 10 };

struct ready {
    double sum, squares;
    uint64_t looks;
    struct tally threads; /* group 0 */
};

static void add_looks(struct ready *r, const struct profile *p)
{
    for (uint32_t i = 0; i < p->sample_count; i++) {
        const struct profile_sample *s = &p->samples[i];
        if (s->state != JFR_STATE_READY)
            continue;
        r->sum += (double)s->weight;
        r->squares += (double)s->weight * (double)s->weight;
        r->looks += s->count;
        tally_add(&r->threads, 0, s->thread, s->weight);
    }
}

static void judge(struct findings *f, const struct evidence *e, const struct ready *r)
{
    double processors = e->processors, used = (double)e->cpu->weight / (double)e->duration_ns;
    struct amount lost = amount_normal(r->sum, sqrt(r->squares)), mean = amount_scaled(lost, 1 / (double)e->duration_ns);
    bool is_own = used >= OWN_USE * processors;
    double score = score_saturate(mean.low / processors, READY_WARNING);
    double share = 0;
    char place[400] = "";
    if (r->looks < LOOKS_LEAST || score < SCORE_INFO)
        return;
    uint32_t site = is_own ? stack_line_most(f, e->cpu, NULL, 0, &share) : 0;
    if (site)
        snprintf(place, sizeof place, "; the largest part of its CPU time (%.0f %%) is at %.300s", 100 * share, findings_text(f, site));
    findings_add(f,
                 &(struct finding){
                     .kind = FINDING_CPU_SATURATED,
                     .score = score,
                     .text = findings_say(f,
                                          "%.1f threads on average (%.1f to %.1f) could run but had no processor; the program used %.2f "
                                          "of the %u processors%s%s",
                                          mean.value, mean.low, mean.high, used, e->processors,
                                          is_own ? "" : ": other programs on the machine used the rest, or a CPU quota withheld it", place),
                     .site = site,
                     .count = r->looks,
                     .threads = tally_keys(&r->threads, 0),
                     .lost_ns = lost,
                     .remedy = is_own ? NULL : "check which other programs run on this machine, and the CPU quota of the container",
                 });
}

void rule_cpu(struct findings *f, const struct evidence *e)
{
    struct ready r = {0};
    if (!e->cpu || e->cpu->unit != PROFILE_UNIT_NS || !e->wall || !e->processors || !e->duration_ns)
        return;
    tally_init(&r.threads);
    add_looks(&r, e->wall);
    f->failed = f->failed || r.threads.failed;
    judge(f, e, &r);
    tally_deinit(&r.threads);
}
