#include "asm/report.h"
#include "base/text/number.h"

#include "asm/edges.h"
#include "base/text/units.h"
#include "base/text/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RULE_COLUMNS = 100, INSTRUCTION_COLUMNS = 44, STACK_FRAMES_MAX = 4, TITLE_MAX = 1400, PROFILE_ROWS = 20 };

static const double HOT_SHARE = 0.1;

static void style(const struct asm_report *a, FILE *out, const char *code)
{
    if (a->colour)
        fprintf(out, "\033[%sm", code);
}

static char *count(char *out, size_t size, uint64_t n)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, n), used = 0;
    for (int i = 0; i < length && used + 2 < (int)size; i++) {
        if (i && (length - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = 0;
    return out;
}

/* Writes a rule of 100 columns: "....[Hottest Region 1]....". */
static void rule(const struct asm_report *a, FILE *out, const char *text)
{
    style(a, out, "1");
    int used = fprintf(out, "....[%s]", text);
    while (used++ < RULE_COLUMNS)
        fputc('.', out);
    style(a, out, "0");
    fputc('\n', out);
}

static void figure(FILE *out, const struct asm_figure *f)
{
    char interval[32];
    snprintf(interval, sizeof interval, "[%.2f..%.2f]", 100 * f->interval.low, 100 * f->interval.high);
    fprintf(out, "%6.2f%% %-15s", 100 * f->share, interval);
}

/* ---- the measured quantity ---- */

static char *weight(const struct asm_report *a, char *out, size_t size, uint64_t n)
{
    if (!asm_counts_events(a->profile))
        return units_format_duration(out, size, n);
    return count(out, size, n);
}

static void put_books(const struct asm_report *a, FILE *out)
{
    uint64_t ns, samples;
    char number[32], booked[32], time[32];
    const struct asm_figure *all = &a->regions->all;
    fprintf(out, "%s samples, %s of ", count(number, sizeof number, all->samples), weight(a, time, sizeof time, all->weight));
    utf8_print(out, asm_whole(a->profile));
    if (!asm_booked(a->profile, &ns, &samples))
        fputs("; the recording has no books\n", out);
    else if (ns == all->weight && samples == all->samples)
        fputs(": as much as the books contain\n", out);
    else
        fprintf(out, "; the books contain %s samples and %s\n", count(booked, sizeof booked, samples), weight(a, time, sizeof time, ns));
}

static void put_head(const struct asm_report *a, FILE *out)
{
    char event[96], number[32];
    const char *interval = profile_setting(a->profile, "interval_ns"), *information = profile_setting(a->profile, "debug_info");
    char period[32] = "?";
    if (asm_counts_events(a->profile))
        interval = profile_setting(a->profile, "event_interval");
    if (interval)
        weight(a, period, sizeof period, number_or_zero(interval));
    fputs("Machine code of ", out);
    utf8_print(out, a->file);
    fputc('\n', out);
    put_books(a, out);
    fputs("Event: ", out);
    utf8_print(out, asm_event(a->profile, event, sizeof event));
    fprintf(out, ", a sample every %s.\n", period);
    fprintf(out,
            "Skid: the clock interrupts a thread after the instruction that %s. If an instruction has many samples, consider the "
            "one\nbefore it, and what that one waited for.\n",
            asm_counts_events(a->profile) ? "had the event" : "took the time");
    if (information && !strcmp(information, "sparse"))
        fputs("note: code that was compiled before the agent was loaded has line numbers only at calls; record with --heal now for all "
              "lines\n",
              out);
    if (a->regions->all.samples < ASM_FEW_SAMPLES) {
        style(a, out, "33");
        fprintf(out,
                "warning: only %s samples; at least 1,000 are needed for useful figures: record for longer, or with a shorter --interval\n",
                count(number, sizeof number, a->regions->all.samples));
        style(a, out, "0");
    }
}

/* ---- one region ---- */

static const char *plain_name(const char *name)
{
    const char *method = strrchr(name, '.');
    const char *class = method;
    while (class && class > name && class[-1] != '.')
        class --;
    return class ? class : name;
}

static void put_stack(const struct asm_recording *r, FILE *out, uint32_t stack)
{
    const struct asm_stack *s = &r->stacks[stack];
    for (uint32_t i = 0; i < s->count && i < STACK_FRAMES_MAX; i++) {
        const struct asm_frame *f = &r->frames[s->first + i];
        fputs(i ? " < " : "", out);
        utf8_print(out, plain_name(asm_string(r, f->method)));
        if (f->line > 0)
            fprintf(out, ":%" PRId32, f->line);
        fprintf(out, " @%" PRId32, f->bci);
    }
    if (s->count > STACK_FRAMES_MAX)
        fprintf(out, " < %" PRIu32 " more", s->count - STACK_FRAMES_MAX);
}

static void put_bytes(const struct asm_listing *l, const struct asm_line *line, FILE *out)
{
    for (int i = 0; i < ASM_INSTRUCTION_BYTES_MAX - 4; i++)
        if (i < line->instruction.size)
            fprintf(out, "%02x ", l->snapshot->bytes[line->offset + (uint32_t)i]);
        else
            fputs("   ", out);
}

static void put_line(const struct asm_report *a, FILE *out, const struct asm_listing *l, const struct asm_edges *e, uint32_t i,
                     uint32_t *stack)
{
    const struct asm_line *line = &l->lines[i];
    char text[ASM_INSTRUCTION_TEXT_MAX], edges[4 * (ASM_EDGE_LANES + 1) + 1], note[256];
    uint64_t address = l->snapshot->address + line->offset;
    uint32_t here = asm_stack_at(l->snapshot, line->offset);
    asm_print(a->decoder, l->snapshot->bytes + line->offset, line->instruction.size, address, text, sizeof text);
    if (line->point && line->point->figure.share >= HOT_SHARE)
        style(a, out, "31;1");
    if (line->point)
        figure(out, &line->point->figure);
    else
        fprintf(out, "%23s", "");
    if (line->point && line->point->figure.share >= HOT_SHARE)
        style(a, out, "0");
    fprintf(out, " %s 0x%012" PRIx64 ": ", asm_edges_draw(e, i, edges, sizeof edges), address);
    if (a->bytes)
        put_bytes(l, line, out);
    asm_note(a, l, i, note, sizeof note);
    bool told = here && here != *stack;
    fprintf(out, told || *note ? "%-*s" : "%.*s", told || *note ? INSTRUCTION_COLUMNS : ASM_INSTRUCTION_TEXT_MAX, text);
    if (*note)
        fputs(" ; ", out), utf8_print(out, note);
    if (told) {
        fputs(" ; ", out);
        put_stack(a->recording, out, here);
        *stack = here;
    }
    fputc('\n', out);
}

/* Writes a hint: the instruction for which the hottest one may have waited. */
static void put_hint(FILE *out, const struct asm_listing *l, const struct asm_region *region)
{
    uint32_t hottest = asm_hottest(l, region), before = hottest == UINT32_MAX ? hottest : asm_listing_feeds(l, hottest);
    if (before == UINT32_MAX)
        return;
    fprintf(out,
            "The instruction at 0x%012" PRIx64 " has most of it. Consider the instruction before it:\nthe %s at 0x%012" PRIx64
            " is what it may have waited for.\n",
            l->snapshot->address + l->lines[hottest].offset, l->lines[before].instruction.loads ? "load" : "long operation",
            l->snapshot->address + l->lines[before].offset);
}

static int put_lines(const struct asm_report *a, FILE *out, const struct asm_listing *l, const struct asm_region *region)
{
    struct asm_edges e;
    uint32_t first, lines, stack = 0;
    asm_stretch(l, region, &first, &lines);
    if (lines > ASM_LINES_MAX) {
        fprintf(out, "<the region is too long to be shown: %" PRIu32 " instructions; --json has them>\n", lines);
        return 0;
    }
    int rc = asm_edges_make(&e, l, first, lines);
    for (uint32_t i = first; !rc && i < first + lines; i++)
        put_line(a, out, l, &e, i, &stack);
    if (!rc && e.undrawn)
        fprintf(out, "(%" PRIu32 " jumps are not drawn)\n", e.undrawn);
    asm_edges_deinit(&e);
    return rc;
}

static int put_code(const struct asm_report *a, FILE *out, const struct asm_region *region)
{
    struct asm_listing l;
    const struct asm_point **points;
    int rc = asm_list(a, region, &l, &points);
    if (!rc) {
        fprintf(out, "bytes 0x%" PRIx32 " to 0x%" PRIx32 " of %" PRIu32 "\n\n", region->begin, region->end, l.snapshot->size);
        rc = put_lines(a, out, &l, region);
        put_hint(out, &l, region);
    }
    asm_listing_deinit(&l);
    free(points);
    return rc;
}

static int put_region(const struct asm_report *a, FILE *out, const struct asm_region *region, uint32_t number)
{
    char head[64], title[TITLE_MAX], samples[32];
    snprintf(head, sizeof head, "Hottest Region %" PRIu32, number);
    rule(a, out, head);
    utf8_print(out, asm_string(a->recording, region->source));
    fputs(", ", out);
    utf8_print(out, asm_region_title(a, region, title, sizeof title));
    fputc('\n', out);
    int rc = 0;
    if (region->snapshot)
        rc = put_code(a, out, region);
    else
        fputs("\n<no code of the JVM's making: there is no snapshot>\n", out);
    for (int i = 0; i < RULE_COLUMNS; i++)
        fputc('.', out);
    fputc('\n', out);
    figure(out, &region->figure);
    fprintf(out, " <total for region %" PRIu32 ": %s samples>\n\n", number, count(samples, sizeof samples, region->figure.samples));
    return rc;
}

int asm_region_text(FILE *out, const struct asm_report *a, const struct asm_region *region, uint32_t number)
{
    return put_region(a, out, region, number);
}

static int put_regions(const struct asm_report *a, FILE *out)
{
    uint32_t number = 0, most = a->top ? a->top : UINT32_MAX;
    int rc = 0;
    fputs("\nHottest code regions", out);
    if (!a->method) {
        fprintf(out, " (%.2f%% of the ", 100 * a->threshold);
        utf8_print(out, asm_whole(a->profile));
        fputs(" and more)", out);
    }
    fputs(":\n\n", out);
    for (uint32_t i = 0; !rc && i < a->regions->count && number < most; i++)
        if (asm_is_listed(a, &a->regions->regions[i]))
            rc = put_region(a, out, &a->regions->regions[i], ++number);
    if (!rc && !number)
        fputs("<none>\n\n", out);
    return rc;
}

/* ---- tables ---- */

static void put_row(FILE *out, const struct asm_figure *f, const char *source, const char *name)
{
    figure(out, f);
    fprintf(out, "  ");
    utf8_print(out, source);
    for (size_t used = utf8_columns(source); used < 18 && *name; used++)
        fputc(' ', out);
    fputs(*name ? "  " : "", out);
    utf8_print(out, name);
    fputc('\n', out);
}

/* Writes the remainder that the rows do not show, and the sum of all. */
static void put_rest(const struct asm_report *a, FILE *out, uint64_t shown, uint32_t rows, const char *what)
{
    const struct asm_figure *all = &a->regions->all;
    char number[32];
    if (rows)
        fprintf(out, "%6.2f%% %-15s  <...other %" PRIu32 " %s...>\n",
                all->weight ? 100 * (double)(all->weight - shown) / (double)all->weight : 0, "", rows, what);
    fprintf(out, "%6.2f%% %-15s  <totals: %s samples>\n\n", all->weight ? 100.0 : 0.0, "", count(number, sizeof number, all->samples));
}

static void put_region_table(const struct asm_report *a, FILE *out)
{
    char title[TITLE_MAX];
    uint64_t shown = 0;
    uint32_t rows = a->top && a->top < a->regions->count ? a->top : a->regions->count;
    rule(a, out, "Hottest Regions");
    for (uint32_t i = 0; i < rows; i++) {
        const struct asm_region *region = &a->regions->regions[i];
        put_row(out, &region->figure, asm_string(a->recording, region->source), asm_region_title(a, region, title, sizeof title));
        shown += region->figure.weight;
    }
    put_rest(a, out, shown, a->regions->count - rows, "warm regions");
}

static void put_groups(const struct asm_report *a, FILE *out, const struct asm_group *groups, uint32_t all, const char *title,
                       const char *what)
{
    uint64_t shown = 0;
    uint32_t rows = a->top && a->top < all ? a->top : all;
    rule(a, out, title);
    for (uint32_t i = 0; i < rows; i++) {
        put_row(out, &groups[i].figure, asm_string(a->recording, groups[i].source), asm_string(a->recording, groups[i].name));
        shown += groups[i].figure.weight;
    }
    put_rest(a, out, shown, all - rows, what);
}

static int put_bytes_known(const struct asm_report *a, FILE *out)
{
    uint64_t bytes, undecoded;
    char number[32], text[32];
    int rc = asm_count_bytes(a, &bytes, &undecoded);
    if (rc)
        return rc;
    fprintf(out, "Code: %s snapshots; %s of machine code with samples, of which ",
            count(number, sizeof number, a->recording->snapshot_count), units_format_bytes(text, sizeof text, bytes));
    fprintf(out, "%s bytes are not instructions\n", count(number, sizeof number, undecoded));
    return 0;
}

static void put_problems(const struct asm_recording *r, FILE *out)
{
    for (uint32_t i = 0; i < r->problems.listed && i < PROFILE_ROWS; i++) {
        fputs("warning: ", out);
        utf8_print(out, r->problems.list[i].text);
        fputc('\n', out);
    }
}

int asm_text(FILE *out, const struct asm_report *a)
{
    put_head(a, out);
    int rc = put_regions(a, out);
    if (rc)
        return rc;
    put_region_table(a, out);
    put_groups(a, out, a->regions->methods, a->regions->method_count, "Hottest Methods (after inlining)", "warm methods");
    put_groups(a, out, a->regions->sources, a->regions->source_count, "Distribution by Source", "sources");
    rc = put_bytes_known(a, out);
    put_problems(a->recording, out);
    return rc;
}
