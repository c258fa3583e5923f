/* Finds allocations that can be avoided: numbers in objects (boxing), and one line that allocates a large part of all bytes. */
#include "analysis/rules.h"
#include "base/time_units.h"

#include "analysis/findings.h"
#include "analysis/stack.h"
#include "analysis/tally.h"
#include "base/text/units.h"
#include "profile/allocated.h"
#include "profile/figures/stats.h"

#include <math.h>
#include <stdio.h>

#define BOXED_WARNING     0.8   /* as a share of the bytes */
#define BOXED_CPU_WARNING 0.2   /* as a share of the CPU time */
#define BOXED_LEAST       10e6  /* bytes a second; below this boxing is cheap */
#define SITE_WARNING      500e6 /* bytes a second, at one line */
#define SITE_ONE_LEAST    0.25  /* the line's largest allocating frame, as a share of the line's bytes */

struct part {
    double sum;
    struct tally lines, classes; /* both use group 0; keys: string ids of the findings, and of the profile */
};

static void part_init(struct part *p)
{
    *p = (struct part){0};
    tally_init(&p->lines);
    tally_init(&p->classes);
}

static void part_deinit(struct part *p)
{
    tally_deinit(&p->lines);
    tally_deinit(&p->classes);
}

static void add(struct part *part, const struct profile *p, const struct profile_sample *s, uint32_t line)
{
    uint32_t class_name = allocated_class(p, s->labels);
    part->sum += (double)s->weight;
    if (line)
        tally_add(&part->lines, 0, line, s->weight);
    if (class_name)
        tally_add(&part->classes, 0, class_name, s->weight);
}

/* Adds up samples in valueOf of a wrapper class. */
static struct amount boxed(struct findings *f, const struct profile *p, struct part *part)
{
    struct stack_marks marks;
    struct stack_lines lines;
    int rc = stack_marks_of(&marks, f, p), rc_lines = stack_lines_of(&lines, f, p);
    f->failed = f->failed || rc || rc_lines;
    for (uint32_t i = 0; !f->failed && i < p->sample_count; i++)
        if (stack_has(&marks, p->samples[i].stack, STACK_BOXES))
            add(part, p, &p->samples[i], lines.of_node[p->samples[i].stack]);
    f->failed = f->failed || part->lines.failed || part->classes.failed;
    return amount_share(part->sum, (double)p->weight, stats_effective_samples(p));
}

static double a_second(const struct evidence *e, double bytes)
{
    return bytes / ((double)e->duration_ns / NS_PER_S);
}

static double cpu_score(struct findings *f, const struct evidence *e)
{
    struct part part;
    if (!e->cpu || e->cpu->unit != PROFILE_UNIT_NS)
        return 0;
    part_init(&part);
    struct amount share = boxed(f, e->cpu, &part);
    part_deinit(&part);
    return score_saturate(share.low, BOXED_CPU_WARNING);
}

/* Formats "; the largest part (60 %) is java.lang.Integer", or nothing if there is none. */
static const char *largest(char *text, size_t size, double part, double whole, const char *is, const char *what)
{
    *text = 0;
    if (*what && whole > 0)
        snprintf(text, size, "; the largest part (%.0f %%) is %s%.300s", 100 * part / whole, is, what);
    return text;
}

static void judge_boxing(struct findings *f, const struct evidence *e, const struct part *part, const struct amount *share)
{
    struct amount rate = amount_scaled(*share, a_second(e, (double)e->alloc->weight));
    double score = fmax(score_saturate(share->low, BOXED_WARNING), cpu_score(f, e));
    char bytes[32], of_class[400], at_line[400];
    if (rate.low < BOXED_LEAST || score < SCORE_INFO)
        return;
    const struct tally_row *line = tally_largest(&part->lines, 0), *class_name = tally_largest(&part->classes, 0);
    uint32_t site = line ? line->key : 0;
    uint32_t subject = class_name ? findings_string(f, profile_text(e->alloc, class_name->key)) : 0;
    findings_add(f, &(struct finding){
                        .kind = FINDING_BOXING,
                        .score = score,
                        .text = findings_say(
                            f, "%.1f to %.1f %% of all allocated bytes (%s/s) are boxed numbers%s%s", 100 * share->low, 100 * share->high,
                            units_format_bytes(bytes, sizeof bytes, amount_whole(rate.value)),
                            largest(of_class, sizeof of_class, class_name ? (double)class_name->weight : 0, part->sum, "",
                                    findings_text(f, subject)),
                            largest(at_line, sizeof at_line, line ? (double)line->weight : 0, part->sum, "at ", findings_text(f, site))),
                        .subject = subject,
                        .site = site,
                        .count = part->lines.count,
                    });
}

