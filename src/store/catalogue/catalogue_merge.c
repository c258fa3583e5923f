/* Chooses the segments to merge, and replaces them in the catalog. */
#include "store/catalogue/catalogue_internal.h"

#include <errno.h>

/* The set of segments that is merged next. */
struct set {
    int64_t dictionary, labelset; /* labelset 0 = any */
    int64_t type;
};

#define SMALL                                                                                                                              \
    "FROM segment g INDEXED BY segment_small JOIN part p ON p.segment = g.id JOIN recording r ON r.id = p.recording "                      \
    "WHERE g.small AND g.bad IS NULL AND g.dictionary = ?1 "

/* Reads a set from the first row of the statement, and ends the statement. Returns 1 if there is one, 0 if not, or a code. */
static int take_set(struct sql *s, bool of_one, struct set *set, struct error *e)
{
    int rc = sql_step(s, e);
    if (rc > 0) {
        set->type = sql_column(s, 0);
        set->labelset = of_one ? sql_column(s, 1) : 0;
    }
    sql_done(s);
    return rc;
}

static int set_in(struct sql_database *d, const struct catalogue_merge_rule *rule, bool ended, struct set *set, struct error *e)
{
    struct sql one = sql_use(d, "SELECT p.type, r.labelset " SMALL "GROUP BY p.type, r.labelset HAVING count(*) >= ?2 LIMIT 1");
    sql_int(&one, set->dictionary);
    sql_int(&one, rule->same);
    int rc = take_set(&one, true, set, e);
    if (rc)
        return rc;
    struct sql all = sql_use(d, "SELECT p.type " SMALL "GROUP BY p.type HAVING count(*) >= ?2 LIMIT 1");
    sql_int(&all, set->dictionary);
    sql_int(&all, ended ? 2 : rule->all);
    return take_set(&all, false, set, e);
}

/* Tries each dictionary that may have enough small segments, until one has. Most dictionaries have not. Returns 1 if a set was found, 0 if
 * not, or a code. */
static int find_set(struct sql_database *d, const struct catalogue_merge_rule *rule, uint32_t from, struct set *set, struct error *e)
{
    struct sql s = sql_use(d, "SELECT g.dictionary, d.day < ?2 FROM segment g INDEXED BY segment_small JOIN dictionary d ON "
                              "d.id = g.dictionary WHERE g.small AND g.bad IS NULL AND g.dictionary >= ?3 GROUP BY g.dictionary HAVING "
                              "count(*) >= CASE WHEN d.day < ?2 THEN 2 ELSE ?1 END");
    int rc = 0, more;
    sql_int(&s, rule->same < rule->all ? rule->same : rule->all);
    sql_int(&s, rule->ended);
    sql_int(&s, from);
    while (!rc && (more = sql_step(&s, e))) {
        set->dictionary = sql_column(&s, 0);
        rc = more < 0 ? more : set_in(d, rule, sql_column(&s, 1), set, e);
    }
    sql_done(&s);
    return rc;
}

/* Lists segments of the set, as long as they have at most `rows` rows together. A first segment with more rows is listed alone. */
static int list_segments(struct sql_database *d, const struct set *set, uint64_t rows, struct catalogue_merge *m, struct error *e)
{
    struct sql s = sql_use(d, "SELECT g.id, g.rows " SMALL "AND p.type = ?2 AND (?3 = 0 OR r.labelset = ?3) "
                              "ORDER BY r.labelset, r.id, g.id LIMIT ?4");
    uint64_t sum = 0;
    int rc = 0;
    sql_int(&s, set->dictionary);
    sql_int(&s, set->type);
    sql_int(&s, set->labelset);
    sql_int(&s, CATALOGUE_MERGE_MAX);
    m->dictionary = (uint32_t)set->dictionary;
    while (m->count < CATALOGUE_MERGE_MAX && (rc = sql_step(&s, e)) > 0) {
        sum += (uint64_t)sql_column(&s, 1);
        if (m->count && sum > rows)
            break;
        m->segments[m->count++] = (uint64_t)sql_column(&s, 0);
    }
    sql_done(&s);
    return rc < 0 ? rc : 0;
}

static int mergeable(struct sql_database *d, const struct catalogue_merge_rule *rule, uint32_t from, struct catalogue_merge *m,
                     struct error *e)
{
    struct set set = {0};
    int rc = find_set(d, rule, from, &set, e);
    return rc > 0 ? list_segments(d, &set, rule->rows, m, e) : rc;
}

