#include "cli/top/draw.h"

#include "base/buffer.h"
#include "base/text/units.h"
#include "cli/progress.h"
#include "cli/top/keys.h"
#include "profile/names.h"

#include <string.h>

/* Widths of a picture below which it lacks the part named: total, interval or bar. */
enum { TOTAL_FROM = 34, INTERVAL_FROM = 50, BAR_FROM = 72, BAR_MIN = 8, BAR_MAX = 24, INDENT_MAX = 24 };
enum { INTERVAL = 14 }; /* columns: "[99.9..100.0] " */
enum { HELP_INDENT = 22, HELP_BESIDE_FROM = 50, WORD_ROOM = 8 };

/* Puts the text only if all of it fits, because a part of a figure would be a different figure. Returns the number of columns used. */
static unsigned put_whole(struct canvas *c, unsigned y, unsigned x, enum canvas_style style, const char *text)
{
    return x + canvas_columns(text) <= c->width ? canvas_put(c, y, x, c->width, style, text) : 0;
}

static const char *whole(const struct model *m)
{
    return m->rows.kind == ROWS_BOOKS ? "% of CPU" : "% of sampled CPU";
}

static bool by_total(const struct model *m)
{
    bool tree = m->rows.kind == ROWS_CALLERS || m->rows.kind == ROWS_CALLEES;
    return tree || m->rows.kind == ROWS_BOOKS || (m->sort == MODEL_BY_TOTAL && m->rows.kind == ROWS_METHODS);
}

/* Whether the second column shows the number of samples. These tables have only one share. */
static bool counts(const struct model *m)
{
    return m->rows.kind == ROWS_BOOKS || m->rows.kind == ROWS_THREADS || m->rows.kind == ROWS_CALLERS;
}

/* ---- head ---- */

static void put_title(struct canvas *c, const struct model *m, const struct draw_facts *f)
{
    unsigned x = canvas_put(c, 0, 0, c->width, CANVAS_TITLE, "candor top ");
    x += canvas_printf(c, 0, x, CANVAS_TITLE, "%d ", f->pid);
    unsigned end = canvas_columns(f->time) + 1, room = c->width > x + end + 24 ? c->width - x - end - 24 : 8;
    x += canvas_put(c, 0, x, room, CANVAS_TITLE, f->name);
    char cpus[48];
    snprintf(cpus, sizeof cpus, "  %.2f CPUs", m->cpus);
    x += put_whole(c, 0, x, CANVAS_TITLE, cpus);
    if (m->paused)
        x += put_whole(c, 0, x, CANVAS_TITLE, "  PAUSED");
    if (c->width > x + end)
        canvas_put(c, 0, c->width - end, end, CANVAS_TITLE, f->time);
    canvas_paint(c, 0, 0, c->width, CANVAS_TITLE);
}

static unsigned put_view(struct canvas *c, unsigned y, const struct model *m)
{
    static const char *const titles[] = {"methods", "threads", "callers of ", "callees of ", "books"};
    const struct model_level *l = model_level(m);
    unsigned x = canvas_put(c, y, 0, c->width, CANVAS_STRONG, titles[l->kind]);
    if (l->kind == ROWS_METHODS && l->one_thread)
        x += canvas_put(c, y, x, c->width, CANVAS_STRONG, " of thread ");
    if (*m->title) {
        unsigned room = c->width > x + 48 ? c->width - x - 48 : 16;
        x += canvas_put_end(c, y, x, room, CANVAS_STRONG, m->title);
    }
    if (l->kind == ROWS_METHODS || l->kind == ROWS_THREADS)
        x += canvas_printf(c, y, x, CANVAS_STRONG, " by %s", model_sort_word(m->sort));
    return x;
}

static void put_time(struct canvas *c, unsigned y, unsigned x, const struct model *m, const struct draw_facts *f)
{
    char text[96], figure[32];
    snprintf(text, sizeof text, "  %s %s", m->since_start ? "since start" : "last",
             units_format_duration(figure, sizeof figure, m->duration_ns));
    x += put_whole(c, y, x, CANVAS_PLAIN, text);
    snprintf(text, sizeof text, "  %s samples", progress_count(m->samples, figure, sizeof figure));
    x += put_whole(c, y, x, CANVAS_PLAIN, text);
    snprintf(text, sizeof text, "  %s %s", f->clock, units_format_duration(figure, sizeof figure, m->interval_ns));
    if (m->interval_ns)
        put_whole(c, y, x, CANVAS_FAINT, text);
}

