#include "base/time_units.h"
#include "report/halts/halts.h"

#include "base/text/units.h"
#include "base/text/utf8.h"
#include "report/halts/timeline.h"
#include "report/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

enum { DEPTH_MAX = 8, CAUSES = 10 };

struct page {
    struct text text; /* used for its styles only; it has no profile */
    const struct halt_view *v;
    const struct halts_report *o;
};

static double share(const struct page *p, uint64_t ns)
{
    uint64_t whole = (uint64_t)(p->v->to_ns - p->v->from_ns);
    return whole ? (double)ns / (double)whole * 100 : 0;
}

static void put_string(const struct page *p, uint32_t string)
{
    utf8_print(p->text.out, halts_text(p->v->h, string));
}

/* Prints a time as the local clock shows it, such as "12:03:07.123". */
static void put_clock(const struct page *p, int64_t ns)
{
    char clock[16] = "?";
    int64_t rest = ns % NS_PER_S;
    time_t seconds = (time_t)(ns / NS_PER_S) - (rest < 0);
    struct tm tm;
    if (localtime_r(&seconds, &tm))
        strftime(clock, sizeof clock, "%H:%M:%S", &tm);
    fprintf(p->text.out, "%s.%03d", clock, (int)((rest + (rest < 0 ? NS_PER_S : 0)) / NS_PER_MS));
}

/* ---- how much of the time is explained ---- */

static void put_part(const struct page *p, const char *name, uint64_t ns)
{
    char time[32];
    fprintf(p->text.out, "  %-44s %10s  %6.2f", name, text_time(time, sizeof time, (int64_t)ns), share(p, ns));
}

/* Prints the JVM's count of safepoints and their total time. The agent records only the GC pauses among them one by one, so the other
 * safepoints are not part of the times above. */
static void put_counted(const struct page *p)
{
    const struct halt_sums *s = &p->v->kinds[HALT_SAFEPOINTS_COUNTED];
    char count[32], time[32], sync[32], told[32];
    uint64_t sync_ns = 0;
    for (uint32_t i = 0; i < p->v->count; i++)
        if (p->v->h->list[p->v->rows[i]].kind == HALT_SAFEPOINTS_COUNTED)
            sync_ns += p->v->h->list[p->v->rows[i]].sync_ns;
    if (!s->count)
        return;
    fprintf(p->text.out, "The JVM counted %s safepoint%s of %s in all, and %s until all threads had stopped. ",
            text_count(count, sizeof count, s->count), s->count == 1 ? "" : "s", text_time(time, sizeof time, (int64_t)s->total_ns),
            text_time(sync, sizeof sync, (int64_t)sync_ns));
    if (p->v->kinds[HALT_SAFEPOINT].count)
        fprintf(p->text.out, "The JDK's recorder recorded %s one by one.\n",
                text_count(told, sizeof told, p->v->kinds[HALT_SAFEPOINT].count));
    else
        fputs("The agent recorded the GC pauses among them.\n", p->text.out);
}

static void put_parts(const struct page *p)
{
    const struct halt_view *v = p->v;
    FILE *out = p->text.out;
    char all[32];
    text_heading(&p->text, "Time", "  and its share in %");
    put_part(p, "all threads stopped", v->stopped_ns);
    fputc('\n', out);
    put_part(p, "not all, but some waited", v->waited_ns);
    if (v->most_waiting)
        fprintf(out, "  at most %" PRIu32 " of %" PRIu32 " threads at once; all of them for %s", v->most_waiting, v->threads,
                text_time(all, sizeof all, (int64_t)v->all_waited_ns));
    fputc('\n', out);
    put_part(p, "no recorded event shows that a thread could not run", v->unexplained_ns);
    fputc('\n', out);
    put_counted(p);
}

