#include "server/fleet/movers.h"

#include "report/diff_report.h"

enum { RUNS_LEAST = 2 };

static void put_change(struct jsonw *j, const char *key, const struct diff_figure *f)
{
    jsonw_key(j, key);
    jsonw_object(j);
    diff_put_change(j, f);
    jsonw_member_number(j, "q", f->q);
    jsonw_member_text(j, "change", diff_change_name(f->change));
    jsonw_object_end(j);
}

static void put_mover(struct jsonw *j, const struct diff *d, const struct diff_row *row)
{
    jsonw_object(j);
    jsonw_member_text(j, "name", diff_name(d, row));
    jsonw_member_uint(j, "samples_a", row->samples_a);
    jsonw_member_uint(j, "samples_b", row->samples_b);
    put_change(j, "own", &row->self);
    put_change(j, "total", &row->total);
    jsonw_object_end(j);
}

/* The largest change comes first. */
static void put_list(struct jsonw *j, const struct diff *d, uint32_t limit)
{
    uint32_t n = 0;
    jsonw_array(j);
    for (uint32_t i = 0; i < d->count; i++)
        if ((d->rows[i].self.change || d->rows[i].total.change) && n++ < limit)
            put_mover(j, d, &d->rows[i]);
    jsonw_array_end(j);
    jsonw_member_uint(j, "movers_left_out", n > limit ? n - limit : 0);
}

int movers_put(struct jsonw *j, const struct top_side sides[2], uint32_t place, uint32_t groups, uint32_t limit)
{
    struct diff d;
    int rc = diff_init(&d);
    /* Each group is a family of tests of its own. So that a hundred services in which nothing changed have no more false movers than one
     * service, they share the level. */
    d.level /= groups;
    for (enum diff_side side = DIFF_A; !rc && side <= DIFF_B; side++)
        rc = top_side_add_runs(&sides[side], place, &d, side);
    bool enough = d.runs[DIFF_A] >= RUNS_LEAST && d.runs[DIFF_B] >= RUNS_LEAST;
    rc = rc || !enough ? rc : diff_compute(&d);
    jsonw_key(j, "movers");
    if (rc || !enough)
        jsonw_null(j);
    else
        put_list(j, &d, limit);
    diff_deinit(&d);
    return rc;
}
