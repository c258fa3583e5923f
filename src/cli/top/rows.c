#include "cli/top/rows.h"

#include "base/array.h"
#include "profile/accounts.h"
#include "profile/figures/calltree.h"
#include "profile/figures/reroot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TREE_ROWS_MAX = 1000, TREE_DEPTH_MAX = 1000 };

/* Branches of a tree with a smaller share are left out. */
static const double tree_threshold = 0.005;

static int add(struct rows *r, const struct row *row)
{
    if (ARRAY_GROW(r->list, r->cap, r->count))
        return -ENOMEM;
    r->list[r->count++] = *row;
    return 0;
}

/* ---- tables ---- */

static struct row row_of(const struct stats_row *s)
{
    return (struct row){.id = s->label,
                        .type = stats_type(s),
                        .self = s->self.share,
                        .total = s->total.share,
                        .self_interval = s->self.interval,
                        .total_interval = s->total.interval,
                        .ns = (int64_t)s->self.weight,
                        .count = s->self.samples};
}

static int fill_methods(struct rows *r, const struct profile *p, const struct stats *s)
{
    for (uint32_t i = 0; i < s->methods.count; i++) {
        struct row row = row_of(&s->methods.rows[i]);
        row.name = profile_text(p, row.id);
        if (add(r, &row))
            return -ENOMEM;
    }
    return 0;
}

static int fill_threads(struct rows *r, const struct profile *p, const struct stats *s)
{
    for (uint32_t i = 0; i < s->threads.count && s->threads.rows[i].self.samples; i++) {
        struct row row = row_of(&s->threads.rows[i]);
        row.name = profile_text(p, p->threads[row.id].name);
        row.total = row.self;
        row.total_interval = row.self_interval;
        if (add(r, &row))
            return -ENOMEM;
    }
    return 0;
}

static int fill_table(struct rows *r, const struct profile *view)
{
    struct stats s;
    int rc = stats_compute(&s, view);
    if (rc)
        return rc;
    r->effective = s.effective;
    rc = r->kind == ROWS_THREADS ? fill_threads(r, view, &s) : fill_methods(r, view, &s);
    stats_deinit(&s);
    return rc;
}

/* ---- trees ---- */

struct walk {
    struct rows *rows;
    const struct calltree *tree;
    const struct profile *view;
    double whole, effective;
};

static double share_of(const struct walk *w, uint64_t weight)
{
    return w->whole > 0 ? (double)weight / w->whole : 0;
}

static int add_node(const struct walk *w, const struct calltree_node *n, unsigned depth, bool fork)
{
    struct row row = {.name = profile_text(w->view, n->label),
                      .id = n->label,
                      .type = n->type,
                      .depth = (uint16_t)depth,
                      .fork = fork,
                      .self = share_of(w, n->self),
                      .total = share_of(w, n->total),
                      .ns = (int64_t)n->total,
                      .count = n->total_samples};
    row.self_interval = stats_wilson(row.self, w->effective);
    row.total_interval = stats_wilson(row.total, w->effective);
    return add(w->rows, &row);
}

/* Adds the children of a node. As in the report, only several children move to the right. Children are ordered by weight, heaviest
 * first. */
static int add_children(const struct walk *w, const struct calltree_node *n, unsigned depth, unsigned level)
{
    uint32_t shown = 0;
    while (shown < n->child_count && share_of(w, w->tree->nodes[n->first + shown].total) >= tree_threshold)
        shown++;
    bool fork = shown > 1;
    int rc = 0;
    for (uint32_t i = 0; i < shown && !rc && w->rows->count < TREE_ROWS_MAX && level < TREE_DEPTH_MAX; i++) {
        const struct calltree_node *child = &w->tree->nodes[n->first + i];
        rc = add_node(w, child, depth + fork, fork);
        if (!rc)
            rc = add_children(w, child, depth + fork, level + 1);
    }
    return rc;
}

static int fill_tree(struct rows *r, const struct profile *view, uint32_t label)
{
    struct profile turned;
    struct calltree tree = {0};
    int rc = reroot_init_label(&turned, view, r->kind == ROWS_CALLEES ? REROOT_CALLEES : REROOT_CALLERS, label);
    if (!rc && turned.sample_count)
        rc = calltree_build(&tree, &turned, false);
    r->effective = stats_effective_samples(view);
    struct walk w = {r, &tree, view, (double)view->weight, r->effective};
    if (!rc && tree.count)
        rc = add_children(&w, &tree.nodes[0], 0, 0);
    calltree_deinit(&tree);
    reroot_deinit(&turned);
    return rc;
}

/* ---- books ---- */

static int add_reasons(struct rows *r, const struct profile *view, enum account_id id, double cpu)
{
    for (uint32_t i = 0; i < view->book_count; i++) {
        const struct profile_book *b = &view->books[i];
        const char *reason = profile_text(view, b->reason);
        struct row row = {.name = reason, .depth = 2, .ns = b->ns, .count = b->count, .total = cpu > 0 ? (double)b->ns / cpu : 0};
        bool empty = !*reason || (!b->ns && !b->count);
        if (!empty && accounts_is(view, b, id) && add(r, &row))
            return -ENOMEM;
    }
    return 0;
}

/* Fills the rows with the accounts of CPU time. Accounts that are only a count are left out, because they are not a share of it. */
static int fill_books(struct rows *r, const struct profile *view)
{
    double cpu = (double)accounts_sum(view, ACCOUNT_CPU).ns;
    int rc = 0;
    for (int id = 0; !rc && view->book_count && id < ACCOUNTS; id++) {
        const struct account_row *a = &account_rows[id];
        if (!(a->books & BOOK_BIT(CPU)) || !a->title || a->unit == ACCOUNT_IN_NONE)
            continue;
        struct account_sum sum = accounts_sum(view, (enum account_id)id);
        struct row row = {.name = a->title, .depth = a->role != ACCOUNT_IS_WHOLE, .ns = sum.ns, .count = sum.count};
        row.total = cpu > 0 ? (double)row.ns / cpu : 0;
        rc = add(r, &row);
        if (!rc && a->reasons)
            rc = add_reasons(r, view, (enum account_id)id, cpu);
    }
    return rc;
}

/* ---- all ---- */

int rows_fill(struct rows *r, enum rows_kind kind, const struct profile *view, uint32_t label)
{
    int rc;
    r->kind = kind;
    r->count = 0;
    r->effective = 0;
    if (kind == ROWS_BOOKS)
        rc = fill_books(r, view);
    else if (kind == ROWS_CALLERS || kind == ROWS_CALLEES)
        rc = fill_tree(r, view, label);
    else
        rc = fill_table(r, view);
    if (rc)
        r->count = 0;
    return rc;
}

void rows_deinit(struct rows *r)
{
    free(r->list);
    *r = (struct rows){0};
}
