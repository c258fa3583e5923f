#include "report/diff_report.h"

#include "base/buffer.h"
#include "base/text/utf8.h"
#include "profile/names.h"

#include <inttypes.h>
#include <string.h>

enum { NAME_COLUMNS = 100 };

/* Scales a figure for printing: a share to percentage points, a time per second to milliseconds. */
static double scaled(const struct diff *d, double v)
{
    return v * (d->absolute ? 1000 : 100);
}

static bool is_wanted(const struct diff_figure *f, const struct diff_options *o)
{
    return f->change && (!o->only || o->only & 1u << f->change);
}

bool diff_is_shown(const struct diff_row *row, const struct diff_options *o)
{
    return o->all || is_wanted(&row->self, o) || is_wanted(&row->total, o);
}

static void put_side(FILE *out, const struct diff *d, enum diff_side side, const char *word, const char *name)
{
    fprintf(out, "%-9s ", word);
    utf8_print(out, name);
    fprintf(out, ": %" PRIu32 " samples", d->samples[side]);
    if (d->seconds[side] > 0)
        fprintf(out, " in %.3g s", d->seconds[side]);
    if (d->runs[side] > 1)
        fprintf(out, ", %" PRIu32 " runs", d->runs[side]);
    fputc('\n', out);
}

static void put_header(FILE *out, const struct diff *d, const struct diff_options *o)
{
    bool runs = d->runs[DIFF_A] > 1 && d->runs[DIFF_B] > 1;
    put_side(out, d, DIFF_A, "A", o->a);
    put_side(out, d, DIFF_B, "B", o->b);
    fprintf(out, "%-9s ", "Test");
    fprintf(out,
            "of %" PRIu32
            " figures; %.3g %% of the reported changes may be due to chance. The variation between runs is estimated from %s\n",
            d->tests, 100 * d->level,
            runs ? "the runs" : "the variation within the runs only: give several runs of each for a better estimate");
    fprintf(out, "%-9s ", "Sees");
    if (d->absolute)
        fputs("the column 'least' shows the smallest change that could be detected\n", out);
    else
        fprintf(out, "a growth by %.2f points of a method of 1 %%, by %.2f of one of 10 %%, by %.2f of one of 50 %%\n",
                100 * diff_detectable(d, 0.01), 100 * diff_detectable(d, 0.1), 100 * diff_detectable(d, 0.5));
}

static void put_name(FILE *out, const char *name, size_t used, const struct diff_options *o)
{
    struct buffer b;
    buffer_init(&b, 1 << 20);
    size_t room = o->width > used + 20 ? o->width - used : NAME_COLUMNS;
    names_short(&b, name, room);
    buffer_u8(&b, 0);
    utf8_print(out, b.failed ? name : (const char *)b.data);
    fputc('\n', out);
    buffer_deinit(&b);
}

static void put_figure(FILE *out, const struct diff *d, const struct diff_row *row, const struct diff_figure *f, char letter,
                       const struct diff_options *o)
{
    const char *colours[] = {"\033[2m", "\033[31m", "\033[32m", "\033[31m", "\033[32m"};
    char interval[48];
    snprintf(interval, sizeof interval, "[%+.2f..%+.2f]", scaled(d, f->interval.low), scaled(d, f->interval.high));
    fprintf(out, "%c %7.2f -> %7.2f  ", letter, scaled(d, f->a), scaled(d, f->b));
    if (o->colour)
        fputs(colours[f->change], out);
    fprintf(out, "%+8.2f %-18s %-6s", scaled(d, f->b - f->a), interval, diff_change_name(f->change));
    if (o->colour)
        fputs("\033[m", out);
    fprintf(out, " %6.2f  ", scaled(d, f->detectable));
    put_name(out, diff_name(d, row), 64, o);
}

/* Prints those of a row's figures (self and total) that changed; with the option `all`, both. */
static void put_row(FILE *out, const struct diff *d, const struct diff_row *row, const struct diff_options *o)
{
    bool self = o->all || is_wanted(&row->self, o), total = o->all || is_wanted(&row->total, o);
    if (self)
        put_figure(out, d, row, &row->self, 's', o);
    if (total)
        put_figure(out, d, row, &row->total, 't', o);
}

void diff_text(FILE *out, const struct diff *d, const struct diff_options *o)
{
    uint32_t shown = 0, changed = 0;
    put_header(out, d, o);
    for (uint32_t i = 0; i < d->count; i++)
        changed += diff_is_shown(&d->rows[i], o);
    if (!changed) {
        fputs("\nno change is larger than chance can explain\n", out);
        return;
    }
    fprintf(out, "\n%s  %s: A -> B, change [95 %% interval], verdict, the smallest growth that could be detected; s self, t total\n",
            o->all ? "All methods" : "Changes", d->absolute ? "ms per second" : o->whole);
    for (uint32_t i = 0; i < d->count && (!o->top || shown < o->top); i++)
        if (diff_is_shown(&d->rows[i], o)) {
            put_row(out, d, &d->rows[i], o);
            shown++;
        }
    if (shown < changed)
        fprintf(out, "%" PRIu32 " more methods\n", changed - shown);
}