int catalogue_mergeable(struct catalogue *c, const struct catalogue_merge_rule *rule, uint32_t from, struct catalogue_merge *m,
                        struct error *e)
{
    struct catalogue_reader *r;
    m->count = 0;
    int rc = catalogue_read_begin(c, NULL, &r, e);
    return rc ? rc : catalogue_read_end(c, r, mergeable(&r->sql, rule, from, m, e), e);
}

/* Runs a statement, and adds the number of changed rows to *changed. */
static int change(struct catalogue *c, const char *text, uint64_t segment, int64_t other, uint64_t *changed, struct error *e)
{
    struct sql s = sql_use(&c->sql, text);
    sql_int(&s, (int64_t)segment);
    sql_int(&s, other);
    int rc = sql_run(&s, 0, e);
    *changed += rc ? 0 : (uint64_t)sqlite3_changes(c->sql.db);
    return rc;
}

static int merged(struct catalogue *c, const struct catalogue_merge *m, const struct catalogue_segment *to, uint64_t parts, struct error *e)
{
    uint64_t moved = 0, gone = 0;
    struct sql s = sql_use(&c->sql, "INSERT INTO segment (id, dictionary, rows, bytes, small) VALUES (?, ?, ?, ?, 0)");
    sql_int(&s, (int64_t)to->id);
    sql_int(&s, to->dictionary);
    sql_int(&s, to->rows);
    sql_int(&s, (int64_t)to->bytes);
    int rc = sql_run(&s, 0, e);
    for (uint32_t i = 0; !rc && i < m->count; i++) {
        rc = change(c, "UPDATE part SET segment = ?2 WHERE segment = ?1", m->segments[i], (int64_t)to->id, &moved, e);
        rc = rc ? rc
                : change(c, "DELETE FROM segment WHERE id = ?1 AND dictionary = ?2 AND bad IS NULL", m->segments[i], m->dictionary, &gone,
                         e);
    }
    if (!rc && (moved != parts || gone != m->count))
        rc = error_set(e, -EAGAIN, "segments of dictionary %u have changed", m->dictionary);
    return rc;
}

int catalogue_merged(struct catalogue *c, const struct catalogue_merge *m, const struct catalogue_segment *to, uint64_t parts,
                     struct error *e)
{
    int rc = sql_begin(&c->sql, true, e);
    return rc ? rc : sql_end(&c->sql, merged(c, m, to, parts, e), e);
}

int catalogue_leave(struct catalogue *c, const struct catalogue_merge *m, struct error *e)
{
    uint64_t changed = 0;
    int rc = sql_begin(&c->sql, true, e);
    if (rc)
        return rc;
    for (uint32_t i = 0; !rc && i < m->count; i++)
        rc = change(c, "UPDATE segment SET small = 0 WHERE id = ?1 AND dictionary = ?2", m->segments[i], m->dictionary, &changed, e);
    return sql_end(&c->sql, rc, e);
}

static int segments(struct catalogue *c, uint32_t dictionary, bool *known, catalogue_visit_segment *visit, void *context, struct error *e)
{
    struct sql d = sql_use(&c->sql, "SELECT 1 FROM dictionary WHERE id = ?");
    sql_int(&d, dictionary);
    int rc = sql_step(&d, e);
    *known = rc > 0;
    sql_done(&d);
    if (rc < 0)
        return rc;
    struct sql s = sql_use(&c->sql, "SELECT id FROM segment WHERE dictionary = ? AND bad IS NULL");
    sql_int(&s, dictionary);
    while ((rc = sql_step(&s, e)) > 0) {
        rc = visit(context, (uint64_t)sql_column(&s, 0));
        if (rc)
            break;
    }
    sql_done(&s);
    return rc;
}

int catalogue_segments(struct catalogue *c, uint32_t dictionary, bool *known, catalogue_visit_segment *visit, void *context,
                       struct error *e)
{
    *known = false;
    int rc = sql_begin(&c->sql, false, e);
    return rc ? rc : sql_end(&c->sql, segments(c, dictionary, known, visit, context, e), e);
}

static int each_segment(struct catalogue *c, catalogue_visit_any_segment *visit, void *context, struct error *e)
{
    struct sql s = sql_use(&c->sql, "SELECT dictionary, id FROM segment WHERE bad IS NULL");
    int rc;
    while ((rc = sql_step(&s, e)) > 0) {
        rc = visit(context, (uint32_t)sql_column(&s, 0), (uint64_t)sql_column(&s, 1));
        if (rc)
            break;
    }
    sql_done(&s);
    return rc;
}

int catalogue_each_segment(struct catalogue *c, catalogue_visit_any_segment *visit, void *context, struct error *e)
{
    int rc = sql_begin(&c->sql, false, e);
    return rc ? rc : sql_end(&c->sql, each_segment(c, visit, context, e), e);
}
