/* Finds gaps in the recording itself: CPU time without a sample, samples without a whole stack, and lines that are approximate. */
#include "analysis/rules.h"
#include "base/time_units.h"

#include "analysis/findings.h"
#include "profile/accounts.h"
#include "profile/figures/stats.h"

#include <math.h>

#define MISSING_WARNING     0.2      /* as a share of the CPU time */
#define APPROXIMATE_WARNING 2.0      /* as a share of the CPU time; above 1, so that it is information from 0.42 on, but never a warning */
#define CPU_LEAST_NS        NS_PER_S /* with less CPU time nothing can be concluded about the recorder */

struct missing {
    double all, lost, failed, truncated, unseen;
};

static double account_ns(const struct profile *p, enum account_id id)
{
    double sum = 0;
    for (uint32_t i = 0; i < p->book_count; i++)
        if (accounts_is(p, &p->books[i], id))
            sum += fmax(0, (double)p->books[i].ns);
    return sum;
}

static struct missing add_books(const struct profile *p)
{
    return (struct missing){.all = account_ns(p, ACCOUNT_CPU),
                            .lost = account_ns(p, ACCOUNT_LOST),
                            .failed = account_ns(p, ACCOUNT_FAILED),
                            .truncated = account_ns(p, ACCOUNT_TRUNCATED),
                            .unseen = fmax(0, (double)accounts_unseen(p))};
}

/* Returns a share of the CPU time. The sums come from a clock that samples, so they are as uncertain as the samples. */
static struct amount share_of(const struct profile *p, double part, double all)
{
    return amount_share(fmin(part, all), all, stats_effective_samples(p));
}

void rule_quality(struct findings *f, const struct evidence *e)
{
    if (!e->cpu || !e->cpu->book_count)
        return;
    struct missing m = add_books(e->cpu);
    if (m.all < CPU_LEAST_NS)
        return;
    struct amount missing = share_of(e->cpu, m.lost + m.failed + m.truncated + m.unseen, m.all);
    double sampled = (double)e->cpu->weight, approximate = stats_approximate_share(e->cpu);
    struct amount lines = share_of(e->cpu, approximate * sampled, sampled);
    double of_missing = score_saturate(missing.low, MISSING_WARNING), of_lines = score_saturate(lines.low, APPROXIMATE_WARNING);
    bool is_lines = of_lines > of_missing;
    findings_add(f,
                 &(struct finding){
                     .kind = FINDING_RECORDING_QUALITY,
                     .score = fmax(of_missing, of_lines),
                     .text = findings_say(f,
                                          "samples of %.1f %% of the CPU time were lost, %.1f %% could not be sampled, %.1f %% has samples "
                                          "without a stack, and %.1f %% has truncated stacks; for %.1f to %.1f %% the line is approximate",
                                          100 * m.lost / m.all, 100 * m.unseen / m.all, 100 * m.failed / m.all, 100 * m.truncated / m.all,
                                          100 * lines.low, 100 * lines.high),
                     .count = e->cpu->sampled,
                     .lost_ns = amount_scaled(missing, m.all),
                     .remedy = is_lines ? "load the agent at start (-agentpath, or candor record -- COMMAND): the JVM then keeps exact "
                                          "lines for all code that it compiles"
                                        : NULL,
                 });
}
