#include "profile/sources/sources.h"

#include "base/array.h"
#include "profile/sources/source_file.h"

#include <stdbool.h>
#include <string.h>

enum { CONTEXT = 2, HOT_LINES = 60, LINE_BYTES = 300, TAB = 4 };
static const double LEAST_SHARE = 0.001;

/* A method that costs much. */
struct candidate {
    uint32_t label;
    double share;
    bool is_own; /* its row is one of the program's own code */
};

struct candidates {
    struct candidate *list;
    uint32_t count, cap;
};

static int take(struct candidates *c, const struct stats_table *table, bool is_own)
{
    for (uint32_t i = 0; i < table->count; i++) {
        const struct stats_row *r = &table->rows[i];
        if (!r->label || r->self.share < LEAST_SHARE)
            continue;
        if (ARRAY_GROW(c->list, c->cap, c->count))
            return -ENOMEM;
        c->list[c->count++] = (struct candidate){r->label, r->self.share, is_own};
    }
    return 0;
}

static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->share != b->share)
        return a->share < b->share ? 1 : -1;
    if (a->is_own != b->is_own)
        return a->is_own ? -1 : 1;
    return (a->label > b->label) - (a->label < b->label);
}

/* ---- the lines of a method ---- */

static int compare_totals(const void *left, const void *right)
{
    const struct stats_row *a = *(const struct stats_row *const *)left, *b = *(const struct stats_row *const *)right;
    if (a->total.weight != b->total.weight)
        return a->total.weight < b->total.weight ? 1 : -1;
    return (a->line > b->line) - (a->line < b->line);
}

/* Copies a line: tabs become blanks, and a very long line is cut before a character that does not fit. */
static char *copy_line(const char *text)
{
    char *copy = malloc(LINE_BYTES + TAB + 1);
    size_t n = 0;
    for (; copy && *text && n < LINE_BYTES; text++)
        if (*text == '\t')
            do
                copy[n++] = ' ';
            while (n % TAB);
        else
            copy[n++] = *text;
    while (copy && *text && n && ((unsigned char)*text & 0xc0) == 0x80) {
        text--;
        n--;
    }
    if (copy)
        copy[n] = 0;
    return copy;
}

static int put_lines(struct source_method *m, const struct source_file *f, const struct stats_row **hot, uint32_t count)
{
    uint64_t *costs = calloc((size_t)f->count + 1, 2 * sizeof *costs);
    uint8_t *wanted = calloc((size_t)f->count + 1, 1);
    int rc = costs && wanted ? 0 : -ENOMEM;
    for (uint32_t i = 0; !rc && i < count; i++) {
        uint32_t line = (uint32_t)hot[i]->line, first = line > CONTEXT ? line - CONTEXT : 1;
        if (line > f->count) {
            m->beyond++;
            continue;
        }
        costs[2 * line] = hot[i]->self.weight;
        costs[2 * line + 1] = hot[i]->total.weight;
        for (uint32_t n = first; n <= line + CONTEXT && n <= f->count; n++)
            wanted[n] = 1;
    }
    for (uint32_t n = 1; !rc && n <= f->count; n++) {
        if (!wanted[n])
            continue;
        rc = ARRAY_GROW(m->lines, m->cap, m->count);
        char *text = rc ? NULL : copy_line(f->lines[n - 1]);
        rc = text ? rc : -ENOMEM;
        if (!rc)
            m->lines[m->count++] = (struct source_line){n, costs[2 * n], costs[2 * n + 1], text};
    }
    free(costs);
    free(wanted);
    return rc;
}

/* Adds the lines of the method with most of the weight, and their neighbors. */
static int add_lines(struct source_method *m, const struct source_file *f, const struct stats_table *lines)
{
    const struct stats_row **hot = NULL;
    uint32_t count = 0, cap = 0;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < lines->count; i++)
        if (lines->rows[i].label == m->label && lines->rows[i].line > 0) {
            rc = ARRAY_GROW(hot, cap, count);
            if (!rc)
                hot[count++] = &lines->rows[i];
        }
    if (count)
        qsort(hot, count, sizeof *hot, compare_totals);
    rc = rc ? rc : put_lines(m, f, hot, count < HOT_LINES ? count : HOT_LINES);
    free(hot);
    return rc;
}

/* ---- methods ---- */

static void free_method(struct source_method *m)
{
    for (uint32_t i = 0; i < m->count; i++)
        free(m->lines[i].text);
    free(m->lines);
    free(m->file);
}

/* Returns the length of the class in the name of a method, "shop.Cart.total" or "shop.Cart.total(int)"; 0 = there is none. */
static size_t class_length(const char *name)
{
    size_t end = strcspn(name, "(");
    while (end && name[end - 1] != '.')
        end--;
    return end ? end - 1 : 0;
}

/* Adds the method if its file is there. */
static int add(struct sources *s, const struct profile *p, const struct stats *stats, const char *folders, const struct candidate *c)
{
    struct source_method m = {.label = c->label};
    struct source_file f;
    const char *name = profile_text(p, c->label);
    size_t len = class_length(name);
    int rc = len ? source_file_read(&f, folders, name, len) : -ENOENT;
    if (rc == -ENOENT) {
        s->missing += c->is_own;
        return 0;
    }
    if (rc)
        return rc;
    m.file = f.path;
    f.path = NULL;
    rc = add_lines(&m, &f, &stats->lines);
    rc = rc || (!m.count && !m.beyond) ? rc : ARRAY_GROW(s->list, s->cap, s->count);
    source_file_deinit(&f);
    if (rc || (!m.count && !m.beyond))
        free_method(&m);
    else
        s->list[s->count++] = m;
    return rc;
}

/* Whether the method is among the candidates before this one. */
static bool is_known(const struct candidates *c, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++)
        if (c->list[i].label == c->list[at].label)
            return true;
    return false;
}

int sources_find(struct sources *s, const struct profile *p, const struct stats *stats, const char *folders, uint32_t most)
{
    struct candidates c = {0};
    *s = (struct sources){0};
    int rc = take(&c, &stats->own, true);
    rc = rc ? rc : take(&c, &stats->methods, false);
    if (c.count)
        qsort(c.list, c.count, sizeof *c.list, compare_candidates);
    for (uint32_t i = 0; !rc && i < c.count && s->count < most; i++)
        if (!is_known(&c, i))
            rc = add(s, p, stats, folders, &c.list[i]);
    free(c.list);
    return rc;
}

void sources_deinit(struct sources *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        free_method(&s->list[i]);
    free(s->list);
    *s = (struct sources){0};
}
