#include "store/catalogue/catalogue_select.h"

#include "base/array.h"
#include "store/catalogue/catalogue_internal.h"

#include <errno.h>
#include <stdlib.h>

struct selecting {
    struct sql_database *database;
    int64_t from, to;
    const struct catalogue_select_visitor *visitor;
    uint64_t *services; /* that may be selected */
    uint32_t service_count, service_cap;
};

/* ---- services ---- */

static int list_services(struct selecting *l, struct error *e)
{
    struct sql s = sql_use(l->database, "SELECT id, name FROM service");
    int rc;
    while ((rc = sql_step(&s, e)) > 0) {
        if (!l->visitor->service(l->visitor->context, sql_column_text(&s, 1)))
            continue;
        rc = ARRAY_GROW(l->services, l->service_cap, l->service_count) ? -ENOMEM : 0;
        if (rc)
            break;
        l->services[l->service_count++] = (uint64_t)sql_column(&s, 0);
    }
    sql_done(&s);
    return rc;
}

/* ---- roll-ups ---- */

static int rollups_of(const struct selecting *l, uint64_t service, struct error *e)
{
    const struct catalogue_select_visitor *v = l->visitor;
    struct sql s = sql_use(l->database, "SELECT " CATALOGUE_ROLLUP_COLUMNS ", t.name, s.name FROM rollup u JOIN type t ON t.id = u.type "
                                        "JOIN service s ON s.id = u.service WHERE u.service = ?3 "
                                        "AND u.day BETWEEN ?1 / 86400 AND (?2 - 1) / 86400 AND u.until > 0");
    int rc;
    sql_int(&s, l->from);
    sql_int(&s, l->to);
    sql_int(&s, (int64_t)service);
    while ((rc = sql_step(&s, e)) > 0) {
        if (!v->type(v->context, sql_column_text(&s, 9)))
            continue;
        struct catalogue_rollup u = catalogue_rollup_of(&s);
        u.type_name = sql_column_text(&s, 9);
        u.service_name = sql_column_text(&s, 10);
        rc = v->rollup(v->context, &u);
        rc = rc ? rc : catalogue_rollup_files_of(l->database, u.id, v->file, v->context, e);
        if (rc)
            break;
    }
    sql_done(&s);
    return rc;
}

/* ---- parts ---- */

#define PARTS                                                                                                                              \
    "SELECT p.recording, p.segment, p.rows, p.weight, g.dictionary, p.first, p.last, r.labelset, t.name, r.flaws, "                        \
    "coalesce(r.begun, r.first), coalesce(r.ended, r.last + 1), p.service, p.day, p.type "                                                 \
    "FROM part p LEFT JOIN segment g ON g.id = p.segment JOIN recording r ON r.id = p.recording JOIN type t ON t.id = p.type "

static struct catalogue_hit hit_of(const struct sql *s)
{
    bool sealed = sqlite3_column_type(s->statement, 4) != SQLITE_NULL;
    bool to_be_sealed = sqlite3_column_type(s->statement, 1) == SQLITE_NULL;
    return (struct catalogue_hit){
        .state = sealed         ? PART_SEALED
                 : to_be_sealed ? PART_UNSEALED
                                : PART_LOST,
        .recording = (uint64_t)sql_column(s, 0),
        .segment = (uint64_t)sql_column(s, 1),
        .rows = (uint64_t)sql_column(s, 2),
        .weight = (uint64_t)sql_column(s, 3),
        .dictionary = (uint32_t)sql_column(s, 4),
        .first = sql_column(s, 5),
        .last = sql_column(s, 6),
        .labelset = (uint64_t)sql_column(s, 7),
        .type = sql_column_text(s, 8),
        .flaws = (uint64_t)sql_column(s, 9),
        .begun = sql_column(s, 10),
        .ended = sql_column(s, 11),
        .service = (uint64_t)sql_column(s, 12),
        .day = sql_column(s, 13),
        .type_id = sql_column(s, 14),
    };
}

/* Visits the parts that the statement returns, and ends it. */
static int visit_parts(const struct selecting *l, struct sql *s, struct error *e)
{
    int rc;
    while ((rc = sql_step(s, e)) > 0) {
        struct catalogue_hit hit = hit_of(s);
        rc = l->visitor->hit(l->visitor->context, &hit);
        if (rc)
            break;
    }
    sql_done(s);
    return rc;
}

