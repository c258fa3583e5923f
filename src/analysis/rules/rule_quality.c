/* Finds gaps in the recording itself: CPU time without a sample, samples without a whole stack, and lines that are approximate. */
#include "analysis/rules.h"
#include "base/time_units.h"

#include "analysis/findings.h"
#include "profile/accounts.h"
#include "profile/figures/stats.h"

#include <math.h>
#include <stdio.h>

#define MISSING_WARNING     0.2      /* as a share of the CPU time */
#define APPROXIMATE_WARNING 2.0      /* as a share of the CPU time; above 1, so that it is information from 0.42 on, but never a warning */
#define SHOWN_LEAST         0.0005   /* as a share of the CPU time; less would be shown as 0.0 % */
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

/* Returns the CPU time of the program that no sample stands for. The agent's own thread does not belong to the program. */
static double unseen_ns(const struct profile *p)
{
    const struct profile_book *own = accounts_reason(p, ACCOUNT_UNSEEN, REASON_LIST_UNSEEN, UNSEEN_PROFILER);
    return fmax(0, (double)accounts_unseen(p) - (own ? (double)own->ns : 0));
}

static struct missing add_books(const struct profile *p)
{
    return (struct missing){.all = account_ns(p, ACCOUNT_CPU),
                            .lost = account_ns(p, ACCOUNT_LOST),
                            .failed = account_ns(p, ACCOUNT_FAILED),
                            .truncated = account_ns(p, ACCOUNT_TRUNCATED),
                            .unseen = unseen_ns(p)};
}

/* Returns a share of the CPU time. The sums come from a clock that samples, so they are as uncertain as the samples. */
static struct amount share_of(const struct profile *p, double part, double all)
{
    return amount_share(fmin(part, all), all, stats_effective_samples(p));
}

/* Describes the parts that are more than nothing. */
static uint32_t tell(struct findings *f, const struct missing *m, const struct amount *lines)
{
    const struct {
        double ns;
        const char *words;
    } parts[] = {{m->unseen, "could not be sampled"},
                 {m->lost, "was sampled, but the samples were lost"},
                 {m->failed, "has samples without a stack"},
                 {m->truncated, "has stacks that end too early"}};
    char list[256] = "";
    for (size_t i = 0, n = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].ns >= SHOWN_LEAST * m->all)
            n += (size_t)snprintf(list + n, sizeof list - n, "%.1f %% of the CPU time %s; ", 100 * parts[i].ns / m->all, parts[i].words);
    return findings_say(f, "%sfor %.1f to %.1f %% the line may be a neighboring one", list, 100 * lines->low, 100 * lines->high);
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
    findings_add(f, &(struct finding){
                        .kind = FINDING_RECORDING_QUALITY,
                        .score = fmax(of_missing, of_lines),
                        .text = tell(f, &m, &lines),
                        .count = e->cpu->sampled,
                        .lost_ns = amount_scaled(missing, m.all),
                        .remedy = is_lines ? "load the agent at start (-agentpath, or candor record -- COMMAND): the JVM then keeps exact "
                                             "lines for all code that it compiles"
                                           : NULL,
                    });
}
