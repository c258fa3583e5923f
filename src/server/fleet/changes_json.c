/* Writes the answer of /v1/changes. */
#include "server/fleet/changes_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So many callers, and values of a label, are shown of each change. */
enum { CAUSES_MAX = 5, VALUES_MAX = 20 };

/* A row of the answer: one value of a figure. */
struct row {
    uint32_t figure;
    enum changes_which which;
};

static const struct changes_value *value_of(const struct changes *c, const struct row *r)
{
    return &c->figures[r->figure].value[r->which];
}

double fleet_unit(const struct fleet_side *side)
{
    const char *colon = strrchr(side->result.type, ':');
    return colon && !strcmp(colon, ":ns") ? 1e9 : 1;
}

double fleet_per_second(const struct fleet_side *side, double weight)
{
    return side->seconds ? weight / fleet_unit(side) / (double)side->seconds : 0;
}

static void put_side(struct jsonw *j, const struct fleet_changes *f, enum changes_side which)
{
    const struct fleet_side *side = &f->sides[which];
    jsonw_object(j);
    jsonw_member_text(j, "select", side->select);
    jsonw_member_text_or_null(j, "value", side->value);
    jsonw_key(j, "from");
    jsonw_int(j, side->from);
    jsonw_key(j, "to");
    jsonw_int(j, side->to);
    jsonw_member_uint(j, "recordings", side->result.recordings);
    jsonw_member_uint(j, "seconds", side->seconds);
    jsonw_member_uint(j, "weight", side->result.weight);
    jsonw_member_number(j, "per_second", fleet_per_second(side, (double)side->result.weight));
    if (side->requests > 0)
        jsonw_member_number(j, "per_request", fleet_per_second(side, (double)side->result.weight) / side->requests);
    jsonw_member_uint(j, "hosts", f->changes.compared[which]);
    jsonw_key(j, "compared");
    jsonw_uint(j, (uint64_t)f->changes.weight[which]);
    jsonw_object_end(j);
}

static void put_left_out(struct jsonw *j, const struct changes *c)
{
    jsonw_key(j, "left_out");
    jsonw_array(j);
    for (uint32_t i = 0; i < c->host_count; i++)
        if (!c->hosts[i].compared)
            jsonw_text(j, strtab_text(&c->names, c->hosts[i].name));
    jsonw_array_end(j);
}

/* Writes the cost of a request, and where the number of requests comes from. */
static void put_requests(struct jsonw *j, const struct fleet_changes *f)
{
    static const char *const names[] = {"before", "after", "ratio"};
    const struct fleet_requests *r = &f->requests;
    jsonw_key(j, "requests");
    jsonw_object(j);
    jsonw_member_text_or_null(j, "source", f->told ? "client" : r->known ? "spans" : NULL);
    for (int i = 0; r->known && i < 3; i++) {
        const struct fleet_estimate *of = i < 2 ? &r->cost[i] : &r->change;
        jsonw_key(j, names[i]);
        jsonw_object(j);
        cost_put(j, of);
        if (i < 2)
            jsonw_member_uint(j, "hosts", r->hosts[i]);
        jsonw_object_end(j);
    }
    jsonw_object_end(j);
}

/* Returns the share of the weight that is compared. */
static double share_of(const struct changes *c, const double weight[2], enum changes_side side)
{
    return c->weight[side] > 0 ? weight[side] / c->weight[side] : 0;
}

static void put_pair(struct jsonw *j, const struct changes *c, const double weight[2])
{
    jsonw_member_number(j, "before", share_of(c, weight, CHANGES_BEFORE));
    jsonw_member_number(j, "after", share_of(c, weight, CHANGES_AFTER));
}

static double cell(const struct changes_figure *f, uint32_t unit, enum changes_which which)
{
    return unit < f->cells_cap ? f->cells[2 * unit + which] : 0;
}

/* ---- causes ---- */

/* Finds which part of a method's total is of the hosts that are compared. Edges have the weight of all hosts. */
static void compared_part(const struct changes *c, const struct changes_figure *f, double part[2])
{
    double all[2] = {0};
    for (uint32_t i = 0; i < c->unit_count; i++)
        all[c->units[i].side] += cell(f, i, CHANGES_TOTAL);
    for (int side = 0; side < 2; side++)
        part[side] = all[side] > 0 ? f->value[CHANGES_TOTAL].weight[side] / all[side] : 0;
}

/* How much an edge of that weight contributes to the change: in shares of the weight after, on the scale of the changes. */
static double edge_change(const struct changes *c, const double weight[2])
{
    double before = weight[CHANGES_BEFORE] / c->rest[CHANGES_BEFORE] * c->rest[CHANGES_AFTER] / c->weight[CHANGES_AFTER];
    return weight[CHANGES_AFTER] / c->weight[CHANGES_AFTER] - before;
}

/* An edge whose weight is that of the compared hosts. */
struct caller {
    uint32_t edge;
    double weight[2], change;
};

