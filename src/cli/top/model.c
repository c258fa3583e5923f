#include "cli/top/model.h"

#include "base/array.h"
#include "base/time_units.h"
#include "profile/accounts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void model_init(struct model *m, uint64_t span_ns)
{
    *m = (struct model){.span_ns = span_ns, .since_start = !span_ns, .page = 1};
    if (!span_ns)
        m->span_ns = 30 * NS_PER_S;
}

void model_deinit(struct model *m)
{
    rows_deinit(&m->rows);
    free(m->shown);
    m->shown = NULL;
}

const struct model_level *model_level(const struct model *m)
{
    return &m->levels[m->level];
}

struct live_part model_part(const struct model *m)
{
    const struct model_level *l = model_level(m);
    return (struct live_part){.span_ns = m->since_start ? 0 : m->span_ns, .one_thread = l->one_thread, .thread = l->thread};
}

const struct row *model_row(const struct model *m, uint32_t shown)
{
    return &m->rows.list[m->shown[shown]];
}

const char *model_sort_word(enum model_sort sort)
{
    static const char *const words[] = {"self", "total", "name"};
    return sort < MODEL_SORTS ? words[sort] : "";
}

void model_say(struct model *m, bool is_error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(m->message, sizeof m->message, format, args);
    va_end(args);
    m->message_is_error = is_error;
}

/* ---- search and order ---- */

static bool is_tree(const struct model *m)
{
    return m->rows.kind == ROWS_CALLERS || m->rows.kind == ROWS_CALLEES;
}

struct sort_context {
    const struct row *rows;
    enum model_sort sort;
};

static int compare(const void *left, const void *right, void *context)
{
    const struct sort_context *c = context;
    uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
    const struct row *a = &c->rows[i], *b = &c->rows[k];
    double x = c->sort == MODEL_BY_TOTAL ? a->total : a->self, y = c->sort == MODEL_BY_TOTAL ? b->total : b->self;
    int order = c->sort == MODEL_BY_NAME ? strcmp(a->name, b->name) : (x < y) - (x > y);
    return order ? order : (i > k) - (i < k); /* rows are ordered by self, then by total, then by name */
}

static void find_selected(struct model *m)
{
    for (uint32_t i = 0; m->chosen && !is_tree(m) && i < m->shown_count; i++)
        if (model_row(m, i)->id == m->selected_id) {
            m->selected = i;
            break;
        }
    if (m->selected >= m->shown_count)
        m->selected = m->shown_count ? m->shown_count - 1 : 0;
    model_fit(m, m->page);
}

void model_arrange(struct model *m)
{
    m->shown_count = 0;
    m->search_self = m->search_total = 0;
    for (uint32_t i = 0; i < m->rows.count; i++) {
        const struct row *row = &m->rows.list[i];
        if (*m->search && !strcasestr(row->name, m->search))
            continue;
        if (ARRAY_GROW(m->shown, m->shown_cap, m->shown_count))
            break;
        m->shown[m->shown_count++] = i;
        m->search_self += row->self;
        m->search_total = row->total > m->search_total ? row->total : m->search_total;
    }
    struct sort_context context = {m->rows.list, m->sort};
    bool table = m->rows.kind == ROWS_METHODS || m->rows.kind == ROWS_THREADS;
    if (m->shown_count && table)
        qsort_r(m->shown, m->shown_count, sizeof *m->shown, compare, &context);
    find_selected(m);
}

/* ---- update ---- */

static void take_books(struct model *m, const struct profile *view)
{
    static const enum account_id order[MODEL_ACCOUNTS] = {ACCOUNT_FAILED,    ACCOUNT_LOST,    ACCOUNT_UNSEEN, ACCOUNT_RESIDUAL,
                                                          ACCOUNT_TRUNCATED, ACCOUNT_OWN_COST}; /* there may be room for some only */
    double cpu = (double)accounts_sum(view, ACCOUNT_CPU).ns;
    m->has_books = cpu > 0;
    for (size_t i = 0; i < MODEL_ACCOUNTS; i++) {
        double ns = (double)(order[i] == ACCOUNT_UNSEEN ? accounts_unseen(view) : accounts_sum(view, order[i]).ns);
        m->accounts[i] = (struct model_account){account_rows[order[i]].title, cpu > 0 ? ns / cpu : 0};
    }
    double time = (double)view->duration_ns, used = cpu > 0 ? cpu : (double)view->weight;
    m->cpus = time > 0 ? used / time : 0;
}

static void take_title(struct model *m, const struct profile *view)
{
    const struct model_level *l = model_level(m);
    const char *name = l->one_thread && l->thread < view->thread_count ? profile_text(view, view->threads[l->thread].name) : "";
    if (l->kind == ROWS_CALLERS || l->kind == ROWS_CALLEES)
        name = profile_text(view, l->id);
    snprintf(m->title, sizeof m->title, "%s", name);
}

int model_update(struct model *m, const struct profile *view)
{
    const struct model_level *l = model_level(m);
    m->samples = view->sampled;
    m->duration_ns = view->duration_ns;
    m->interval_ns = view->interval_ns;
    m->approximate = stats_approximate_share(view);
    take_books(m, view);
    take_title(m, view);
    int rc = rows_fill(&m->rows, l->kind, view, l->id);
    model_arrange(m);
    return rc;
}

/* ---- moving about ---- */

static void go_to(struct model *m, uint32_t selected, uint32_t first)
{
    m->selected = selected;
    m->first = first;
    m->chosen = false;
    m->selected_id = 0;
    m->rows.count = 0; /* they belong to another table */
    m->shown_count = 0;
}

void model_show(struct model *m, enum rows_kind kind)
{
    m->level = 0;
    m->levels[0] = (struct model_level){.kind = kind};
    m->search[0] = 0;
    go_to(m, 0, 0);
}

void model_move(struct model *m, int64_t by)
{
    if (!m->shown_count)
        return;
    int64_t to = (int64_t)m->selected + by, last = (int64_t)m->shown_count - 1;
    m->selected = to < 0 ? 0 : to > last ? (uint32_t)last : (uint32_t)to;
    m->selected_id = model_row(m, m->selected)->id;
    m->chosen = m->selected > 0;
    model_fit(m, m->page);
}

bool model_enter(struct model *m)
{
    struct model_level *now = &m->levels[m->level];
    if (m->selected >= m->shown_count || now->kind == ROWS_BOOKS || m->level + 1 == MODEL_LEVELS)
        return false;
    const struct row *row = model_row(m, m->selected);
    struct model_level next = *now;
    bool threads = now->kind == ROWS_THREADS;
    if (now->kind == ROWS_METHODS)
        next.kind = ROWS_CALLERS;
    if (threads)
        next = (struct model_level){.kind = ROWS_METHODS, .one_thread = true, .thread = row->id};
    else
        next.id = row->id;
    now->selected = m->selected;
    now->first = m->first;
    m->levels[++m->level] = next;
    m->search[0] = 0;
    go_to(m, 0, 0);
    return true;
}

bool model_leave(struct model *m)
{
    if (!m->level)
        return false;
    m->level--;
    m->search[0] = 0;
    go_to(m, m->levels[m->level].selected, m->levels[m->level].first);
    return true;
}

void model_fit(struct model *m, uint32_t page)
{
    m->page = page ? page : 1;
    if (m->selected < m->first)
        m->first = m->selected;
    if (m->selected - m->first >= m->page)
        m->first = m->selected - m->page + 1;
    if (m->shown_count <= m->page)
        m->first = 0;
    else if (m->first > m->shown_count - m->page)
        m->first = m->shown_count - m->page;
}
