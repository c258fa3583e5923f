/* Distinguishes a change of cost from cost that only moved, for instance because a method was renamed, inlined or split: one figure
 * falls, another one rises, and their sum stays the same. It is a separate file because it looks at calls, and at two figures at a time. */
#include "profile/figures/changes.h"

#include <math.h>

/* The change of the sum of both must be at most this part of the smaller change, and no more than chance. The sum must be at most this part
 * of the weight: two methods that are the whole always have the same sum. */
static const double most_left = 0.25, least_p = 0.05, most_share = 0.5;

static bool is_call(const struct changes *c, uint32_t callee, uint32_t caller)
{
    return map_find(&c->edge_of, (uint64_t)callee << 32 | caller) != NULL;
}

static bool have_caller_in_common(const struct changes *c, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < c->edge_count; i++)
        if (c->edges[i].callee == a && c->edges[i].caller != CHANGES_NO_FIGURE && is_call(c, b, c->edges[i].caller))
            return true;
    return false;
}

/* Whether cost may move between the two: the same method calls both, or, for self time, one calls the other. The total of a caller includes
 * that of its callee, so totals do not move between these. Lines move within a method. */
static bool are_related(const struct changes *c, uint32_t a, uint32_t b, enum changes_which which)
{
    const struct changes_figure *x = &c->figures[a], *y = &c->figures[b];
    if (x->line || y->line)
        return x->line && y->line && x->name == y->name;
    if (c->any_pair)
        return true;
    if (is_call(c, a, b) || is_call(c, b, a))
        return which == CHANGES_SELF;
    return have_caller_in_common(c, a, b);
}

static bool is_sure(const struct changes_value *v)
{
    return v->verdict != CHANGES_UNSURE && v->verdict != CHANGES_MOVED;
}

/* Returns how much of the change is left in the sum of both figures, or infinity if they did not move. */
static double left_of(const struct changes *c, uint32_t fell, uint32_t rose, enum changes_which which)
{
    const struct changes_value *a = &c->figures[fell].value[which], *b = &c->figures[rose].value[which];
    struct changes_value sum;
    double most = most_left * fmin(fabs(a->change), fabs(b->change));
    if (!is_sure(b) || b->change <= 0 || fabs(a->change + b->change) > most || !are_related(c, fell, rose, which))
        return INFINITY;
    changes_test(c, fell, rose, which, &sum);
    bool is_part = sum.share[CHANGES_BEFORE] <= most_share && sum.share[CHANGES_AFTER] <= most_share;
    return is_part && sum.p > least_p ? fabs(sum.change) : INFINITY;
}

static void pair(struct changes *c, uint32_t fell, enum changes_which which)
{
    uint32_t best = CHANGES_NO_FIGURE;
    double least = INFINITY;
    for (uint32_t rose = 0; rose < c->figure_count; rose++) {
        double left = left_of(c, fell, rose, which);
        best = left < least ? rose : best;
        least = fmin(left, least);
    }
    if (best == CHANGES_NO_FIGURE)
        return;
    struct changes_value *a = &c->figures[fell].value[which], *b = &c->figures[best].value[which];
    a->verdict = b->verdict = CHANGES_MOVED;
    a->partner = best;
    b->partner = fell;
}

/* If a method's own time moved, its total and its lines moved, too. */
static void follow(const struct changes_value *of, struct changes_value *v)
{
    if (of->verdict != CHANGES_MOVED || !is_sure(v) || (of->change > 0) != (v->change > 0))
        return;
    v->verdict = CHANGES_MOVED;
    v->partner = of->partner;
}

/* Whether w is such a change as v, and at least half as large. */
static bool is_like(const struct changes_value *w, const struct changes_value *v)
{
    return is_sure(w) && (w->change > 0) == (v->change > 0) && 2 * fabs(w->change) >= fabs(v->change);
}

/* Whether the method's total changed because its own time did, or because a method that it calls did. If the comparison has no calls, any
 * method may be one that it calls. */
static bool is_elsewhere(const struct changes *c, uint32_t figure, const struct changes_value *v)
{
    if (is_like(&c->figures[figure].value[CHANGES_SELF], v))
        return true;
    for (uint32_t i = 0; c->any_pair && i < c->figure_count; i++)
        if (is_like(&c->figures[i].value[CHANGES_SELF], v))
            return true;
    for (uint32_t i = 0; i < c->edge_count; i++) {
        const struct changes_edge *e = &c->edges[i];
        if (e->caller == figure && e->callee != figure && is_like(&c->figures[e->callee].value[CHANGES_TOTAL], v))
            return true;
    }
    return false;
}

int changes_shift(struct changes *c)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < 2 * c->figure_count; i++) {
        const struct changes_value *v = &c->figures[i / 2].value[i % 2];
        if (!is_sure(v) || v->change >= 0)
            continue;
        rc = changes_is_over(c, 0); /* each pair takes long */
        if (!rc)
            pair(c, i / 2, i % 2);
    }
    for (uint32_t i = 0; !rc && i < c->figure_count; i++) {
        struct changes_figure *f = &c->figures[i];
        follow(&f->value[CHANGES_SELF], &f->value[CHANGES_TOTAL]);
        if (f->line && f->method != CHANGES_NO_FIGURE)
            follow(&c->figures[f->method].value[CHANGES_SELF], &f->value[CHANGES_SELF]);
    }
    for (uint32_t i = 0; !rc && i < c->figure_count; i++) {
        struct changes_figure *f = &c->figures[i];
        rc = changes_is_over(c, i);
        f->value[CHANGES_SELF].innermost = is_sure(&f->value[CHANGES_SELF]);
        f->value[CHANGES_TOTAL].innermost = is_sure(&f->value[CHANGES_TOTAL]) && !is_elsewhere(c, i, &f->value[CHANGES_TOTAL]);
    }
    return rc;
}
