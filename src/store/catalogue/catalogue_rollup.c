/* Records in the catalog which roll-ups there are, and finds those that are due. */
#include "store/catalogue/catalogue_rollup.h"

#include "store/catalogue/catalogue_internal.h"

#include <errno.h>

struct catalogue_rollup catalogue_rollup_of(const struct sql *s)
{
    return (struct catalogue_rollup){
        .id = (uint64_t)sql_column(s, 0),
        .service = (uint64_t)sql_column(s, 1),
        .day = sql_column(s, 2),
        .type = sql_column(s, 3),
        .step = (uint32_t)sql_column(s, 4),
        .until = (uint32_t)sql_column(s, 5),
        .stale = sql_column(s, 6) != 0,
        .gone = sql_column(s, 7) != 0,
        .summary = sqlite3_column_blob(s->statement, 8),
        .summary_size = (size_t)sqlite3_column_bytes(s->statement, 8),
    };
}

static int visit_all(struct sql *s, catalogue_visit_rollup *visit, void *context, struct error *e)
{
    int rc;
    while ((rc = sql_step(s, e)) > 0) {
        struct catalogue_rollup u = catalogue_rollup_of(s);
        rc = visit(context, &u);
        if (rc)
            break;
    }
    sql_done(s);
    return rc;
}

/* A roll-up is not made beside one of another step whose rows are deleted: it would have only the parts that came later, and these are read
 * from their rows. */
static int hours_due(struct sql_database *d, const struct catalogue_rollup_rule *rule, catalogue_visit_rollup *visit, void *context,
                     struct error *e)
{
    struct sql s = sql_use(d, "SELECT " CATALOGUE_ROLLUP_COLUMNS " FROM rollup u INDEXED BY rollup_due WHERE u.step = 3600 AND NOT u.gone "
                              "AND (u.stale OR u.until < 86400) AND (NOT u.stale OR u.made < ?3) AND "
                              "CASE WHEN u.stale THEN 0 ELSE u.until END < "
                              "CASE WHEN u.day < ?1 THEN 86400 WHEN u.day = ?1 THEN ?2 ELSE 0 END AND NOT EXISTS (SELECT 1 FROM rollup o "
                              "WHERE o.service = u.service AND o.day = u.day AND o.type = u.type AND o.step <> u.step AND o.gone) "
                              "ORDER BY u.day");
    sql_int(&s, rule->day);
    sql_int(&s, rule->until);
    sql_int(&s, rule->again);
    return visit_all(&s, visit, context, e);
}

static int days_due(struct sql_database *d, catalogue_visit_rollup *visit, void *context, struct error *e)
{
    struct sql s =
        sql_use(d, "SELECT " CATALOGUE_ROLLUP_COLUMNS " FROM rollup u INDEXED BY rollup_due JOIN rollup h ON h.service = u.service "
                   "AND h.day = u.day AND h.type = u.type AND h.step = 3600 AND h.gone = u.gone WHERE u.step = 86400 "
                   "AND (u.stale OR u.until < 86400) AND h.until = 86400 AND NOT h.stale ORDER BY u.day");
    return visit_all(&s, visit, context, e);
}

int catalogue_rollups_due(struct catalogue *c, uint32_t step, const struct catalogue_rollup_rule *rule, catalogue_visit_rollup *visit,
                          void *context, struct error *e)
{
    struct catalogue_reader *r;
    int rc = catalogue_read_begin(c, NULL, &r, e);
    if (rc)
        return rc;
    rc = step == 3600 ? hours_due(&r->sql, rule, visit, context, e) : days_due(&r->sql, visit, context, e);
    return catalogue_read_end(c, r, rc, e);
}

static int get(struct sql_database *d, uint64_t service, int64_t day, int64_t type, uint32_t step, catalogue_visit_rollup *visit,
               void *context, struct error *e)
{
    struct sql s =
        sql_use(d, "SELECT " CATALOGUE_ROLLUP_COLUMNS " FROM rollup u WHERE u.service = ? AND u.day = ? AND u.type = ? AND u.step = ? "
                   "AND u.until = 86400 AND NOT u.stale");
    sql_int(&s, (int64_t)service);
    sql_int(&s, day);
    sql_int(&s, type);
    sql_int(&s, step);
    int rc = sql_step(&s, e);
    if (rc > 0) {
        struct catalogue_rollup u = catalogue_rollup_of(&s);
        rc = visit(context, &u);
    } else if (!rc) {
        rc = error_set(e, -ENOENT, "no such roll-up");
    }
    sql_done(&s);
    return rc;
}