static void put_books(struct canvas *c, unsigned y, const struct model *m)
{
    unsigned x = canvas_put(c, y, 0, c->width, CANVAS_STRONG, "books:");
    if (!m->has_books) {
        canvas_put(c, y, x, c->width, CANVAS_FAINT, " none yet");
        return;
    }
    for (size_t i = 0; i < sizeof m->accounts / sizeof *m->accounts; i++) {
        char text[64];
        double share = m->accounts[i].share * 100;
        snprintf(text, sizeof text, " %s %.1f %%", m->accounts[i].name, share > -0.05 && share < 0.05 ? 0 : share);
        unsigned columns = canvas_columns(text);
        if (x + columns > c->width)
            break;
        canvas_put(c, y, x, columns, CANVAS_PLAIN, text);
        x += columns + 1;
    }
    if (m->approximate >= 0.0005 && x + 19 <= c->width)
        canvas_printf(c, y, x, CANVAS_FAINT, " approximate %.1f %%", m->approximate * 100);
}

/* ---- rows ---- */

struct columns {
    bool total, interval, bar;
    unsigned bar_columns, name; /* name: the column in which names begin */
};

static struct columns columns_of(const struct canvas *c)
{
    struct columns k = {.total = c->width >= TOTAL_FROM, .interval = c->width >= INTERVAL_FROM, .bar = c->width >= BAR_FROM};
    unsigned wide = k.bar ? c->width / 8 : 0;
    k.bar_columns = wide < BAR_MIN ? BAR_MIN : wide > BAR_MAX ? BAR_MAX : wide;
    k.name = 7 + (k.interval ? INTERVAL : 0) + (k.total ? 7 : 0) + (k.bar ? k.bar_columns + 1 : 0);
    return k;
}

static void put_heads(struct canvas *c, unsigned y, const struct model *m, const struct columns *k)
{
    unsigned x = 0;
    bool books = m->rows.kind == ROWS_BOOKS, total = by_total(m), threads = m->rows.kind == ROWS_THREADS;
    x += canvas_printf(c, y, x, CANVAS_FAINT, "%6s ", books ? "%" : total ? "TOTAL" : threads ? "CPU" : "SELF");
    if (k->interval)
        x += canvas_printf(c, y, x, CANVAS_FAINT, "%-*s", INTERVAL, books ? "TIME" : "[95 %]");
    if (k->total)
        x += canvas_printf(c, y, x, CANVAS_FAINT, "%6s ", counts(m) ? "COUNT" : total ? "SELF" : "TOTAL");
    if (k->bar)
        x += k->bar_columns + 1;
    put_whole(c, y, k->name, CANVAS_FAINT, whole(m));
}

/* Draws the bar of a share. Up to the lower end of the interval it is certain; from there to the upper end it is drawn fainter. */
static void put_bar(struct canvas *c, unsigned y, unsigned x, unsigned columns, double share, struct interval i)
{
    bool blocks = canvas_can_show(0x2588) && canvas_can_show(0x2592);
    double high = i.high > share ? i.high : share, low = i.low < share ? i.low : share;
    unsigned sure = (unsigned)(low * columns + 0.5), end = (unsigned)(high * columns + 0.5);
    for (unsigned n = 0; n < end && n < columns; n++) {
        bool is_sure = n < sure;
        const char *text = blocks ? is_sure ? "\xe2\x96\x88" : "\xe2\x96\x92" : is_sure ? "#" : "-";
        canvas_put(c, y, x + n, 1, is_sure ? CANVAS_SURE : CANVAS_UNSURE, text);
    }
}

static void put_interval(struct canvas *c, unsigned y, unsigned x, struct interval i)
{
    char text[32];
    snprintf(text, sizeof text, "[%.1f..%.1f]", i.low * 100, i.high * 100);
    canvas_put(c, y, x, INTERVAL - 1, CANVAS_FAINT, text);
}