static void put_header(const struct page *p)
{
    char length[32], date[32];
    const struct halt_view *v = p->v;
    time_t seconds = (time_t)(v->from_ns / NS_PER_S);
    struct tm tm;
    if (!localtime_r(&seconds, &tm) || !strftime(date, sizeof date, "%Y-%m-%d", &tm))
        date[0] = 0;
    text_begin(&p->text, TEXT_HEADING);
    fprintf(p->text.out, "Halts%s", p->o->asked ? " between " : " from ");
    put_clock(p, v->from_ns);
    fputs(p->o->asked ? " and " : " to ", p->text.out);
    put_clock(p, v->to_ns);
    text_end(&p->text, TEXT_HEADING);
    fprintf(p->text.out, "  %s, %s\n", date, text_time(length, sizeof length, v->to_ns - v->from_ns));
}

/* ---- kinds and causes ---- */

static void put_kind(const struct page *p, enum halt_kind kind)
{
    const struct halt_sums *s = &p->v->kinds[kind];
    char count[32], total[32], p50[32], p90[32], p99[32], longest[32];
    FILE *out = p->text.out;
    fprintf(out, "  %-20s %11s", halt_kinds[kind].words, text_count(count, sizeof count, s->count));
    if (halt_kinds[kind].scope != HALT_OF_MOMENT)
        fprintf(out, " %10s", text_time(total, sizeof total, (int64_t)s->total_ns));
    if (s->max_ns)
        fprintf(out, " %10s %10s %10s %10s", text_time(p50, sizeof p50, (int64_t)s->p50_ns), text_time(p90, sizeof p90, (int64_t)s->p90_ns),
                text_time(p99, sizeof p99, (int64_t)s->p99_ns), text_time(longest, sizeof longest, (int64_t)s->max_ns));
    fputc('\n', out);
}

enum source { BY_JDK, BY_AGENT, BY_BOTH, SOURCES };

static enum source source_of(const struct halt_sums *s)
{
    return !s->by_agent ? BY_JDK : s->by_agent == s->count ? BY_AGENT : BY_BOTH;
}

/* Prints which source the kinds come from, if the recording has both the JDK's and the agent's data. */
static void put_sources(const struct page *p)
{
    static const char *const words[SOURCES] = {"by the JDK's recorder", "by Candor's agent", "some by either"};
    uint32_t kinds[SOURCES] = {0};
    for (int kind = 0; kind < HALT_KINDS; kind++)
        if (p->v->kinds[kind].count)
            kinds[source_of(&p->v->kinds[kind])]++;
    if (!kinds[BY_BOTH] && (!kinds[BY_JDK] || !kinds[BY_AGENT]))
        return;
    for (int source = 0; source < SOURCES; source++) {
        const char *joint = ": ";
        if (!kinds[source])
            continue;
        fprintf(p->text.out, "  reported %s", words[source]);
        for (int kind = 0; kind < HALT_KINDS; kind++)
            if (p->v->kinds[kind].count && source_of(&p->v->kinds[kind]) == (enum source)source) {
                fprintf(p->text.out, "%s%s", joint, halt_kinds[kind].words);
                joint = ", ";
            }
        fputc('\n', p->text.out);
    }
}

static void put_kinds(const struct page *p)
{
    text_heading(&p->text, "Kinds", "  halts of single threads are summed over the threads, and a halt may lie within another one");
    text_begin(&p->text, TEXT_FAINT);
    fprintf(p->text.out, "  %-20s %11s %10s %10s %10s %10s %10s\n", "kind", "count", "total", "p50", "p90", "p99", "max");
    text_end(&p->text, TEXT_FAINT);
    for (int kind = 0; kind < HALT_KINDS; kind++)
        if (p->v->kinds[kind].count)
            put_kind(p, (enum halt_kind)kind);
    put_sources(p);
}

static void put_cause(const struct page *p, const struct halt_cause *c)
{
    char count[32], total[32], longest[32];
    bool moment = halt_kinds[c->kind].scope == HALT_OF_MOMENT, several = c->kind == HALT_SAFEPOINTS_COUNTED;
    FILE *out = p->text.out;
    fprintf(out, "  %11s %10s %10s  %s", text_count(count, sizeof count, c->count),
            moment ? "" : text_time(total, sizeof total, (int64_t)c->total_ns),
            moment || several ? "" : text_time(longest, sizeof longest, (int64_t)c->max_ns), halt_kinds[c->kind].words);
    if (c->what) {
        fputs(": ", out);
        put_string(p, c->what);
    }
    if (c->site) {
        fputs(" at ", out);
        put_string(p, c->site);
    }
    fputc('\n', out);
}

