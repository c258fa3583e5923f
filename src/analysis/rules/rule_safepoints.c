/* Finds stops of all threads that are not garbage collections: very frequent safepoints, and loops for which all other threads wait at a
 * safepoint. */
#include "analysis/rules.h"
#include "base/time_units.h"

#include "analysis/findings.h"
#include "analysis/stack.h"
#include "analysis/tally.h"
#include "base/array.h"
#include "base/text/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STORM_WARNING   100.0 /* safepoints a second without a garbage collection: a calm JVM has one */
#define STOPPED_WARNING 0.1   /* as a share of the time, for a storm of safepoints */
#define STORM_LEAST     20.0  /* a second; fewer are not a storm */
#define LATE_WARNING_NS 1e8   /* mean time for which a thread keeps running after all were asked to stop */

enum { STORM_COUNT = 50, LATE_LEAST = 3 }; /* numbers of safepoints; fewer may be chance, or the program's start */
enum { PLACE_BYTES = 512 };

/* ---- storms ---- */

struct storm {
    uint64_t counted, counted_ns; /* from the agent: all safepoints, including GC pauses */
    uint64_t told, told_ns;       /* from the JDK's recorder: safepoints above its threshold */
    uint64_t pauses, pauses_ns;
    struct tally whats, askers; /* for the JDK's safepoints, group 0, by string id of the halts */
};

static void add_halt(struct storm *s, const struct halt *one)
{
    switch (one->kind) {
    case HALT_SAFEPOINTS_COUNTED:
        s->counted += one->count;
        s->counted_ns += one->ns;
        break;
    case HALT_SAFEPOINT:
        s->told++;
        s->told_ns += one->ns;
        break;
    case HALT_GC:
        s->pauses++;
        s->pauses_ns += one->ns;
        break;
    case HALT_VM_OPERATION:
        tally_add(&s->whats, 0, one->what, 1);
        tally_add(&s->askers, 0, one->by, 1);
        break;
    default:
        break;
    }
}

