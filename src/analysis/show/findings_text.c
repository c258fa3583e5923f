#include "analysis/show/findings_print.h"
#include "base/time_units.h"

#include "base/text/units.h"
#include "base/text/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

bool findings_judged(const struct findings *f, enum finding_kind kind)
{
    for (uint32_t i = 0; i < f->gap_count; i++)
        if (f->gaps[i].kind == kind)
            return false;
    return !f->left_out[kind];
}

uint32_t findings_of(const struct findings *f, enum finding_kind kind)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->count; i++)
        n += f->list[i].kind == kind;
    return n;
}

static void put_lost(FILE *out, const struct finding *one)
{
    char value[32], low[32], high[32];
    if (one->lost_ns.value <= 0)
        return;
    fprintf(out, "      lost     %s", units_format_duration(value, sizeof value, amount_whole(one->lost_ns.value)));
    units_format_duration(low, sizeof low, amount_whole(one->lost_ns.low));
    units_format_duration(high, sizeof high, amount_whole(one->lost_ns.high));
    if (strcmp(low, high))
        fprintf(out, "  (%s to %s)", low, high);
    fputc('\n', out);
}

static void put_cause(FILE *out, const struct finding *one)
{
    if (one->has_cause)
        fprintf(out, "      cause    probably the finding above: %s\n", finding_infos[one->cause].title);
}

/* Prints the worst window, such as the one bad minute of an hour. */
static void put_window(FILE *out, const struct findings *f, const struct finding *one)
{
    char length[32], stamp[40];
    time_t second = (time_t)(one->from_ns / NS_PER_S);
    struct tm utc;
    if (!one->from_ns || !gmtime_r(&second, &utc))
        return;
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &utc);
    fprintf(out, "      worst    the %s from %s", units_format_duration(length, sizeof length, one->window_ns), stamp);
    if (one->worst) {
        fputs(": ", out);
        utf8_print(out, findings_text(f, one->worst));
    } else {
        fputs("; all figures refer to that time", out);
    }
    fputc('\n', out);
}

void finding_print_text(FILE *out, const struct findings *f, const struct finding *one, const char *file)
{
    const struct finding_info *info = &finding_infos[one->kind];
    double score = one->score < SCORE_WARNING ? floor(one->score) : one->score; /* 74.7 is not a warning and must not be printed as 75 */
    fprintf(out, "\n%-7s %3.0f  %s\n      ", finding_severity(one), score, info->title);
    utf8_print(out, findings_text(f, one->text));
    fputc('\n', out);
    put_cause(out, one);
    put_lost(out, one);
    put_window(out, f, one);
    if (*finding_report(one)) {
        fprintf(out, "      look at  candor report %s ", finding_report(one));
        utf8_print(out, file);
        fprintf(out, "  (%s)\n", finding_table(one));
    }
    fprintf(out, "      do       %s\n", finding_remedy(one));
}

static void put_quiet(FILE *out, const struct findings *f)
{
    const char *before = "\nJudged, with nothing found: ";
    for (int kind = 0; kind < FINDING_KINDS; kind++)
        if (findings_judged(f, (enum finding_kind)kind) && !findings_of(f, (enum finding_kind)kind)) {
            fprintf(out, "%s%s", before, finding_infos[kind].id);
            before = ", ";
        }
    if (*before == ',')
        fputc('\n', out);
}

static void put_quiet_count(FILE *out, const struct findings *f)
{
    uint32_t n = 0;
    for (int kind = 0; kind < FINDING_KINDS; kind++)
        n += findings_judged(f, (enum finding_kind)kind) && !findings_of(f, (enum finding_kind)kind);
    if (n)
        fprintf(out, "\n%" PRIu32 " rule%s found nothing; --top 0 lists %s\n", n, n == 1 ? "" : "s", n == 1 ? "it" : "them");
}

static void put_gaps(FILE *out, const struct findings *f)
{
    if (f->gap_count)
        fputs("\nRules that could not be judged, and what the recording lacks for each\n", out);
    for (uint32_t i = 0; i < f->gap_count; i++)
        fprintf(out, "  %-20s %s (%s)\n", finding_infos[f->gaps[i].kind].id, f->gaps[i].missing, f->gaps[i].remedy);
}

static uint32_t asked(const struct findings *f)
{
    uint32_t n = 0;
    for (int kind = 0; kind < FINDING_KINDS; kind++)
        n += !f->left_out[kind];
    return n;
}

