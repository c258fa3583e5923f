/* Finds waits for things outside of the program: peers that are slow to answer, files that are forced to disk, and carriers that virtual
 * threads keep while they wait. */
#include "analysis/rules.h"
#include "base/text/number.h"
#include "base/time_units.h"

#include "analysis/findings.h"
#include "analysis/halt_groups.h"
#include "analysis/stack.h"
#include "analysis/tally.h"
#include "base/text/units.h"

#include <math.h>
#include <string.h>

#define WAITERS_WARNING 1.0               /* mean number of threads that wait */
#define SLOW_READ_NS    (275 * NS_PER_MS) /* at least half of the reads take this long */
#define AT_ONCE_NS      NS_PER_MS         /* time in which reads overlap; less may be an error of clocks */
#define FORCES_WARNING  100.0             /* for one file, a second */

enum { READS_LEAST = 3, FORCES_LEAST = 3, PINS_LEAST = 3 }; /* fewer may be chance */

static const char *known(const struct halts *h, uint32_t text, const char *otherwise)
{
    return text ? halts_text(h, text) : otherwise;
}

static double waiters(const struct halt_group *g, const struct evidence *e)
{
    return (double)g->sum_ns / evidence_jdk_ns(e);
}

/* Fills in the members that all findings of this file share. */
static struct finding finding_of(struct findings *f, const struct evidence *e, const struct halt_group *g, enum finding_kind kind)
{
    return (struct finding){
        .kind = kind,
        .score = score_saturate(waiters(g, e), WAITERS_WARNING),
        .subject = findings_string(f, halts_text(e->halts, g->what)),
        .site = findings_string(f, halts_text(e->halts, g->site)),
        .count = g->count,
        .threads = g->threads,
        .lost_ns = amount_exact((double)g->sum_ns),
    };
}

typedef void judge_group(struct findings *f, const struct evidence *e, const struct halt_group *g);

static void judge_all(struct findings *f, const struct evidence *e, enum halt_kind kind, judge_group *judge)
{
    struct halt_groups groups;
    if (!e->halts || !e->duration_ns)
        return;
    if (halt_groups_make(&groups, e->halts, kind))
        f->failed = true;
    for (uint32_t i = 0; i < groups.count; i++)
        judge(f, e, &groups.list[i]);
    halt_groups_deinit(&groups);
}

/* ---- sockets ---- */

enum { PORT_OF_CLIENTS = 32768 }; /* from here on Linux assigns ports to clients; other systems begin later */

static bool has_port_of_client(const char *peer)
{
    const char *colon = strrchr(peer, ':');
    return colon && number_or_zero(colon + 1) >= PORT_OF_CLIENTS;
}

/* Whether the peer may be a client of the program, which pauses before its next request. Such a peer has a port that was assigned to it.
 * It has one connection, on which two threads cannot read at once. */
static bool may_be_client(const char *peer, const struct halt_group *g)
{
    return has_port_of_client(peer) && g->at_once_ns < AT_ONCE_NS;
}

static void judge_peer(struct findings *f, const struct evidence *e, const struct halt_group *g)
{
    char all[32], half[32];
    if (g->count < READS_LEAST || g->median_ns < SLOW_READ_NS || may_be_client(known(e->halts, g->what, ""), g))
        return;
    struct finding one = finding_of(f, e, g, FINDING_SLOW_SOCKET);
    one.text = findings_say(f, "%llu reads from %.200s took %s, half of them %s or more; %u thread%s waited, most of that time at %.300s",
                            (unsigned long long)g->count, known(e->halts, g->what, "[unknown]"),
                            units_format_duration(all, sizeof all, g->sum_ns), units_format_duration(half, sizeof half, g->median_ns),
                            g->threads, g->threads == 1 ? "" : "s", known(e->halts, g->site, "[unknown]"));
    findings_add(f, &one);
}

void rule_sockets(struct findings *f, const struct evidence *e)
{
    judge_all(f, e, HALT_SOCKET_READ, judge_peer);
}

/* ---- files ---- */