/* Visits the group's parts whose last second is in [from, to), and whose first is before the query's end. */
static int parts_ending(const struct selecting *l, const struct catalogue_group *g, int64_t from, int64_t to, struct error *e)
{
    if (from >= to)
        return 0;
    struct sql s = sql_use(l->database, PARTS "WHERE p.service = ?1 AND p.day = ?2 AND p.type = ?3 AND p.last >= ?4 AND p.last < ?5 "
                                              "AND p.first < ?6");
    sql_int(&s, (int64_t)g->service);
    sql_int(&s, g->day);
    sql_int(&s, g->type);
    sql_int(&s, from);
    sql_int(&s, to);
    sql_int(&s, l->to);
    return visit_parts(l, &s, e);
}

/* Visits the recording's part if it begins before `without_from` and ends within these seconds. */
static int part_across(const struct selecting *l, const struct catalogue_group *g, uint64_t recording, struct error *e)
{
    struct sql s = sql_use(l->database, PARTS "WHERE p.recording = ?1 AND p.type = ?2 AND p.day = ?3 AND p.last >= ?4 AND p.last < ?5 "
                                              "AND p.first < ?4");
    sql_int(&s, (int64_t)recording);
    sql_int(&s, g->type);
    sql_int(&s, g->day);
    sql_int(&s, g->without_from);
    sql_int(&s, g->without_to);
    return visit_parts(l, &s, e);
}

static int parts_of_group(const struct selecting *l, struct catalogue_group *g, struct error *e)
{
    int64_t end = (g->day + 1) * 86400;
    int rc = l->visitor->group(l->visitor->context, g);
    if (!rc && g->without_from >= g->without_to)
        return parts_ending(l, g, l->from, end, e);
    rc = rc ? rc : parts_ending(l, g, l->from, g->without_from, e);
    for (uint32_t i = 0; !rc && i < g->across_count; i++)
        rc = part_across(l, g, g->across[i], e);
    return rc ? rc : parts_ending(l, g, g->without_to > l->from ? g->without_to : l->from, end, e);
}

/* Finds the service's next day and type in the query's days: *g is the group before. Sets *found and *wanted. */
static int next_group(const struct selecting *l, struct catalogue_group *g, bool *found, bool *wanted, struct error *e)
{
    struct sql s = sql_use(l->database, "SELECT p.day, p.type, (SELECT name FROM type WHERE id = p.type) FROM part p "
                                        "WHERE p.service = ?1 AND (p.day, p.type) > (?2, ?3) AND p.day <= ?4 / 86400 "
                                        "ORDER BY p.day, p.type LIMIT 1");
    sql_int(&s, (int64_t)g->service);
    sql_int(&s, g->day);
    sql_int(&s, g->type);
    sql_int(&s, l->to);
    int rc = sql_step(&s, e);
    *found = rc > 0;
    if (*found) {
        *g = (struct catalogue_group){.service = g->service, .day = sql_column(&s, 0), .type = sql_column(&s, 1)};
        *wanted = l->visitor->type(l->visitor->context, sql_column_text(&s, 2));
    }
    sql_done(&s);
    return rc < 0 ? rc : 0;
}

/* Skips from group to group in the index, because a group has many parts. */
static int groups_of(const struct selecting *l, uint64_t service, struct error *e)
{
    struct catalogue_group at = {.service = service, .day = l->from / 86400 - 1, .type = INT64_MAX};
    bool found, wanted;
    int rc = next_group(l, &at, &found, &wanted, e);
    while (!rc && found) {
        struct catalogue_group group = at;
        rc = wanted ? parts_of_group(l, &group, e) : 0;
        rc = rc ? rc : next_group(l, &at, &found, &wanted, e);
    }
    return rc;
}

static int select_all(struct selecting *l, struct error *e)
{
    int rc = list_services(l, e);
    for (uint32_t i = 0; !rc && i < l->service_count; i++)
        rc = rollups_of(l, l->services[i], e);
    for (uint32_t i = 0; !rc && l->visitor->hit && i < l->service_count; i++)
        rc = groups_of(l, l->services[i], e);
    free(l->services);
    return rc;
}

int catalogue_select(struct catalogue *c, int64_t from, int64_t to, const struct catalogue_patience *patience,
                     const struct catalogue_select_visitor *visitor, struct error *e)
{
    struct catalogue_reader *r;
    int rc = catalogue_read_begin(c, patience, &r, e);
    if (rc)
        return rc;
    struct selecting l = {.database = &r->sql, .from = from, .to = to, .visitor = visitor};
    return catalogue_read_end(c, r, select_all(&l, e), e);
}