/* Prints the largest causes of each kind. */
static void put_causes(const struct page *p)
{
    uint32_t most = p->o->top ? p->o->top : UINT32_MAX, of_kind = 0, left = 0;
    if (!p->v->cause_count)
        return;
    if (most > CAUSES && p->o->top)
        most = CAUSES;
    text_heading(&p->text, "Why", "  the largest causes of each kind");
    text_begin(&p->text, TEXT_FAINT);
    fprintf(p->text.out, "  %11s %10s %10s  %s\n", "count", "total", "max", "cause");
    text_end(&p->text, TEXT_FAINT);
    for (uint32_t i = 0; i < p->v->cause_count; i++) {
        const struct halt_cause *c = &p->v->causes[i];
        of_kind = i && p->v->causes[i - 1].kind == c->kind ? of_kind + 1 : 0;
        if (of_kind < most)
            put_cause(p, c);
        left += of_kind >= most;
    }
    if (left)
        fprintf(p->text.out, "  ... and %" PRIu32 " more; --top 0 shows all\n", left);
}

/* ---- the halts themselves ---- */

static void put_late(const struct page *p, const struct halt *one)
{
    char time[32];
    FILE *out = p->text.out;
    if (one->kind != HALT_SAFEPOINT && one->kind != HALT_SAFEPOINTS_COUNTED)
        return;
    fprintf(out, "; %s%s", text_time(time, sizeof time, (int64_t)one->sync_ns), one->sync_known ? " until all had stopped" : " to begin");
    if (one->late) {
        fputs(one->sync_known ? ", late: " : ", still running then: ", out);
        put_string(p, one->late);
    }
}

static void put_bytes(const struct page *p, const struct halt *one)
{
    char bytes[32];
    if (one->bytes)
        fprintf(p->text.out, ", %s", units_format_bytes(bytes, sizeof bytes, one->bytes));
}

/* Prints what a thread worked for, in brackets. */
static void put_context(const struct page *p, uint32_t context)
{
    if (!context)
        return;
    fputs(" [", p->text.out);
    put_string(p, context);
    fputc(']', p->text.out);
}

static void put_who(const struct page *p, const struct halt *one)
{
    FILE *out = p->text.out;
    if (one->thread) {
        fputs("; thread ", out);
        put_string(p, one->thread);
        put_context(p, one->context);
    }
    if (one->by) {
        fputs(halt_scope(one) == HALT_OF_THREAD ? "; by " : "; requested by ", out);
        put_string(p, one->by);
        put_context(p, one->by_context);
    }
    if (one->site) {
        fputs(" at ", out);
        put_string(p, one->site);
    }
}

static void put_halt(const struct page *p, const struct halt *one, int depth)
{
    char length[32], overlap[32], count[32];
    FILE *out = p->text.out;
    uint64_t ns = halt_overlap(p->v, one);
    fputs("  ", out);
    put_clock(p, one->start_ns);
    fprintf(out, " %10s %10s %6.2f  %*s", text_time(length, sizeof length, (int64_t)one->ns),
            text_time(overlap, sizeof overlap, (int64_t)ns), share(p, ns), 2 * depth, "");
    if (one->kind == HALT_SAFEPOINTS_COUNTED)
        fprintf(out, "%s safepoint%s, counted", text_count(count, sizeof count, one->count), one->count == 1 ? "" : "s");
    else
        fputs(halt_kinds[one->kind].words, out);
    if (one->what) {
        fputs(": ", out);
        put_string(p, one->what);
    }
    put_bytes(p, one);
    put_late(p, one);
    put_who(p, one);
    fputc('\n', out);
}