static void judge_file(struct findings *f, const struct evidence *e, const struct halt_group *g)
{
    struct amount rate = amount_scaled(amount_count((double)g->count), NS_PER_S / evidence_jdk_ns(e));
    struct finding one = finding_of(f, e, g, FINDING_FILE_FORCED);
    char all[32];
    if (g->count < FORCES_LEAST)
        return;
    one.score = fmax(one.score, score_saturate(rate.low, FORCES_WARNING));
    one.text = findings_say(f, "%.200s was forced to disk %llu times, %.1f a second (%.1f to %.1f), which took %s; at %.300s",
                            known(e->halts, g->what, "a file"), (unsigned long long)g->count, rate.value, rate.low, rate.high,
                            units_format_duration(all, sizeof all, g->sum_ns), known(e->halts, g->site, "[unknown]"));
    findings_add(f, &one);
}

/* Judges forced files without the JDK's events, from wall-clock samples of threads in the call. FileDescriptor.sync has no event.
 * has_all: whether FileChannel.force counts, too. */
static void judge_seen(struct findings *f, const struct evidence *e, bool has_all)
{
    const struct profile *p = e->wall;
    struct stack_marks marks;
    struct tally stacks, threads;
    double sum = 0, squares = 0;
    uint64_t samples = 0;
    tally_init(&stacks);
    tally_init(&threads);
    if (stack_marks_of(&marks, f, p))
        f->failed = true;
    for (uint32_t i = 0; !f->failed && i < p->sample_count; i++) {
        const struct profile_sample *s = &p->samples[i];
        bool is_forced = has_all && stack_has(&marks, s->stack, STACK_FORCES);
        if (!is_forced && !stack_has(&marks, s->stack, STACK_SYNCS))
            continue;
        samples += s->count;
        sum += (double)s->weight;
        squares += (double)s->weight * (double)s->weight;
        tally_add(&stacks, 0, s->stack, s->weight);
        tally_add(&threads, 0, s->thread, s->weight);
    }
    const struct tally_row *row = tally_largest(&stacks, 0);
    struct amount lost = amount_normal(sum, sqrt(squares)), mean = amount_scaled(lost, 1 / (double)e->duration_ns);
    uint32_t site = row ? stack_site(f, p, row->key) : 0;
    bool syncs = row && stack_has(&marks, row->key, STACK_SYNCS);
    findings_add(f, &(struct finding){
                        .kind = FINDING_FILE_FORCED,
                        .score = score_saturate(mean.low, WAITERS_WARNING),
                        .text = row ? findings_say(f, "%.2f threads on average (%.2f to %.2f) forced files to disk, at %.300s", mean.value,
                                                   mean.low, mean.high, findings_text(f, site))
                                    : 0,
                        .site = site,
                        .count = samples,
                        .threads = tally_keys(&threads, 0),
                        .lost_ns = lost,
                        .report = syncs ? "--kind wall --callers FileDescriptor.sync" : "--kind wall --callers FileChannelImpl.force",
                        .table = "Callers",
                    });
    f->failed = f->failed || stacks.failed || threads.failed;
    tally_deinit(&stacks);
    tally_deinit(&threads);
}

void rule_forces(struct findings *f, const struct evidence *e)
{
    uint32_t before = f->count;
    judge_all(f, e, HALT_FILE_FORCE, judge_file);
    if (e->wall && e->duration_ns) /* the events leave out what is shorter than their threshold; many of these may take long */
        judge_seen(f, e, f->count == before);
}

/* ---- carriers ---- */

static void judge_pin(struct findings *f, const struct evidence *e, const struct halt_group *g)
{
    char all[32];
    if (g->count < PINS_LEAST)
        return;
    struct finding one = finding_of(f, e, g, FINDING_PINNED_CARRIER);
    one.text = findings_say(
        f, "virtual threads waited %llu times, %s in all, without releasing their carrier threads%s%.200s; most of that time at %.300s",
        (unsigned long long)g->count, units_format_duration(all, sizeof all, g->sum_ns), g->what ? ", for " : "",
        known(e->halts, g->what, ""), known(e->halts, g->site, "[unknown]"));
    findings_add(f, &one);
}

void rule_pinned(struct findings *f, const struct evidence *e)
{
    judge_all(f, e, HALT_PINNED, judge_pin);
}
