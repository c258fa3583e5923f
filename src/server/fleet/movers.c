#include "server/fleet/movers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct changes_value *value_of(const struct changes *c, uint32_t figure, enum changes_which which)
{
    return &c->figures[figure].value[which];
}

static bool is_sure(const struct changes *c, uint32_t figure)
{
    return value_of(c, figure, CHANGES_SELF)->verdict != CHANGES_UNSURE;
}

static void put_change(struct jsonw *j, const struct changes *c, uint32_t figure, enum changes_which which)
{
    const struct changes_value *v = value_of(c, figure, which);
    struct changes_bounds b;
    changes_bounds(c, figure, which, &b);
    jsonw_key(j, which == CHANGES_SELF ? "own" : "total");
    jsonw_object(j);
    jsonw_member_number(j, "before", v->share[CHANGES_BEFORE]);
    jsonw_member_number(j, "after", v->share[CHANGES_AFTER]);
    jsonw_member_number(j, "change", v->change);
    jsonw_member_number(j, "low", b.interval.low);
    jsonw_member_number(j, "high", b.interval.high);
    jsonw_member_number(j, "q", v->q);
    jsonw_member_text(j, "verdict", changes_verdict_name(v->verdict));
    if (v->verdict == CHANGES_MOVED)
        jsonw_member_text(j, v->change > 0 ? "from" : "to", changes_name(c, v->partner));
    jsonw_object_end(j);
}

static void put_mover(struct jsonw *j, const struct changes *c, uint32_t figure)
{
    jsonw_object(j);
    jsonw_member_text(j, "name", changes_name(c, figure));
    put_change(j, c, figure, CHANGES_SELF);
    put_change(j, c, figure, CHANGES_TOTAL);
    jsonw_object_end(j);
}

/* The sure ones of own time first, and of these the largest. */
static int compare_movers(const void *left, const void *right, void *context)
{
    const struct changes *c = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    bool own_a = is_sure(c, a), own_b = is_sure(c, b);
    enum changes_which which = own_a ? CHANGES_SELF : CHANGES_TOTAL;
    double size_a = fabs(value_of(c, a, which)->change), size_b = fabs(value_of(c, b, which)->change);
    if (own_a != own_b)
        return own_b - own_a;
    return size_a != size_b ? (size_a < size_b ? 1 : -1) : strcmp(changes_name(c, a), changes_name(c, b));
}

/* A total is listed only if no own time explains its change: otherwise it is that of a caller. */
static int put_list(struct jsonw *j, const struct changes *c, uint32_t limit)
{
    uint32_t n = 0, *list = calloc((size_t)c->figure_count + 1, sizeof *list);
    if (!list)
        return -ENOMEM;
    for (uint32_t i = 0; i < c->figure_count; i++)
        if (is_sure(c, i) || value_of(c, i, CHANGES_TOTAL)->innermost)
            list[n++] = i;
    qsort_r(list, n, sizeof *list, compare_movers, (void *)c);
    jsonw_array(j);
    for (uint32_t i = 0; i < n && i < limit; i++)
        put_mover(j, c, list[i]);
    jsonw_array_end(j);
    jsonw_member_uint(j, "movers_left_out", n > limit ? n - limit : 0);
    free(list);
    return 0;
}

static int put_compared(struct jsonw *j, const struct changes *c, uint32_t limit)
{
    jsonw_member_text(j, "design", changes_design_name(c->design));
    jsonw_member_text_or_null(j, "reason", c->reason);
    jsonw_key(j, "movers");
    if (c->design != CHANGES_NONE)
        return put_list(j, c, limit);
    jsonw_null(j);
    return 0;
}

int movers_put(struct jsonw *j, const struct top_side sides[2], uint32_t place, uint32_t groups, uint32_t limit)
{
    struct changes c;
    int rc = changes_init(&c);
    c.any_pair = true;
    /* Each group is a family of tests of its own. So that a hundred services in which nothing changed have no more false movers than one
     * service, they share the level. */
    c.level /= groups;
    for (enum changes_side side = CHANGES_BEFORE; !rc && side <= CHANGES_AFTER; side++)
        rc = top_side_add(&sides[side], place, &c, side);
    rc = rc ? rc : changes_compute(&c);
    rc = rc ? rc : put_compared(j, &c, limit);
    changes_deinit(&c);
    return rc;
}