/* Prints halts. If `nest`, a halt within another one follows it, indented. */
static void put_list(const struct page *p, const uint32_t *list, int64_t n, bool nest)
{
    int64_t ends[DEPTH_MAX];
    int depth = 0;
    for (int64_t i = 0; i < n; i++) {
        const struct halt *one = &p->v->h->list[list[i]];
        while (depth && ends[depth - 1] < halt_end(one))
            depth--;
        put_halt(p, one, nest ? depth : 0);
        if (depth < DEPTH_MAX)
            ends[depth++] = halt_end(one);
    }
}

static uint64_t count_of(const struct halt_view *v, enum halt_scope scope)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < v->count; i++)
        n += halt_scope(&v->h->list[v->rows[i]]) == scope;
    return n;
}

static void put_timeline(const struct page *p)
{
    char about[64], column[32];
    const struct timeline *t = p->o->timeline;
    if (!t)
        return;
    int64_t ns = (t->to_ns - t->from_ns) / t->columns;
    snprintf(about, sizeof about, "  %s each column", text_time(column, sizeof column, ns));
    text_heading(&p->text, "Timeline", about);
    timeline_text(p->text.out, t, p->o->top);
}

static int put_table(const struct page *p, enum halt_scope scope, const char *title)
{
    char about[96] = "";
    uint32_t *list;
    uint64_t all = count_of(p->v, scope);
    int64_t n = halt_view_longest(p->v, scope, p->o->top, &list);
    if (n > 0) {
        if ((uint64_t)n < all)
            snprintf(about, sizeof about, "  the longest %" PRId64 " of %" PRIu64 ", in the order of time; --top 0 shows all", n, all);
        text_heading(&p->text, title, about);
        text_begin(&p->text, TEXT_FAINT);
        fprintf(p->text.out, "  %-12s %10s %10s %6s  %s\n", "start", "duration", "overlap", "%", "cause, and who requested it");
        text_end(&p->text, TEXT_FAINT);
        put_list(p, list, n, scope == HALT_OF_ALL);
    }
    free(list);
    return n < 0 ? (int)n : 0;
}

/* ---- missing data ---- */

static void put_caveats(const struct page *p)
{
    const struct halts *h = p->v->h;
    char time[32];
    FILE *out = p->text.out;
    if (h->unplaced)
        fprintf(out,
                "\n%" PRIu32
                " collection%s paused for %s that is not included above: the recording has no jdk.GCPhasePause events with their times.\n",
                h->unplaced, h->unplaced == 1 ? "" : "s", text_time(time, sizeof time, (int64_t)h->unplaced_ns));
    if (h->told_twice)
        fprintf(out, "\n%" PRIu32 " pause%s recorded by both the JDK and the agent, and counted once.\n", h->told_twice,
                h->told_twice == 1 ? " was" : "s were");
    if (h->waits_told_twice)
        fprintf(out,
                "\n%" PRIu32 " wait%s for monitors and of parked threads %s also recorded by the JDK; Candor's records are used, because "
                "they have owners.\n",
                h->waits_told_twice, h->waits_told_twice == 1 ? "" : "s", h->waits_told_twice == 1 ? "was" : "were");
    if (!h->count)
        fputs("\nThe recording has no events about halts. 'candor record -e cpu,halt' records GC pauses; with --jfr on the JDK's own "
              "recorder adds more.\n",
              out);
}

int halts_report_text(FILE *out, const struct halt_view *v, const struct halts_report *o)
{
    const struct report_options styles = {.colour = o->colour};
    const struct page p = {.text = {.out = out, .o = &styles}, .v = v, .o = o};
    put_header(&p);
    put_parts(&p);
    put_timeline(&p);
    put_kinds(&p);
    put_causes(&p);
    int rc = put_table(&p, HALT_OF_ALL, "All threads");
    rc = rc ? rc : put_table(&p, HALT_OF_THREAD, "Single threads");
    rc = rc ? rc : put_table(&p, HALT_OF_PART, "Parts");
    put_caveats(&p);
    return rc;
}
