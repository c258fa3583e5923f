#include "report/text/text.h"

#include "base/text/utf8.h"
#include "profile/names.h"

#include <inttypes.h>
#include <string.h>

enum { METHODS_TOP = 20, LINES_TOP = 10, LABELS_TOP = 20 };

/* On a terminal at least this wide, tables show the intervals of total and self; on others only that of the column they are sorted by. */
enum { WIDE_COLUMNS = 120 };

/* Returns how many rows of a sorted table to show: the number that the user asked for, without rows that are 0 in the column that the
 * table is sorted by; otherwise the table's own number, without rows whose share is printed as 0.0. */
static uint32_t row_count(const struct text *t, const struct stats_table *table, enum stats_order order, uint32_t otherwise)
{
    uint32_t top = t->o->top_set ? t->o->top : otherwise, rows = 0;
    while (rows < table->count && (rows < top || !top) &&
           text_is_shown(t, order == STATS_BY_TOTAL ? &table->rows[rows].total : &table->rows[rows].self))
        rows++;
    return rows;
}

/* Prints the sum of the rows that are not shown. */
static void put_rest(const struct text *t, const struct stats_table *table, uint32_t shown, const char *what)
{
    uint64_t weight = 0;
    for (uint32_t i = shown; i < table->count; i++)
        weight += table->rows[i].self.weight;
    text_rest(t, table->count - shown, weight, what);
}

/* The layout of a table's rows. A column that is `wide` has room for a figure of 100.0. */
struct layout {
    bool total_interval, self_interval;
    bool wide_total, wide_self, wide_total_interval, wide_self_interval;
    size_t used; /* columns before the name */
};

static struct layout layout_of(const struct text *t, const struct stats_table *table, uint32_t rows)
{
    bool both = t->o->width >= WIDE_COLUMNS;
    struct layout l = {.total_interval = both || t->o->order == STATS_BY_TOTAL, .self_interval = both || t->o->order == STATS_BY_SELF};
    for (uint32_t i = 0; i < rows; i++) {
        const struct stats_row *r = &table->rows[i];
        l.wide_total |= text_is_full(r->total.share);
        l.wide_self |= text_is_full(r->self.share);
        l.wide_total_interval |= text_is_full(r->total.interval.high);
        l.wide_self_interval |= text_is_full(r->self.interval.high);
    }
    size_t shares = 16 + (size_t)l.wide_total + (size_t)l.wide_self;
    size_t total = l.total_interval ? 13 + (size_t)l.wide_total_interval : 0;
    size_t self = l.self_interval ? 13 + (size_t)l.wide_self_interval : 0;
    l.used = shares + total + self;
    return l;
}

static void put_row(const struct text *t, const struct layout *l, const struct stats_row *r, const struct stats_table *table)
{
    char tail[32] = "";
    if (r->line)
        snprintf(tail, sizeof tail, ":%" PRId32, r->line);
    else
        snprintf(tail, sizeof tail, "%s", text_mark(stats_type(r)));
    text_shares(t, r->total.share, r->self.share, l->wide_total, l->wide_self);
    if (l->total_interval)
        text_interval(t, r->total.interval, l->wide_total_interval);
    if (l->self_interval)
        text_interval(t, r->self.interval, l->wide_self_interval);
    if (table == &t->s->types)
        text_plain_name(t, profile_type_name((uint8_t)r->label));
    else if (table == &t->s->classes || table == &t->s->packages)
        text_plain_name(t, profile_text(t->p, r->label));
    else if (table == &t->s->methods && t->o->order == STATS_BY_SELF)
        text_method_name(t, r, l->used, tail);
    else
        text_name(t, r->label, l->used, tail);
}