int catalogue_rollup_get(struct catalogue *c, uint64_t service, int64_t day, int64_t type, uint32_t step, catalogue_visit_rollup *visit,
                         void *context, struct error *e)
{
    struct catalogue_reader *r;
    int rc = catalogue_read_begin(c, NULL, &r, e);
    return rc ? rc : catalogue_read_end(c, r, get(&r->sql, service, day, type, step, visit, context, e), e);
}

/* ---- files ---- */

static int visit_files(struct sql *s, catalogue_visit_rollup_file *visit, void *context, struct error *e)
{
    int rc;
    while ((rc = sql_step(s, e)) > 0) {
        const struct catalogue_rollup_file f = {(uint32_t)sql_column(s, 0), (uint32_t)sql_column(s, 1), (uint64_t)sql_column(s, 2),
                                                (uint64_t)sql_column(s, 3)};
        rc = visit(context, &f);
        if (rc)
            break;
    }
    sql_done(s);
    return rc;
}

int catalogue_rollup_files_of(struct sql_database *d, uint64_t rollup, catalogue_visit_rollup_file *visit, void *context, struct error *e)
{
    struct sql s = sql_use(d, "SELECT dictionary, rows, number, bytes FROM rollup_file WHERE rollup = ? ORDER BY dictionary");
    sql_int(&s, (int64_t)rollup);
    return visit_files(&s, visit, context, e);
}

int catalogue_rollup_files(struct catalogue *c, uint64_t rollup, catalogue_visit_rollup_file *visit, void *context, struct error *e)
{
    struct catalogue_reader *r;
    int rc = catalogue_read_begin(c, NULL, &r, e);
    return rc ? rc : catalogue_read_end(c, r, catalogue_rollup_files_of(&r->sql, rollup, visit, context, e), e);
}

static int files_in(struct sql_database *d, uint32_t dictionary, catalogue_visit_rollup_file *visit, void *context, struct error *e)
{
    struct sql s = sql_use(d, "SELECT dictionary, rows, number, bytes FROM rollup_file WHERE dictionary = ?");
    sql_int(&s, dictionary);
    return visit_files(&s, visit, context, e);
}

int catalogue_rollup_files_in(struct catalogue *c, uint32_t dictionary, catalogue_visit_rollup_file *visit, void *context, struct error *e)
{
    struct catalogue_reader *r;
    int rc = catalogue_read_begin(c, NULL, &r, e);
    return rc ? rc : catalogue_read_end(c, r, files_in(&r->sql, dictionary, visit, context, e), e);
}

static int good_files(struct sql_database *d, catalogue_visit_rollup_file *visit, void *context, struct error *e)
{
    struct sql s = sql_use(d, "SELECT f.dictionary, f.rows, f.number, f.bytes FROM rollup_file f JOIN rollup u ON u.id = f.rollup "
                              "WHERE NOT u.stale ORDER BY f.dictionary, f.number");
    return visit_files(&s, visit, context, e);
}

int catalogue_good_rollup_files(struct catalogue *c, catalogue_visit_rollup_file *visit, void *context, struct error *e)
{
    struct catalogue_reader *r;
    int rc = catalogue_read_begin(c, NULL, &r, e);
    return rc ? rc : catalogue_read_end(c, r, good_files(&r->sql, visit, context, e), e);
}

int catalogue_rollup_last(struct catalogue *c, uint64_t *number, struct error *e)
{
    struct catalogue_reader *r;
    *number = 0;
    int rc = catalogue_read_begin(c, NULL, &r, e);
    if (rc)
        return rc;
    struct sql s = sql_use(&r->sql, "SELECT coalesce(max(number), 0) FROM rollup_file");
    rc = sql_step(&s, e);
    *number = rc > 0 ? (uint64_t)sql_column(&s, 0) : 0;
    sql_done(&s);
    return catalogue_read_end(c, r, rc < 0 ? rc : 0, e);
}

/* ---- parts ---- */

#define OF_PARTS                                                                                                                           \
    "FROM part p JOIN recording r ON r.id = p.recording LEFT JOIN segment g ON g.id = p.segment "                                          \
    "WHERE p.service = ?5 AND p.day = ?1 AND p.type = ?2 AND p.last >= ?3 AND p.first < ?4"

static struct sql use_parts(struct sql_database *d, const char *text, const struct catalogue_rollup *u, int64_t from, int64_t to)
{
    struct sql s = sql_use(d, text);
    sql_int(&s, u->day);
    sql_int(&s, u->type);
    sql_int(&s, from);
    sql_int(&s, to);
    sql_int(&s, (int64_t)u->service);
    return s;
}

