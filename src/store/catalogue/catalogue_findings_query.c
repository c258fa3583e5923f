/* Visits the findings. */
#include "store/catalogue/catalogue_findings.h"
#include "store/catalogue/catalogue_internal.h"

#include "base/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define MILLIONTHS 1e6

struct seen {
    struct catalogue_seen *list;
    uint32_t count, cap;
};

static int read_seen(struct sql_database *d, int64_t finding, struct seen *out, struct error *e)
{
    struct sql s = sql_use(d, "SELECT name, value FROM finding_label WHERE finding = ? ORDER BY name, value");
    int rc;
    sql_int(&s, finding);
    out->count = 0;
    while ((rc = sql_step(&s, e)) > 0) {
        if (ARRAY_GROW(out->list, out->cap, out->count)) {
            rc = error_set(e, -ENOMEM, "out of memory");
            break;
        }
        struct catalogue_seen *one = &out->list[out->count++];
        snprintf(one->name, sizeof one->name, "%s", sql_column_text(&s, 0));
        snprintf(one->value, sizeof one->value, "%s", sql_column_text(&s, 1));
    }
    sql_done(&s);
    return rc;
}

static struct catalogue_extent extent_at(const struct sql *s, int column)
{
    return (struct catalogue_extent){.score = (double)sql_column(s, column) / MILLIONTHS,
                                     .lost_ns = (uint64_t)sql_column(s, column + 1),
                                     .duration_ns = (uint64_t)sql_column(s, column + 2)};
}

static void fill(struct catalogue_finding *f, const struct sql *s, const struct seen *seen)
{
    int64_t state = sql_column(s, 4);
    *f = (struct catalogue_finding){
        .id = (uint64_t)sql_column(s, 0),
        .service = sql_column_text(s, 1),
        .rule = sql_column_text(s, 2),
        .place = sql_column_text(s, 3),
        .state = state >= 0 && state < STATES ? (enum catalogue_state)state : STATE_OPEN,
        .first = sql_column(s, 5),
        .last = sql_column(s, 6),
        .changed = sql_column(s, 7),
        .recordings = (uint64_t)sql_column(s, 8),
        .latest = extent_at(s, 9),
        .worst = extent_at(s, 12),
        .evidence = (uint64_t)sql_column(s, 15),
        .has_evidence = sql_column(s, 16) != 0,
        .note = sql_column_text(s, 17),
        .json = sql_column_text(s, 18),
        .seen = seen->list,
        .seen_count = seen->count,
    };
}

static int visit_all(struct sql_database *d, uint64_t id, catalogue_visit_finding *visit, void *context, struct error *e)
{
    struct sql s =
        sql_use(d, "SELECT f.id, v.name, f.rule, f.place, f.state, f.first, f.last, f.changed, f.recordings, f.score, f.lost_ns, "
                   "f.duration_ns, f.worst_score, f.worst_lost_ns, f.worst_duration_ns, f.evidence, coalesce(r.raw, 0), f.note, "
                   "f.json FROM finding f JOIN service v ON v.id = f.service LEFT JOIN recording r ON r.id = f.evidence "
                   "WHERE ?1 = 0 OR f.id = ?1 ORDER BY f.worst_score DESC, f.id");
    struct seen seen = {0};
    int rc;
    sql_int(&s, (int64_t)id);
    while ((rc = sql_step(&s, e)) > 0) {
        struct catalogue_finding f;
        rc = read_seen(d, sql_column(&s, 0), &seen, e);
        if (!rc) {
            fill(&f, &s, &seen);
            rc = visit(context, &f);
        }
        if (rc)
            break;
    }
    sql_done(&s);
    free(seen.list);
    return rc;
}

int catalogue_findings(struct catalogue *c, uint64_t id, const struct catalogue_patience *patience, catalogue_visit_finding *visit,
                       void *context, struct error *e)
{
    struct catalogue_reader *r;
    int rc = catalogue_read_begin(c, patience, &r, e);
    return rc ? rc : catalogue_read_end(c, r, visit_all(&r->sql, id, visit, context, e), e);
}