/* Prints the number of findings. "0 findings" would sound like good news, so it is not printed if few rules could be judged. */
static void put_count(FILE *out, const struct findings *f, const struct findings_print *o)
{
    char length[32];
    if (f->gap_count == asked(f))
        fputs("No rule could be judged in ", out);
    else
        fprintf(out, "%" PRIu32 " finding%s in ", f->count, f->count == 1 ? "" : "s");
    utf8_print(out, o->file);
    fprintf(out, ", %s", units_format_duration(length, sizeof length, o->duration_ns));
    if (f->gap_count && f->gap_count < asked(f))
        fprintf(out, "; %" PRIu32 " of %" PRIu32 " rules not judged", f->gap_count, asked(f));
    fputc('\n', out);
}

/* ---- overview ---- */

static void put_amount(FILE *out, enum overview_unit unit, double v)
{
    char bytes[32];
    if (unit == OVERVIEW_SHARE)
        fprintf(out, "%.2f %%", 100 * v);
    else if (unit == OVERVIEW_BYTES)
        fprintf(out, "%s/s", units_format_bytes(bytes, sizeof bytes, amount_whole(v)));
    else
        fprintf(out, "%.2f", v);
}

static void put_overview(FILE *out, const struct findings *f, const struct overview *v)
{
    fputs("\nWhat the program did, on average\n", out);
    for (uint32_t i = 0; i < v->count; i++) {
        const struct overview_row *row = &v->rows[i];
        fputs("  ", out);
        put_amount(out, row->unit, row->amount.value);
        if (row->amount.low < row->amount.high) {
            fputs(" (", out);
            put_amount(out, row->unit, row->amount.low);
            fputs(" to ", out);
            put_amount(out, row->unit, row->amount.high);
            fputc(')', out);
        }
        fprintf(out, " %s", row->words);
        if (row->processors)
            fprintf(out, " of %" PRIu32, row->processors);
        if (row->site) {
            fprintf(out, "; the largest part (%.0f %%) at ", 100 * row->site_share);
            utf8_print(out, findings_text(f, row->site));
        }
        fputc('\n', out);
    }
    if (!v->count)
        fputs("  no recorded event shows it\n", out);
}

/* Prints the rules that were not judged, one command that records everything they need, and what else decides the rest. */
static void put_again(FILE *out, const struct findings *f, const struct overview *v)
{
    char line[128];
    if (!f->gap_count)
        return;
    fputs("\nNot judged:", out);
    for (uint32_t i = 0; i < f->gap_count; i++)
        fprintf(out, "%s %s", i ? "," : "", finding_infos[f->gaps[i].kind].id);
    fputc('\n', out);
    if (*overview_again(f, v, line, sizeof line))
        fprintf(out, "  %s  records what they need, as far as this JVM supports it%s\n", line,
                strstr(line, "--jfr on") ? "; the JDK's own recorder takes part, which costs the program half a second of CPU time" : "");
    for (uint32_t i = 0; i < f->gap_count; i++)
        if (overview_is_undecided(&f->gaps[i]))
            fprintf(out, "  %s lacks %s (%s)\n", finding_infos[f->gaps[i].kind].id, f->gaps[i].missing, f->gaps[i].remedy);
}

/* Names the rules that had all of their events, and yet no verdict: nobody may think that they found nothing. */
static void put_undecided(FILE *out, const struct findings *f)
{
    for (uint32_t i = 0; i < f->gap_count; i++)
        if (overview_is_undecided(&f->gaps[i]))
            fprintf(out, "Not known yet: %s, see below. ", finding_infos[f->gaps[i].kind].id);
}

static void put_next(FILE *out, const struct findings *f, const struct findings_print *o)
{
    fprintf(out, "\nNo problem was found by the %" PRIu32 " rules that could be judged. ", asked(f) - f->gap_count);
    put_undecided(out, f);
    fputs("To see where the time goes: candor report ", out);
    utf8_print(out, o->file);
    fputc('\n', out);
}

void findings_print_text(FILE *out, const struct findings *f, const struct findings_print *o)
{
    uint32_t shown = o->top && o->top < f->count ? o->top : f->count;
    put_count(out, f, o);
    for (uint32_t i = 0; i < shown; i++)
        finding_print_text(out, f, &f->list[i], o->file);
    if (shown < f->count)
        fprintf(out, "\n... and %" PRIu32 " more; --top 0 shows all\n", f->count - shown);
    if (o->overview && !f->count && f->gap_count < asked(f))
        put_next(out, f, o);
    if (o->overview)
        put_overview(out, f, o->overview);
    (o->overview && o->top ? put_quiet_count : put_quiet)(out, f);
    if (o->overview)
        put_again(out, f, o->overview);
    else
        put_gaps(out, f);
}