static struct catalogue_rollup_part part_of(const struct sql *s)
{
    bool sealed = sqlite3_column_type(s->statement, 2) != SQLITE_NULL, none = sqlite3_column_type(s->statement, 1) == SQLITE_NULL;
    return (struct catalogue_rollup_part){
        .state = sealed ? PART_SEALED
                 : none ? PART_UNSEALED
                        : PART_LOST,
        .recording = (uint64_t)sql_column(s, 0),
        .segment = (uint64_t)sql_column(s, 1),
        .dictionary = (uint32_t)sql_column(s, 2),
        .rows = (uint64_t)sql_column(s, 3),
        .weight = (uint64_t)sql_column(s, 4),
        .first = sql_column(s, 5),
        .last = sql_column(s, 6),
        .labelset = (uint64_t)sql_column(s, 7),
        .flawed = sql_column(s, 8) != 0,
        .begun = sql_column(s, 9),
        .ended = sql_column(s, 10),
        .recording_first = sql_column(s, 11),
        .recording_last = sql_column(s, 12),
    };
}

static int parts(struct sql_database *d, const struct catalogue_rollup *u, int64_t from, int64_t to, catalogue_visit_rollup_part *visit,
                 void *context, struct error *e)
{
    struct sql s = use_parts(d,
                             "SELECT p.recording, p.segment, g.dictionary, p.rows, p.weight, p.first, p.last, r.labelset, r.flaws, "
                             "coalesce(r.begun, r.first), coalesce(r.ended, r.last + 1), r.first, r.last " OF_PARTS
                             " ORDER BY g.dictionary, p.segment",
                             u, from, to);
    int rc;
    while ((rc = sql_step(&s, e)) > 0) {
        struct catalogue_rollup_part one = part_of(&s);
        rc = visit(context, &one);
        if (rc)
            break;
    }
    sql_done(&s);
    return rc;
}

int catalogue_rollup_parts(struct catalogue *c, const struct catalogue_rollup *u, int64_t from, int64_t to,
                           catalogue_visit_rollup_part *visit, void *context, struct error *e)
{
    struct catalogue_reader *r;
    int rc = catalogue_read_begin(c, NULL, &r, e);
    return rc ? rc : catalogue_read_end(c, r, parts(&r->sql, u, from, to, visit, context, e), e);
}

/* ---- made ---- */

/* Returns 0 if all that the roll-up was made from is as it was. */
static int unchanged(struct catalogue *c, const struct catalogue_rollup *u, const struct catalogue_rollup_made *m, struct error *e)
{
    struct sql s = sql_use(&c->sql, "SELECT 1 FROM rollup WHERE id = ?1 AND until = ?2 AND stale = ?3");
    sql_int(&s, (int64_t)u->id);
    sql_int(&s, u->until);
    sql_int(&s, u->stale);
    int rc = sql_step(&s, e);
    sql_done(&s);
    if (rc > 0 && u->step != 3600) {
        struct sql h = sql_use(&c->sql, "SELECT 1 FROM rollup WHERE service = ? AND day = ? AND type = ? AND step = 3600 "
                                        "AND until = 86400 AND NOT stale");
        sql_int(&h, (int64_t)u->service);
        sql_int(&h, u->day);
        sql_int(&h, u->type);
        rc = sql_step(&h, e);
        sql_done(&h);
    } else if (rc > 0) {
        struct sql p = use_parts(&c->sql, "SELECT count(*) " OF_PARTS, u, m->from, m->to);
        rc = sql_step(&p, e);
        rc = rc > 0 && (uint64_t)sql_column(&p, 0) != m->parts ? 0 : rc;
        sql_done(&p);
    }
    return rc < 0 ? rc : rc ? 0 : error_set(e, -EAGAIN, "a roll-up has changed");
}

static int forget_content(struct catalogue *c, uint64_t id, struct error *e)
{
    struct sql files = sql_use(&c->sql, "DELETE FROM rollup_file WHERE rollup = ?"),
               sets = sql_use(&c->sql, "DELETE FROM rolled WHERE rollup = ?");
    sql_int(&files, (int64_t)id);
    sql_int(&sets, (int64_t)id);
    int rc = sql_run(&files, 0, e);
    return sql_run(&sets, rc, e);
}

static int add_content(struct catalogue *c, uint64_t id, const struct catalogue_rollup_made *m, struct error *e)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < m->file_count; i++) {
        struct sql s = sql_use(&c->sql, "INSERT INTO rollup_file (rollup, dictionary, number, rows, bytes) VALUES (?, ?, ?, ?, ?)");
        sql_int(&s, (int64_t)id);
        sql_int(&s, m->files[i].dictionary);
        sql_int(&s, (int64_t)m->files[i].number);
        sql_int(&s, m->files[i].rows);
        sql_int(&s, (int64_t)m->files[i].bytes);
        rc = sql_run(&s, 0, e);
    }
    for (uint32_t i = 0; !rc && i < m->labelset_count; i++) {
        struct sql s = sql_use(&c->sql, "INSERT INTO rolled (labelset, rollup) VALUES (?, ?)");
        sql_int(&s, (int64_t)m->labelsets[i]);
        sql_int(&s, (int64_t)id);
        rc = sql_run(&s, 0, e);
    }
    return rc;
}

