/* Forgetting. */
#include "store/catalogue/catalogue_internal.h"

#include "base/array.h"

#include <string.h>

enum { FORGOTTEN_DAYS = 400 };

static int note_identity(struct catalogue_dropped *d, const struct sql *s, int column)
{
    if (ARRAY_GROW(d->identities, d->identity_cap, d->identity_count))
        return -ENOMEM;
    const void *identity = sqlite3_column_blob(s->statement, column);
    if (identity && sqlite3_column_bytes(s->statement, column) == ENVELOPE_IDENTITY)
        memcpy(d->identities[d->identity_count++], identity, ENVELOPE_IDENTITY);
    return 0;
}

static int list_dictionaries(struct catalogue *c, int64_t day, struct catalogue_dropped *d, struct error *e)
{
    struct sql s = sql_use(&c->sql, "SELECT id FROM dictionary WHERE day < ?");
    int rc;
    sql_int(&s, day);
    while ((rc = sql_step(&s, e)) > 0) {
        if (ARRAY_GROW(d->dictionaries, d->dictionary_cap, d->dictionary_count)) {
            rc = error_set(e, -ENOMEM, "out of memory");
            break;
        }
        d->dictionaries[d->dictionary_count++] = (uint32_t)sql_column(&s, 0);
    }
    sql_done(&s);
    return rc;
}

static int list_recordings(struct catalogue *c, struct catalogue_dropped *d, struct error *e)
{
    struct sql s = sql_use(
        &c->sql, "SELECT identity FROM recording r WHERE NOT EXISTS (SELECT 1 FROM part p WHERE p.recording = r.id)");
    int rc;
    while ((rc = sql_step(&s, e)) > 0)
        if (note_identity(d, &s, 0)) {
            rc = error_set(e, -ENOMEM, "out of memory");
            break;
        }
    sql_done(&s);
    return rc;
}

static int delete_before(struct catalogue *c, const char *text, int64_t day, bool bound, struct error *e)
{
    struct sql s = sql_use(&c->sql, text);
    if (bound)
        sql_int(&s, day);
    return sql_run(&s, 0, e);
}

/* What goes is noted for as long as somebody may ask for its time. sum() fails when it overflows, and what senders claim must not keep
 * anything from being deleted: so halves are summed up, and what is too much becomes a real number, which the cast bounds. */
static int note_forgotten(struct catalogue *c, int64_t day, enum catalogue_why why, struct error *e)
{
    struct sql s = sql_use(
        &c->sql, "INSERT INTO forgotten SELECT s.name, p.day, t.name, ?2, count(*), sum(p.rows), "
                 "CAST(sum(p.weight >> 32) * 4294967296 + sum(p.weight & 4294967295) AS INTEGER), min(p.first), max(p.last) "
                 "FROM part p JOIN recording r ON r.id = p.recording JOIN service s ON s.id = r.service "
                 "JOIN type t ON t.id = p.type WHERE p.day < ?1 GROUP BY s.name, p.day, t.name "
                 "ON CONFLICT DO UPDATE SET parts = parts + excluded.parts, "
                 "rows = rows + excluded.rows, weight = CAST(weight + excluded.weight AS INTEGER), "
                 "first = min(first, excluded.first), last = max(last, excluded.last)");
    sql_int(&s, day);
    sql_int(&s, why);
    int rc = sql_run(&s, 0, e);
    return rc ? rc : delete_before(c, "DELETE FROM forgotten WHERE day < ?", day - FORGOTTEN_DAYS, true, e);
}

static int drop_before(struct catalogue *c, int64_t day, enum catalogue_why why, struct catalogue_dropped *d, struct error *e)
{
    int rc = list_dictionaries(c, day, d, e);
    rc = rc ? rc : note_forgotten(c, day, why, e);
    rc = rc ? rc : delete_before(c, "DELETE FROM part WHERE day < ?", day, true, e);
    rc = rc ? rc
            : delete_before(c, "DELETE FROM segment WHERE dictionary IN (SELECT id FROM dictionary WHERE day < ?)", day,
                            true, e);
    rc = rc ? rc : delete_before(c, "DELETE FROM dictionary WHERE day < ?", day, true, e);
    rc = rc ? rc : list_recordings(c, d, e);
    rc = rc ? rc
            : delete_before(
                  c, "DELETE FROM recording WHERE NOT EXISTS (SELECT 1 FROM part WHERE part.recording = recording.id)",
                  0, false, e);
    rc = rc ? rc : delete_before(c, "DELETE FROM content WHERE recording NOT IN (SELECT id FROM recording)", 0, false, e);
    rc = rc ? rc
            : delete_before(c, "DELETE FROM label WHERE labelset NOT IN (SELECT labelset FROM recording)", 0, false, e);
    return rc ? rc
              : delete_before(c, "DELETE FROM labelset WHERE id NOT IN (SELECT labelset FROM recording)", 0, false, e);
}

int catalogue_drop_before(struct catalogue *c, int64_t day, enum catalogue_why why, struct catalogue_dropped *dropped, struct error *e)
{
    *dropped = (struct catalogue_dropped){0};
    int rc = sql_begin(&c->sql, true, e);
    return rc ? rc : sql_end(&c->sql, drop_before(c, day, why, dropped, e), e);
}

static int drop_raw(struct catalogue *c, uint64_t bytes, struct catalogue_dropped *d, struct error *e)
{
    struct sql s =
        sql_use(&c->sql, "SELECT r.id, r.identity, r.bytes FROM recording r WHERE r.raw AND NOT EXISTS "
                         "(SELECT 1 FROM part p WHERE p.recording = r.id AND p.segment IS NULL) ORDER BY r.id");
    uint64_t found = 0;
    int64_t last = 0;
    int rc = 0;
    while (found < bytes && (rc = sql_step(&s, e)) > 0) {
        if (note_identity(d, &s, 1)) {
            rc = error_set(e, -ENOMEM, "out of memory");
            break;
        }
        last = sql_column(&s, 0);
        found += (uint64_t)sql_column(&s, 2);
        rc = 0;
    }
    sql_done(&s);
    if (rc < 0)
        return rc;
    struct sql set = sql_use(&c->sql, "UPDATE recording SET raw = 0 WHERE id <= ? AND raw AND NOT EXISTS "
                                      "(SELECT 1 FROM part p WHERE p.recording = recording.id AND p.segment IS NULL)");
    sql_int(&set, last);
    return sql_run(&set, 0, e);
}

int catalogue_drop_raw(struct catalogue *c, uint64_t bytes, struct catalogue_dropped *dropped, struct error *e)
{
    *dropped = (struct catalogue_dropped){0};
    int rc = sql_begin(&c->sql, true, e);
    return rc ? rc : sql_end(&c->sql, drop_raw(c, bytes, dropped, e), e);
}

void catalogue_dropped_deinit(struct catalogue_dropped *dropped)
{
    free(dropped->dictionaries);
    free(dropped->identities);
    *dropped = (struct catalogue_dropped){0};
}