/* Says what the reasons mean that stand in place of a method. Several symbols may have one reason, which is explained once. */
static void put_reasons(const struct text *t, const struct stats_table *table, uint32_t rows)
{
    enum { REASONS_MOST = 8 };
    const char *told[REASONS_MOST];
    size_t count = 0, i;
    for (uint32_t r = 0; r < rows && count < REASONS_MOST; r++) {
        const char *label = profile_text(t->p, table->rows[r].label), *meaning = names_reason(label);
        for (i = 0; meaning && i < count && told[i] != meaning; i++)
            ;
        if (!meaning || i < count)
            continue;
        told[count++] = meaning;
        text_begin(t, TEXT_FAINT);
        fprintf(t->out, "%.*s: ", (int)strcspn(label, "]") + 1, label);
        utf8_print(t->out, meaning);
        text_end(t, TEXT_FAINT);
        fputc('\n', t->out);
    }
}

static void put_table(const struct text *t, struct stats_table *table, const char *title, uint32_t otherwise, const char *what)
{
    if (!table->count)
        return;
    stats_sort(table, table == &t->s->types ? NULL : t->p, t->o->order);
    uint32_t rows = row_count(t, table, t->o->order, otherwise);
    struct layout l = layout_of(t, table, rows);
    const char *intervals = l.total_interval && l.self_interval ? "[95 % of t] [95 % of s]"
                            : l.total_interval                  ? "[95 % interval of t]"
                                                                : "[95 % interval of s]";
    char about[96];
    snprintf(about, sizeof about, "  %% of %s: t total, s self, %s", text_whole(t), intervals);
    text_heading(t, title, about);
    for (uint32_t i = 0; i < rows; i++)
        put_row(t, &l, &table->rows[i], table);
    put_rest(t, table, rows, what);
    if (table == &t->s->methods)
        put_reasons(t, table, rows);
}

void text_methods(const struct text *t)
{
    put_table(t, &t->s->methods, profile_kinds[t->p->kind].methods, METHODS_TOP, "methods");
}

/* Whether any row has a line. Otherwise the table of lines would repeat that of methods. */
static bool has_lines(const struct stats_table *lines)
{
    uint32_t i = 0;
    while (i < lines->count && !lines->rows[i].line)
        i++;
    return i < lines->count;
}

void text_lines(const struct text *t)
{
    if (!has_lines(&t->s->lines) && t->o->sections & REPORT_METHODS)
        return;
    put_table(t, &t->s->lines, profile_kinds[t->p->kind].lines, LINES_TOP, "lines");
}

void text_groups(const struct text *t)
{
    if (t->o->sections & REPORT_CLASSES)
        put_table(t, &t->s->classes, "Classes", METHODS_TOP, "classes");
    if (t->o->sections & REPORT_PACKAGES)
        put_table(t, &t->s->packages, "Packages and libraries", METHODS_TOP, "packages");
    if (t->o->sections & REPORT_TYPES)
        put_table(t, &t->s->types, "Types of frames", PROFILE_TYPES, "types");
}

static void put_label(const struct text *t, const struct stats_row *r, bool wide, bool wide_interval)
{
    char weight[32];
    fprintf(t->out, "(s %*.1f) ", wide ? 5 : 4, r->self.share * 100);
    text_interval(t, r->self.interval, wide_interval);
    fprintf(t->out, "%10s  ", text_weight(weight, sizeof weight, t->p, r->self.weight));
    text_plain_name(t, profile_text(t->p, r->label));
}

void text_label(const struct text *t)
{
    const struct stats_table *table = &t->s->labels;
    uint32_t rows = t->o->label ? row_count(t, table, STATS_BY_SELF, LABELS_TOP) : 0;
    char title[64], about[96];
    if (!rows)
        return;
    snprintf(title, sizeof title, "By %.50s", t->o->label);
    snprintf(about, sizeof about, "  %% of %s, [95 %% interval]; [none]: samples without this label", text_whole(t));
    text_heading(t, title, about);
    bool wide = text_is_full(table->rows[0].self.share), wide_interval = text_is_full(table->rows[0].self.interval.high);
    for (uint32_t i = 0; i < rows; i++)
        put_label(t, &table->rows[i], wide, wide_interval);
    put_rest(t, table, rows, "values");
}