static uint32_t say_largest(struct findings *f, const struct halts *h, const struct tally *t)
{
    const struct tally_row *row = tally_largest(t, 0);
    return row && row->key ? findings_string(f, halts_text(h, row->key)) : 0;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* Returns the line of the program in which the thread with that name is most of its time. */
static uint32_t line_of_thread(struct findings *f, const struct profile *p, const char *name)
{
    struct stack_lines lines;
    struct tally sums;
    if (!p || !*name)
        return 0;
    tally_init(&sums);
    f->failed = stack_lines_of(&lines, f, p) || f->failed;
    for (uint32_t i = 0; !f->failed && i < p->sample_count; i++) {
        const struct profile_sample *s = &p->samples[i];
        if (lines.of_node[s->stack] && !strcmp(profile_text(p, p->threads[s->thread].name), name))
            tally_add(&sums, 0, lines.of_node[s->stack], s->weight);
    }
    const struct tally_row *row = tally_largest(&sums, 0);
    uint32_t line = row ? row->key : 0;
    f->failed = f->failed || sums.failed;
    tally_deinit(&sums);
    return line;
}

static void judge_storm(struct findings *f, const struct evidence *e, const struct storm *s)
{
    bool counted = s->counted >= s->told;
    uint64_t count = less(counted ? s->counted : s->told, s->pauses), ns = less(counted ? s->counted_ns : s->told_ns, s->pauses_ns);
    double seconds = (double)e->duration_ns / NS_PER_S;
    struct amount rate = amount_scaled(amount_count((double)count), 1 / seconds);
    char stopped[32], place[400] = "";
    if (count < STORM_COUNT || rate.low < STORM_LEAST)
        return;
    uint32_t what = say_largest(f, e->halts, &s->whats), by = say_largest(f, e->halts, &s->askers);
    uint32_t site = line_of_thread(f, e->cpu, findings_text(f, by));
    if (site)
        snprintf(place, sizeof place, ", which is mostly at %.300s", findings_text(f, site));
    findings_add(
        f, &(struct finding){
               .kind = FINDING_SAFEPOINT_STORM,
               .score = fmax(score_saturate(rate.low, STORM_WARNING), score_saturate((double)ns / (double)e->duration_ns, STOPPED_WARNING)),
               .text = findings_say(f,
                                    "all threads were stopped %.0f times a second (%.0f to %.0f) for reasons other than garbage "
                                    "collection; %s in all, %.1f %% of the time%s%.100s%s%.100s%s",
                                    rate.value, rate.low, rate.high, units_format_duration(stopped, sizeof stopped, ns),
                                    100 * (double)ns / (double)e->duration_ns, what ? "; most for " : "", findings_text(f, what),
                                    by ? ", asked by " : "", findings_text(f, by), place),
               .subject = what,
               .site = site,
               .owner = by,
               .count = count,
               .lost_ns = amount_exact((double)ns),
           });
}

void rule_safepoints(struct findings *f, const struct evidence *e)
{
    struct storm s = {0};
    if (!e->halts || !e->duration_ns)
        return;
    tally_init(&s.whats);
    tally_init(&s.askers);
    for (uint32_t i = 0; i < e->halts->count; i++)
        add_halt(&s, &e->halts->list[i]);
    f->failed = f->failed || s.whats.failed || s.askers.failed;
    judge_storm(f, e, &s);
    tally_deinit(&s.whats);
    tally_deinit(&s.askers);
}

/* ---- late threads ---- */

/* The CPU time of late threads, from samples. A thread without a processor did not run, so that a busy machine makes no thread late. */
struct lateness {
    uint32_t place;
    double sum, squares;
    uint32_t count, thread;
};

struct late {
    struct lateness *list; /* one entry for each place */
    uint32_t count, cap;
    struct map by_place;
    struct tally sites; /* the same places */
};

/* Returns the place of a site. All lines of a loop are one place: "a.B.loop < a.C.run" for "a.B.loop:12 < a.C.run:7". */
static uint32_t place_of(struct findings *f, const char *site)
{
    char place[PLACE_BYTES];
    size_t n = 0;
    while (*site && n < sizeof place - 1) {
        size_t digits = *site == ':' ? strspn(site + 1, "0123456789") : 0;
        if (digits)
            site += 1 + digits;
        else
            place[n++] = *site++;
    }
    place[n] = 0;
    return findings_string(f, place);
}

static bool is_late(const struct halt *one)
{
    return one->kind == HALT_SAFEPOINT && one->sync_known && one->late_site && one->late_thread_ns;
}

static struct lateness *lateness_at(struct late *l, uint32_t place)
{
    bool added;
    uint32_t *at = map_add(&l->by_place, place, &added);
    if (!at || (added && ARRAY_GROW(l->list, l->cap, l->count)))
        return NULL;
    if (added) {
        *at = l->count;
        l->list[l->count++] = (struct lateness){.place = place};
    }
    return &l->list[*at];
}

static void add_late(struct findings *f, struct late *l, const struct halts *h, const struct halt *one)
{
    uint32_t place = place_of(f, halts_text(h, one->late_site));
    struct lateness *at = lateness_at(l, place);
    if (!at) {
        f->failed = true;
        return;
    }
    at->sum += (double)one->late_thread_ns;
    at->squares += (double)one->late_thread_ns * (double)one->late_thread_ns;
    at->count++;
    at->thread = one->late_thread;
    tally_add(&l->sites, place, one->late_site, one->late_thread_ns);
}

/* Reports a late place. site: the site of that place at which most time was lost. */
static void judge_late(struct findings *f, const struct halts *h, const struct lateness *l, uint32_t site)
{
    char mean[32], low[32], high[32];
    if (l->count < LATE_LEAST)
        return;
    struct amount each = amount_mean(l->sum, l->squares, l->count);
    findings_add(f, &(struct finding){
                        .kind = FINDING_LATE_AT_SAFEPOINTS,
                        .score = score_saturate(each.low, LATE_WARNING_NS),
                        .text = findings_say(
                            f, "at %u safepoints all threads waited for %.100s, which kept running for %s on average (%s to %s) at %.300s",
                            l->count, halts_text(h, l->thread), units_format_duration(mean, sizeof mean, amount_whole(each.value)),
                            units_format_duration(low, sizeof low, amount_whole(each.low)),
                            units_format_duration(high, sizeof high, amount_whole(each.high)), halts_text(h, site)),
                        .site = findings_string(f, halts_text(h, site)),
                        .owner = findings_string(f, halts_text(h, l->thread)),
                        .count = l->count,
                        .lost_ns = amount_scaled(each, l->count),
                    });
}

void rule_late(struct findings *f, const struct evidence *e)
{
    struct late l = {0};
    map_init(&l.by_place);
    tally_init(&l.sites);
    for (uint32_t i = 0; e->halts && i < e->halts->count; i++)
        if (is_late(&e->halts->list[i]))
            add_late(f, &l, e->halts, &e->halts->list[i]);
    f->failed = f->failed || l.sites.failed;
    for (uint32_t i = 0; !f->failed && i < l.count; i++)
        judge_late(f, e->halts, &l.list[i], tally_largest(&l.sites, l.list[i].place)->key);
    map_deinit(&l.by_place);
    tally_deinit(&l.sites);
    free(l.list);
}