static void put_count(struct canvas *c, unsigned y, unsigned x, uint64_t count)
{
    if (count < 1000000)
        canvas_printf(c, y, x, CANVAS_PLAIN, "%6llu", (unsigned long long)count);
    else
        canvas_printf(c, y, x, CANVAS_PLAIN, "%5.0fM", (double)count / 1e6);
}

static void put_name(struct canvas *c, unsigned y, unsigned x, const struct row *row)
{
    unsigned indent = 2u * row->depth < INDENT_MAX ? 2u * row->depth : INDENT_MAX;
    struct buffer b;
    if (row->fork && indent)
        canvas_put(c, y, x + indent - 2, 2, CANVAS_FAINT, "+ ");
    x += indent;
    if (x >= c->width)
        return;
    const char *tail = row->type == JFR_FRAME_KERNEL ? " (kernel)" : "";
    unsigned room = c->width - x, last = canvas_columns(tail);
    room = room > last + 8 ? room - last : room;
    buffer_init(&b, 1 << 20);
    names_short(&b, row->name, room);
    buffer_u8(&b, 0);
    x += canvas_put_end(c, y, x, room, CANVAS_PLAIN, b.failed ? row->name : (const char *)b.data);
    canvas_put(c, y, x, last, CANVAS_FAINT, tail);
    buffer_deinit(&b);
}

static void put_row(struct canvas *c, unsigned y, const struct model *m, const struct row *row, const struct columns *k)
{
    unsigned x = 0;
    bool books = m->rows.kind == ROWS_BOOKS, total = by_total(m);
    double first = total ? row->total : row->self, second = total ? row->self : row->total;
    struct interval interval = total ? row->total_interval : row->self_interval;
    char time[32];
    x += canvas_printf(c, y, x, CANVAS_PLAIN, "%6.1f ", first * 100);
    if (k->interval && !books)
        put_interval(c, y, x, interval);
    else if (k->interval)
        canvas_printf(c, y, x, CANVAS_PLAIN, "%s%s", row->ns < 0 ? "-" : "",
                      units_format_duration(time, sizeof time, row->ns < 0 ? 0 - (uint64_t)row->ns : (uint64_t)row->ns));
    x += k->interval ? INTERVAL : 0;
    if (k->total && counts(m))
        put_count(c, y, x, row->count);
    else if (k->total)
        canvas_printf(c, y, x, CANVAS_PLAIN, "%6.1f", second * 100);
    x += k->total ? 7 : 0;
    if (k->bar)
        put_bar(c, y, x, k->bar_columns, first, books ? (struct interval){first, first} : interval);
    put_name(c, y, k->name, row);
}

static void put_rows(struct canvas *c, unsigned y, unsigned lines, struct model *m, bool choose)
{
    struct columns k = columns_of(c);
    model_fit(m, lines);
    if (!m->shown_count && lines)
        canvas_put(c, y, 0, c->width, CANVAS_FAINT,
                   *m->search && m->rows.count ? "no name in this list matches" : "no samples in this time yet");
    for (unsigned i = 0; i < lines && m->first + i < m->shown_count; i++) {
        put_row(c, y + i, m, model_row(m, m->first + i), &k);
        if (choose && m->first + i == m->selected)
            canvas_paint(c, y + i, 0, c->width, CANVAS_SELECTED);
    }
}

/* ---- foot, help ---- */

static void put_search(struct canvas *c, unsigned y, const struct model *m)
{
    char found[96];
    snprintf(found, sizeof found, "  %u of %u rows, self %.1f %%", m->shown_count, m->rows.count, m->search_self * 100);
    unsigned x = canvas_put(c, y, 0, c->width, CANVAS_STRONG, "/"), columns = canvas_columns(found);
    x += canvas_put_end(c, y, x, c->width > columns + x + 8 ? c->width - columns - x : 8, CANVAS_STRONG, m->search);
    x += put_whole(c, y, x, CANVAS_PLAIN, found);
    put_whole(c, y, x, CANVAS_PLAIN, "  (Esc ends the search)");
}