static int made(struct catalogue *c, const struct catalogue_rollup *u, const struct catalogue_rollup_made *m, struct error *e)
{
    int rc = unchanged(c, u, m, e);
    rc = rc ? rc : forget_content(c, u->id, e);
    rc = rc ? rc : add_content(c, u->id, m, e);
    struct sql s = sql_use(&c->sql, "UPDATE rollup SET until = ?2, stale = 0, made = ?3, recordings = ?4, rows = ?5, weight = ?6, "
                                    "summary = ?7, first = ?8, last = ?9 WHERE id = ?1");
    sql_int(&s, (int64_t)u->id);
    sql_int(&s, m->until);
    sql_int(&s, m->made);
    sql_int(&s, (int64_t)m->recordings);
    sql_int(&s, (int64_t)m->rows);
    sql_int(&s, m->weight > INT64_MAX ? INT64_MAX : (int64_t)m->weight);
    sql_blob(&s, m->summary, m->summary_size);
    sql_int(&s, m->first);
    sql_int(&s, m->last);
    return sql_run(&s, rc, e);
}

int catalogue_rollup_made(struct catalogue *c, const struct catalogue_rollup *u, const struct catalogue_rollup_made *m, struct error *e)
{
    int rc = sql_begin(&c->sql, true, e);
    return rc ? rc : sql_end(&c->sql, made(c, u, m, e), e);
}

int catalogue_rollup_bad(struct catalogue *c, uint64_t number, struct error *e)
{
    int rc = sql_begin(&c->sql, true, e);
    if (rc)
        return rc;
    struct sql s = sql_use(&c->sql, "UPDATE rollup SET stale = 1 WHERE id = (SELECT rollup FROM rollup_file WHERE number = ?)");
    sql_int(&s, (int64_t)number);
    return sql_end(&c->sql, sql_run(&s, 0, e), e);
}

static int covers_day(struct sql_database *d, uint64_t service, int64_t day, bool *covers, struct error *e)
{
    struct sql s = sql_use(d, "SELECT 1 FROM rollup WHERE service = ? AND day = ? AND step = 3600 AND NOT gone "
                              "AND (until < 86400 OR stale)");
    sql_int(&s, (int64_t)service);
    sql_int(&s, day);
    int rc = sql_step(&s, e);
    *covers = !rc;
    sql_done(&s);
    return rc < 0 ? rc : 0;
}

int catalogue_rollup_covers(struct catalogue *c, uint64_t service, int64_t day, bool *covers, struct error *e)
{
    struct catalogue_reader *r;
    int rc = catalogue_read_begin(c, NULL, &r, e);
    return rc ? rc : catalogue_read_end(c, r, covers_day(&r->sql, service, day, covers, e), e);
}

/* ---- deleted rows ---- */

static int gone(struct sql_database *d, int64_t from, int64_t to, catalogue_visit_forgotten *visit, void *context, struct error *e)
{
    struct sql s = sql_use(d, "SELECT s.name, t.name, max(u.recordings), max(u.rows), max(u.weight) FROM rollup u "
                              "JOIN service s ON s.id = u.service JOIN type t ON t.id = u.type "
                              "WHERE u.day BETWEEN ?1 / 86400 AND (?2 - 1) / 86400 AND u.gone AND u.until > 0 "
                              "GROUP BY u.service, u.day, u.type");
    int rc;
    sql_int(&s, from);
    sql_int(&s, to);
    while ((rc = sql_step(&s, e)) > 0) {
        const struct catalogue_forgotten f = {.service = sql_column_text(&s, 0),
                                              .type = sql_column_text(&s, 1),
                                              .why = FORGOTTEN_RETAIN,
                                              .parts = (uint64_t)sql_column(&s, 2),
                                              .rows = (uint64_t)sql_column(&s, 3),
                                              .weight = (uint64_t)sql_column(&s, 4)};
        rc = visit(context, &f);
        if (rc)
            break;
    }
    sql_done(&s);
    return rc;
}

int catalogue_rollups_gone(struct catalogue *c, int64_t from, int64_t to, const struct catalogue_patience *patience,
                           catalogue_visit_forgotten *visit, void *context, struct error *e)
{
    struct catalogue_reader *r;
    int rc = catalogue_read_begin(c, patience, &r, e);
    return rc ? rc : catalogue_read_end(c, r, gone(&r->sql, from, to, visit, context, e), e);
}
