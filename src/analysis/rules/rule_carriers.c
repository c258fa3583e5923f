/* Finds virtual threads that compute on all carrier threads nearly all the time, so that other virtual threads wait for a carrier.
 *
 * A virtual thread without a carrier looks like one that waits for something else: no event shows when it could run again. But if all
 * carriers are in use and more virtual threads take turns than there are carriers, the others must be queueing. Their number is unknown.
 * The JVM has as many carriers as there are processors, unless the program says otherwise. */
#include "analysis/rules.h"

#include "analysis/findings.h"
#include "analysis/stack.h"
#include "profile/figures/stats.h"

#include <math.h>

#define USED_FROM    0.85 /* share of the processors that virtual threads use; below it none needs to wait for long */
#define USED_WARNING 0.1  /* more than that */

enum { THREADS_EACH = 2 }; /* least number of virtual threads for each carrier */

/* Returns the CPU time of virtual threads; *threads: their number. */
static double used_by_virtual(const struct profile *p, uint64_t *threads)
{
    double used = 0;
    *threads = 0;
    for (uint32_t i = 0; i < p->thread_count; i++)
        *threads += p->threads[i].virtual_threads;
    for (uint32_t i = 0; *threads && i < p->sample_count; i++)
        used += p->threads[p->samples[i].thread].virtual_threads ? (double)p->samples[i].weight : 0;
    return used;
}

void rule_carriers(struct findings *f, const struct evidence *e)
{
    uint64_t threads;
    double share;
    if (!e->cpu || e->cpu->unit != PROFILE_UNIT_NS || !e->processors || !e->duration_ns)
        return;
    double all = (double)e->processors * (double)e->duration_ns, used = fmin(used_by_virtual(e->cpu, &threads), all);
    struct amount part = amount_share(used, all, stats_effective_samples(e->cpu));
    double score = score_saturate(part.low - USED_FROM, USED_WARNING);
    if (threads < (uint64_t)THREADS_EACH * e->processors || score < SCORE_INFO)
        return;
    uint32_t site = stack_line_most(f, e->cpu, NULL, 0, &share);
    findings_add(f, &(struct finding){
                        .kind = FINDING_CARRIERS_BUSY,
                        .score = score,
                        .text = findings_say(f,
                                             "%llu virtual threads computed on %.2f of the %u processors, %.0f to %.0f %% of what their "
                                             "carriers can do, so others wait for a carrier; the largest part of the CPU time (%.0f %%) is "
                                             "at %.300s",
                                             (unsigned long long)threads, used / (double)e->duration_ns, e->processors, 100 * part.low,
                                             100 * part.high, 100 * share, findings_text(f, site)),
                        .site = site,
                        .threads = (uint32_t)(threads < UINT32_MAX ? threads : UINT32_MAX),
                    });
}