static void put_prompt(struct canvas *c, unsigned y, const struct model *m)
{
    unsigned x = canvas_put(c, y, 0, c->width, CANVAS_STRONG, m->prompt == MODEL_SEARCH ? "search: " : "save to: ");
    x += canvas_put_end(c, y, x, c->width > x + 1 ? c->width - x - 1 : 0, CANVAS_PLAIN, m->typed);
    canvas_put(c, y, x, 1, CANVAS_SELECTED, " ");
}

/* Prints as many keys as fit, the most important first. */
static void put_keys(struct canvas *c, unsigned y)
{
    static const char *const keys[] = {"q quit", "? help", "/ search", "s sort", "t threads", "Enter callers", "w window", "S save"};
    unsigned x = 0, taken = 1;
    for (size_t i = 0; taken && i < sizeof keys / sizeof *keys; i++, x += taken + 2)
        taken = put_whole(c, y, x, CANVAS_FAINT, keys[i]);
}

/* Returns the message that the user must read first; "" = none. */
static const char *notice(const struct model *m, const struct draw_facts *f)
{
    return m->prompt ? "" : *m->message ? m->message : f->state;
}

/* Puts text from column x on into at most `lines` lines of whole words. If lines is 0, only counts them. Returns the number of lines. */
static unsigned put_lines(struct canvas *c, unsigned y, unsigned x, unsigned lines, enum canvas_style style, const char *text)
{
    unsigned n = 0, room = c->width > x + WORD_ROOM ? c->width - x : WORD_ROOM;
    for (size_t bytes; *text && (!lines || n < lines) && (bytes = canvas_line(text, room)); text += bytes, n++)
        if (lines)
            canvas_printf(c, y + n, x, style, "%.*s", (int)bytes, text);
    return n;
}

static unsigned foot_lines(struct canvas *c, const struct model *m, const struct draw_facts *f)
{
    unsigned most = f->foot && c->height > 4 ? c->height - 3 : c->height > 2;
    unsigned lines = put_lines(c, 0, 0, 0, CANVAS_PLAIN, notice(m, f));
    return lines > most ? most : lines ? lines : c->height > 2;
}

static void put_foot(struct canvas *c, unsigned y, unsigned lines, const struct model *m, const struct draw_facts *f)
{
    enum canvas_style style = !*m->message ? CANVAS_WARNING : m->message_is_error ? CANVAS_ERROR : CANVAS_STRONG;
    if (m->prompt)
        put_prompt(c, y, m);
    else if (*notice(m, f))
        put_lines(c, y, 0, lines, style, notice(m, f));
    else if (*m->search)
        put_search(c, y, m);
    else if (f->foot)
        put_keys(c, y);
}

static void put_help(struct canvas *c, unsigned y, unsigned lines)
{
    bool beside = c->width >= HELP_BESIDE_FROM;
    unsigned end = y + lines, at = y;
    const struct keys_line *l = keys_help();
    for (; l->keys && at + !beside < end; l++) {
        canvas_put(c, at, 2, c->width, CANVAS_STRONG, l->keys);
        at += !beside;
        at += put_lines(c, at, beside ? HELP_INDENT : 4, end - at, CANVAS_PLAIN, l->what);
    }
    if (!l->keys || !lines)
        return;
    for (unsigned x = 0; x < c->width; x++)
        canvas_put(c, end - 1, x, 1, CANVAS_PLAIN, " ");
    canvas_put(c, end - 1, 2, c->width, CANVAS_FAINT, "enlarge the window to see more");
}

void draw(struct canvas *c, struct model *m, const struct draw_facts *f)
{
    canvas_clear(c);
    if (!c->width || !c->height)
        return;
    unsigned y = 0, foot = foot_lines(c, m, f);
    put_title(c, m, f);
    if (c->height > ++y + foot)
        put_time(c, y, put_view(c, y, m), m, f);
    if (c->height > ++y + foot)
        put_books(c, y, m);
    if (m->help) {
        put_help(c, y + 1, c->height > y + 1 + foot ? c->height - y - 1 - foot : 0);
    } else {
        struct columns k = columns_of(c);
        if (c->height > ++y + foot)
            put_heads(c, y, m, &k);
        y++;
        put_rows(c, y, c->height > y + foot ? c->height - y - foot : 0, m, f->foot);
    }
    if (foot)
        put_foot(c, c->height - foot, foot, m, f);
}