void rule_boxing(struct findings *f, const struct evidence *e)
{
    struct part part;
    if (!e->alloc || !e->duration_ns)
        return;
    part_init(&part);
    struct amount share = boxed(f, e->alloc, &part);
    if (!f->failed)
        judge_boxing(f, e, &part, &share);
    part_deinit(&part);
}

static void judge_site(struct findings *f, const struct evidence *e, const struct tally_row *line, const struct tally_row *of_class)
{
    const char *class_name = profile_text(e->alloc, of_class->key);
    struct amount share = amount_share((double)line->weight, (double)e->alloc->weight, stats_effective_samples(e->alloc));
    struct amount rate = amount_scaled(share, a_second(e, (double)e->alloc->weight));
    double score = score_saturate(rate.low, SITE_WARNING);
    char low[32], high[32], part[400];
    if (score < SCORE_INFO)
        return;
    findings_add(f,
                 &(struct finding){
                     .kind = FINDING_ALLOCATION_SITE,
                     .score = score,
                     .text = findings_say(f, "%.300s allocates %s/s to %s/s, %.1f to %.1f %% of all allocated bytes%s",
                                          findings_text(f, line->key), units_format_bytes(low, sizeof low, amount_whole(rate.low)),
                                          units_format_bytes(high, sizeof high, amount_whole(rate.high)), 100 * share.low, 100 * share.high,
                                          largest(part, sizeof part, (double)of_class->weight, (double)line->weight, "", class_name)),
                     .subject = findings_string(f, class_name),
                     .site = line->key,
                     .count = line->count,
                 });
}

/* Sums of bytes: by line, by class in each line, and by allocating frame in each line. */
struct sites {
    struct tally lines, classes, frames;
};

/* Adds up by lines. Boxed numbers have a rule of their own. */
static void add_lines(struct findings *f, const struct profile *p, struct sites *sites)
{
    struct stack_lines lines;
    struct stack_marks marks;
    if (stack_lines_of(&lines, f, p) || stack_marks_of(&marks, f, p))
        f->failed = true;
    for (uint32_t i = 0; !f->failed && i < p->sample_count; i++) {
        const struct profile_sample *s = &p->samples[i];
        uint32_t line = lines.of_node[s->stack];
        if (!line || stack_has(&marks, s->stack, STACK_BOXES))
            continue;
        tally_add(&sites->lines, 0, line, s->weight);
        tally_add(&sites->classes, line, allocated_class(p, s->labels), s->weight);
        tally_add(&sites->frames, line, p->nodes[s->stack].frame, s->weight);
    }
    f->failed = f->failed || sites->lines.failed || sites->classes.failed || sites->frames.failed;
}

/* Whether the line itself allocates, perhaps through a method of the JDK. A line that calls a compiler, for instance, does not: its objects
 * come from hundreds of places. */
static bool allocates_itself(const struct sites *sites, const struct tally_row *line)
{
    return (double)tally_largest(&sites->frames, line->key)->weight >= SITE_ONE_LEAST * (double)line->weight;
}

static const struct tally_row *largest_line(const struct sites *sites)
{
    const struct tally_row *most = NULL;
    for (uint32_t i = 0; i < sites->lines.count; i++) {
        const struct tally_row *line = &sites->lines.rows[i];
        most = (!most || line->weight > most->weight) && allocates_itself(sites, line) ? line : most;
    }
    return most;
}

/* Reports the line that allocates most bytes. */
void rule_allocation_site(struct findings *f, const struct evidence *e)
{
    struct sites sites;
    if (!e->alloc || !e->duration_ns)
        return;
    tally_init(&sites.lines);
    tally_init(&sites.classes);
    tally_init(&sites.frames);
    add_lines(f, e->alloc, &sites);
    const struct tally_row *line = f->failed ? NULL : largest_line(&sites);
    if (line)
        judge_site(f, e, line, tally_largest(&sites.classes, line->key));
    tally_deinit(&sites.lines);
    tally_deinit(&sites.classes);
    tally_deinit(&sites.frames);
}
