/* Finds exceptions that are thrown too often. Their cost is estimated from the CPU time for filling in their stack traces, which is most
 * of the cost. Their number is the JVM's own count, if the JDK's recorder has recorded it. */
#include "analysis/rules.h"
#include "base/time_units.h"

#include "analysis/findings.h"
#include "analysis/halt_groups.h"
#include "analysis/stack.h"
#include "analysis/tally.h"
#include "profile/figures/stats.h"

#include <math.h>
#include <stdio.h>

#define SHARE_WARNING   0.2    /* as a share of the CPU time */
#define THROWS_WARNING  10000. /* a second */
#define PROCESSOR_LEAST 0.005  /* of one processor, on average; below this, an idle program may simply do little else than throw */

struct thrown {
    struct findings *f;
    double fills, all;
    uint64_t samples;
    struct tally stacks; /* group 0 */
};

static void add_samples(struct thrown *t, const struct profile *p)
{
    struct stack_marks marks;
    if (stack_marks_of(&marks, t->f, p))
        t->f->failed = true;
    for (uint32_t i = 0; !t->f->failed && i < p->sample_count; i++) {
        const struct profile_sample *s = &p->samples[i];
        t->all += (double)s->weight;
        if (!stack_has(&marks, s->stack, STACK_FILLS_TRACE))
            continue;
        t->fills += (double)s->weight;
        t->samples += s->count;
        tally_add(&t->stacks, 0, s->stack, s->weight);
    }
}

/* Names the class that is thrown most, if there are events of throws. If only errors are recorded, which is the default of the JDK's
 * recorder, they are a small part of all throws. */
static void name_by_events(struct finding *one, struct findings *f, const struct halts *h)
{
    struct halt_groups groups;
    uint32_t most = 0;
    if (halt_groups_make(&groups, h, HALT_EXCEPTION))
        f->failed = true;
    for (uint32_t i = 1; i < groups.count; i++)
        if (groups.list[i].count > groups.list[most].count)
            most = i;
    if (groups.count) {
        one->subject = findings_string(f, halts_text(h, groups.list[most].what));
        one->site = findings_string(f, halts_text(h, groups.list[most].site));
    }
    halt_groups_deinit(&groups);
}

static uint32_t tell(struct findings *f, const struct finding *one, const struct amount *rate, const struct amount *share)
{
    char rates[96] = "", shares[96] = "";
    if (rate->value > 0)
        snprintf(rates, sizeof rates, "%.0f exceptions a second were thrown; ", rate->value);
    if (share->value > 0)
        snprintf(shares, sizeof shares, "%.1f to %.1f %% of the CPU time went into stack traces of exceptions; ", 100 * share->low,
                 100 * share->high);
    if (!one->subject && !one->site)
        return findings_say(f, "%s%sthe recording does not show which exceptions, nor where", rates, shares);
    return findings_say(f, "%s%smost%s%.200s at %.300s", rates, shares, one->subject ? " are " : "", findings_text(f, one->subject),
                        one->site ? findings_text(f, one->site) : "[unknown]");
}

/* Whether the program is nearly idle. Samples without a time do not show that. */
static bool is_idle(const struct amount *share, const struct thrown *t, const struct evidence *e)
{
    return e->cpu && e->cpu->unit == PROFILE_UNIT_NS && share->low * t->all < PROCESSOR_LEAST * (double)e->duration_ns;
}

static void judge(struct thrown *t, const struct evidence *e)
{
    struct findings *f = t->f;
    double seconds = (double)e->throws.ns / NS_PER_S;
    struct amount share = t->samples ? amount_share(t->fills, t->all, stats_effective_samples(e->cpu)) : (struct amount){0};
    struct amount rate = seconds > 0 ? amount_scaled(amount_count((double)e->throws.count), 1 / seconds) : (struct amount){0};
    struct finding one = {
        .kind = FINDING_EXCEPTIONS,
        .score = fmax(is_idle(&share, t, e) ? 0 : score_saturate(share.low, SHARE_WARNING), score_saturate(rate.low, THROWS_WARNING)),
        .count = e->throws.count ? e->throws.count : t->samples,
        .lost_ns = e->cpu && e->cpu->unit == PROFILE_UNIT_NS ? amount_scaled(share, t->all) : (struct amount){0},
    };
    if (one.score < SCORE_INFO)
        return;
    const struct tally_row *row = tally_largest(&t->stacks, 0);
    if (row)
        one.site = stack_throw(f, e->cpu, row->key, &one.subject);
    else if (e->halts && evidence_has(e, SOURCE_THROWN))
        name_by_events(&one, f, e->halts);
    if (!row) {
        one.report = "--kind halt";
        one.table = "Why";
    }
    one.text = tell(f, &one, &rate, &share);
    findings_add(f, &one);
}

void rule_exceptions(struct findings *f, const struct evidence *e)
{
    struct thrown t = {.f = f};
    tally_init(&t.stacks);
    if (e->cpu)
        add_samples(&t, e->cpu);
    f->failed = f->failed || t.stacks.failed;
    if (!f->failed)
        judge(&t, e);
    tally_deinit(&t.stacks);
}