/* Finds the caller, of those that are not shown yet, through which the method's total changed most. Returns whether there is one. */
static bool find_caller(const struct changes *c, uint32_t figure, const double part[2], const bool *shown, struct caller *best)
{
    bool found = false;
    for (uint32_t i = 0; i < c->edge_count; i++) {
        const struct changes_edge *e = &c->edges[i];
        if (e->callee != figure || e->caller == CHANGES_NO_FIGURE || shown[i])
            continue;
        struct caller one = {.edge = i, .weight = {e->weight[0] * part[0], e->weight[1] * part[1]}};
        one.change = edge_change(c, one.weight);
        if (!found || fabs(one.change) > fabs(best->change))
            *best = one;
        found = true;
    }
    return found;
}

/* Writes the callers through which the method's total changed most. */
static void put_callers(struct jsonw *j, const struct changes *c, uint32_t figure)
{
    bool *shown = calloc((size_t)c->edge_count + 1, sizeof *shown);
    struct caller best = {0};
    double part[2];
    compared_part(c, &c->figures[figure], part);
    jsonw_key(j, "callers");
    jsonw_array(j);
    for (int n = 0; shown && n < CAUSES_MAX && find_caller(c, figure, part, shown, &best); n++) {
        shown[best.edge] = true;
        jsonw_object(j);
        jsonw_member_text(j, "method", changes_name(c, c->edges[best.edge].caller));
        put_pair(j, c, best.weight);
        jsonw_member_number(j, "change", best.change);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
    free(shown);
}

static void put_value(struct jsonw *j, const struct changes *c, const struct row *r, uint32_t group)
{
    double weight[2] = {0}, all[2] = {0};
    for (uint32_t i = 0; i < c->unit_count; i++) {
        const struct changes_unit *u = &c->units[i];
        if (u->group != group || !c->hosts[u->host].compared)
            continue;
        weight[u->side] += cell(&c->figures[r->figure], i, r->which);
        all[u->side] += u->weight;
    }
    jsonw_object(j);
    jsonw_member_text(j, "value", strtab_text(&c->names, group));
    for (int side = 0; side < 2; side++) {
        jsonw_key(j, side ? "after" : "before");
        jsonw_number(j, all[side] > 0 ? weight[side] / all[side] : NAN);
    }
    jsonw_object_end(j);
}

/* Writes the figure's share for each value of the label that was asked for, so that it shows which of them have the change. */
static void put_values(struct jsonw *j, const struct changes *c, const struct row *r)
{
    bool *seen = calloc(c->names.count, sizeof *seen); /* by string id */
    uint32_t n = 0;
    jsonw_key(j, "values");
    jsonw_array(j);
    for (uint32_t i = 0; seen && i < c->unit_count; i++) {
        uint32_t group = c->units[i].group;
        if (seen[group] || !c->hosts[c->units[i].host].compared)
            continue;
        seen[group] = true;
        if (n++ < VALUES_MAX)
            put_value(j, c, r, group);
    }
    jsonw_array_end(j);
    jsonw_member_uint(j, "values_left_out", n > VALUES_MAX ? n - VALUES_MAX : 0);
    free(seen);
}

/* ---- rows ---- */

static void put_estimate(struct jsonw *j, const struct changes *c, const struct row *r)
{
    const struct changes_value *v = value_of(c, r);
    struct changes_bounds b;
    changes_bounds(c, r->figure, r->which, &b);
    jsonw_member_number(j, "expected", v->expected);
    jsonw_member_number(j, "change", v->change);
    jsonw_member_number(j, "low", b.interval.low);
    jsonw_member_number(j, "high", b.interval.high);
    jsonw_member_number(j, "detectable", b.detectable);
    jsonw_member_number(j, "p", v->p);
    jsonw_member_number(j, "q", v->q);
}

/* Writes a figure per second, and per request if their number is known: its share of the compared hosts, of the weight of
 * all hosts per second. The seconds are those of all. */
static void put_rates(struct jsonw *j, const struct fleet_changes *f, const double weight[2])
{
    static const char *const seconds[] = {"before_per_second", "after_per_second"};
    static const char *const requests[] = {"before_per_request", "after_per_request"};
    for (enum changes_side side = CHANGES_BEFORE; side <= CHANGES_AFTER; side++) {
        const struct fleet_side *of = &f->sides[side];
        double rate = share_of(&f->changes, weight, side) * fleet_per_second(of, (double)of->result.weight);
        jsonw_member_number(j, seconds[side], rate);
        if (of->requests > 0)
            jsonw_member_number(j, requests[side], rate / of->requests);
    }
}

static void put_row(struct jsonw *j, const struct fleet_changes *f, const struct row *r)
{
    const struct changes *c = &f->changes;
    const struct changes_figure *figure = &c->figures[r->figure];
    const struct changes_value *v = value_of(c, r);
    jsonw_object(j);
    jsonw_member_text(j, "method", changes_name(c, r->figure));
    jsonw_key(j, "line");
    if (figure->line)
        jsonw_int(j, figure->line);
    else
        jsonw_null(j);
    jsonw_member_text(j, "figure", figure->line ? "line" : r->which == CHANGES_SELF ? "self" : "total");
    jsonw_member_text(j, "verdict", changes_verdict_name(v->verdict));
    jsonw_key(j, "innermost");
    jsonw_bool(j, v->innermost);
    put_pair(j, c, v->weight);
    jsonw_member_uint(j, "before_weight", (uint64_t)(v->weight[CHANGES_BEFORE] + 0.5));
    jsonw_member_uint(j, "after_weight", (uint64_t)(v->weight[CHANGES_AFTER] + 0.5));
    put_rates(j, f, v->weight);
    put_estimate(j, c, r);
    if (v->verdict == CHANGES_MOVED)
        jsonw_member_text(j, v->change > 0 ? "from" : "to", changes_name(c, v->partner));
    if (v->verdict != CHANGES_UNSURE && !figure->line)
        put_callers(j, c, r->figure);
    if (v->verdict != CHANGES_UNSURE && f->split)
        put_values(j, c, r);
    jsonw_object_end(j);
}

/* The value by which rows are ordered. If nothing is compared, there are no changes, and it is the share after the change. */
static double size_of(const struct changes *c, const struct changes_value *v)
{
    return c->design == CHANGES_NONE ? v->share[CHANGES_AFTER] : fabs(v->change);
}

/* The sure ones first, then the ones that changed most. */
static int by_change(const void *left, const void *right, void *context)
{
    const struct changes *c = context;
    const struct row *a = left, *b = right;
    const struct changes_value *x = value_of(c, a), *y = value_of(c, b);
    bool sure_x = x->verdict != CHANGES_UNSURE, sure_y = y->verdict != CHANGES_UNSURE;
    if (sure_x != sure_y)
        return sure_x ? -1 : 1;
    int by = (size_of(c, x) < size_of(c, y)) - (size_of(c, x) > size_of(c, y));
    by = by ? by : strcmp(changes_name(c, a->figure), changes_name(c, b->figure));
    return by ? by : (int)a->which - (int)b->which;
}

/* Lists the values to show. Returns their number. */
static uint32_t list_rows(const struct fleet_changes *f, struct row *rows)
{
    const struct changes *c = &f->changes;
    uint32_t n = 0;
    for (uint32_t i = 0; i < 2 * c->figure_count; i++) {
        const struct row r = {i / 2, i % 2};
        bool is = !c->figures[r.figure].line || r.which == CHANGES_SELF;
        if (is && (f->all || value_of(c, &r)->verdict != CHANGES_UNSURE))
            rows[n++] = r;
    }
    if (n)
        qsort_r(rows, n, sizeof *rows, by_change, (void *)c);
    return n;
}

static int put_rows(struct http_writer *w, struct fleet_changes *f, bool *more)
{
    struct jsonw *j = &w->json;
    struct row *rows = calloc(2 * (size_t)f->changes.figure_count + 1, sizeof *rows);
    uint32_t n = rows ? list_rows(f, rows) : 0;
    int rc = rows ? 0 : error_set(f->error, -ENOMEM, "out of memory");
    jsonw_key(j, "changes");
    jsonw_array(j);
    for (uint32_t i = 0; !rc && i < n && i < f->limit && !w->full; i++) {
        rc = changes_give_up(f);
        if (!rc)
            put_row(j, f, &rows[i]);
    }
    jsonw_array_end(j);
    *more = n > f->limit;
    free(rows);
    return rc;
}

int changes_write(struct fleet_changes *f, struct http_writer *w)
{
    const struct changes *c = &f->changes;
    struct jsonw *j = &w->json;
    struct missing missing = f->sides[CHANGES_BEFORE].result.missing;
    bool more;
    missing_add_all(&missing, &f->sides[CHANGES_AFTER].result.missing);
    jsonw_object(j);
    jsonw_member_text_or_null(j, "type", f->query.q.type);
    jsonw_member_text_or_null(j, "by", f->by);
    jsonw_member_text(j, "design", changes_design_name(c->design));
    jsonw_member_text_or_null(j, "reason", c->reason);
    jsonw_member_number(j, "level", c->level);
    jsonw_key(j, "before");
    put_side(j, f, CHANGES_BEFORE);
    jsonw_key(j, "after");
    put_side(j, f, CHANGES_AFTER);
    put_requests(j, f);
    put_left_out(j, c);
    jsonw_member_uint(j, "tests", c->tests);
    jsonw_member_uint(j, "sure", c->sure);
    int rc = put_rows(w, f, &more);
    question_put_complete(j, &missing, f->query.q.type, more);
    jsonw_object_end(j);
    return rc;
}
