/* Lists what must move when the rows of a store go to another place, and records where it is then. */
#include "store/catalogue/catalogue_move.h"

#include "store/catalogue/catalogue_internal.h"

#include <errno.h>

static int stored(struct sql_database *d, catalogue_visit_stored *visit, void *context, struct error *e)
{
    struct sql s =
        sql_use(d, "SELECT p.segment, p.recording, p.weight, g.dictionary, p.rows, p.day, p.type, t.name, v.name "
                   "FROM part p JOIN segment g ON g.id = p.segment JOIN type t ON t.id = p.type JOIN service v ON v.id = p.service "
                   "WHERE g.bad IS NULL ORDER BY p.day, g.dictionary, p.type, p.segment, p.recording");
    int rc;
    while ((rc = sql_step(&s, e)) > 0) {
        const struct catalogue_stored p = {.segment = (uint64_t)sql_column(&s, 0),
                                           .recording = (uint64_t)sql_column(&s, 1),
                                           .weight = (uint64_t)sql_column(&s, 2),
                                           .dictionary = (uint32_t)sql_column(&s, 3),
                                           .rows = (uint32_t)sql_column(&s, 4),
                                           .day = sql_column(&s, 5),
                                           .type_id = sql_column(&s, 6),
                                           .type = sql_column_text(&s, 7),
                                           .service = sql_column_text(&s, 8)};
        rc = visit(context, &p);
        if (rc)
            break;
    }
    sql_done(&s);
    return rc;
}

int catalogue_stored(struct catalogue *c, catalogue_visit_stored *visit, void *context, struct error *e)
{
    struct catalogue_reader *r;
    int rc = catalogue_read_begin(c, NULL, &r, e);
    return rc ? rc : catalogue_read_end(c, r, stored(&r->sql, visit, context, e), e);
}

static int move_part(struct sql_database *d, const struct catalogue_moved *m, struct error *e)
{
    struct sql g = sql_use(d, "INSERT INTO segment (id, dictionary, rows, bytes, small) VALUES (?, ?, ?, ?, ?)");
    sql_int(&g, (int64_t)m->segment);
    sql_int(&g, m->before.dictionary);
    sql_int(&g, m->rows);
    sql_int(&g, (int64_t)m->bytes);
    sql_int(&g, m->rows <= CATALOGUE_SMALL_ROWS);
    int rc = sql_run(&g, 0, e);
    struct sql p = sql_use(d, "UPDATE part SET segment = ?, rows = ? WHERE recording = ? AND type = ? AND day = ? AND segment = ?");
    sql_int(&p, (int64_t)m->segment);
    sql_int(&p, m->rows);
    sql_int(&p, (int64_t)m->before.recording);
    sql_int(&p, m->before.type_id);
    sql_int(&p, m->before.day);
    sql_int(&p, (int64_t)m->before.segment);
    rc = sql_run(&p, rc, e);
    if (!rc && sqlite3_changes(d->db) != 1)
        rc = error_set(e, -EAGAIN, "recording %llu has changed meanwhile", (unsigned long long)m->before.recording);
    return rc;
}

int catalogue_move(struct catalogue *c, const struct catalogue_moved *list, uint32_t count, struct error *e)
{
    int rc = sql_begin_unsynced(&c->sql, NULL, e);
    if (rc)
        return rc;
    for (uint32_t i = 0; !rc && i < count; i++)
        rc = move_part(&c->sql, &list[i], e);
    return sql_end(&c->sql, rc, e);
}

int catalogue_move_end(struct catalogue *c, uint64_t last, struct error *e)
{
    int rc = sql_begin_unsynced(&c->sql, NULL, e);
    if (rc)
        return rc;
    struct sql g = sql_use(&c->sql, "DELETE FROM segment WHERE bad IS NULL AND id <= ?");
    sql_int(&g, (int64_t)last);
    rc = sql_run(&g, 0, e);
    struct sql f = sql_use(&c->sql, "DELETE FROM rollup_file WHERE rollup IN (SELECT id FROM rollup WHERE stale)");
    return sql_end(&c->sql, sql_run(&f, rc, e), e);
}

/* The sums of services follow what is added and removed. */
static int move_rollup(struct sql_database *d, const struct catalogue_rollup_file *f, struct error *e)
{
    struct sql find = sql_use(d, "SELECT rollup FROM rollup_file WHERE number = ?");
    sql_int(&find, (int64_t)f->number);
    int rc = sql_step(&find, e);
    int64_t rollup = rc > 0 ? sql_column(&find, 0) : 0;
    sql_done(&find);
    if (rc <= 0)
        return rc ? rc : error_set(e, -EAGAIN, "roll-up %llu has changed meanwhile", (unsigned long long)f->number);
    struct sql gone = sql_use(d, "DELETE FROM rollup_file WHERE number = ?");
    sql_int(&gone, (int64_t)f->number);
    rc = sql_run(&gone, 0, e);
    struct sql s = sql_use(d, "INSERT INTO rollup_file (rollup, dictionary, number, rows, bytes) VALUES (?, ?, ?, ?, ?)");
    sql_int(&s, rollup);
    sql_int(&s, f->dictionary);
    sql_int(&s, (int64_t)f->number);
    sql_int(&s, f->rows);
    sql_int(&s, (int64_t)f->bytes);
    return sql_run(&s, rc, e);
}

int catalogue_move_rollup(struct catalogue *c, const struct catalogue_rollup_file *f, struct error *e)
{
    int rc = sql_begin_unsynced(&c->sql, NULL, e);
    return rc ? rc : sql_end(&c->sql, move_rollup(&c->sql, f, e), e);
}
