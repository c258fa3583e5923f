/* Finds threads that are started for little work and soon end: threads that no round of the wall clock saw. */
#include "analysis/rules.h"
#include "base/time_units.h"

#include "analysis/findings.h"
#include "analysis/rules/starting.h"
#include "profile/accounts.h"

#include <stdio.h>

#define ENDS_WARNING 100.0 /* number of such threads a second */

enum { ENDS_LEAST = 50 };

static uint64_t ended(const struct profile *p)
{
    const struct profile_book *book = accounts_reason(p, ACCOUNT_WALL_UNSEEN, REASON_LIST_LIFE, LIFE_ENDED);
    return book ? book->count : 0;
}

void rule_threads(struct findings *f, const struct evidence *e)
{
    char place[400];
    if (!e->wall || !e->duration_ns)
        return;
    uint64_t count = ended(e->wall);
    struct amount rate = amount_scaled(amount_count((double)count), NS_PER_S / (double)e->duration_ns);
    double score = score_saturate(rate.low, ENDS_WARNING);
    if (count < ENDS_LEAST || score < SCORE_INFO)
        return;
    uint32_t site = starting_line(f, e, place, sizeof place);
    findings_add(f, &(struct finding){
                        .kind = FINDING_THREAD_CHURN,
                        .score = score,
                        .text = findings_say(f,
                                             "%llu threads ended moments after they had been started, %.0f a second (%.0f to "
                                             "%.0f)%s",
                                             (unsigned long long)count, rate.value, rate.low, rate.high, place),
                        .site = site,
                        .count = count,
                        .threads = (uint32_t)(count < UINT32_MAX ? count : UINT32_MAX),
                    });
}
