/* Deletes old data from the catalog. */
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

/* What goes: what is before, a day or, for recordings as they were sent, a second; of a service or, with 0, of all. */
struct drop {
    int64_t before, service;
    enum catalogue_why why;
};

#define OF_DAYS       "day < ?1 AND (?2 = 0 OR service = ?2)"
#define OF_DICTIONARY "dictionary IN (SELECT id FROM dictionary WHERE " OF_DAYS ")"
#define OF_PARTS      "day < ?1 AND (?2 = 0 OR recording IN (SELECT id FROM recording WHERE service = ?2))"
#define OF_BOOKS      "minute < ?1 * 1440 AND (?2 = 0 OR recording IN (SELECT id FROM recording WHERE service = ?2))"
/* Recordings that have nothing left: they ended before that day. */
#define OF_RECORDINGS "FROM recording r WHERE r.last < ?1 * 86400 AND NOT EXISTS (SELECT 1 FROM part p WHERE p.recording = r.id)"

static int list_dictionaries(struct catalogue *c, const struct drop *drop, struct catalogue_dropped *d, struct error *e)
{
    struct sql s = sql_use(&c->sql, "SELECT id FROM dictionary WHERE " OF_DAYS);
    int rc;
    sql_int(&s, drop->before);
    sql_int(&s, drop->service);
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

static int list_recordings(struct catalogue *c, const struct drop *drop, struct catalogue_dropped *d, struct error *e)
{
    struct sql s = sql_use(&c->sql, "SELECT r.identity " OF_RECORDINGS);
    int rc;
    sql_int(&s, drop->before);
    while ((rc = sql_step(&s, e)) > 0)
        if (note_identity(d, &s, 0)) {
            rc = error_set(e, -ENOMEM, "out of memory");
            break;
        }
    sql_done(&s);
    return rc;
}

/* drop: what the statement's one or two parameters are, or NULL. */
static int delete_some(struct catalogue *c, const char *text, const struct drop *drop, struct error *e)
{
    struct sql s = sql_use(&c->sql, text);
    if (drop)
        sql_int(&s, drop->before);
    if (sqlite3_bind_parameter_count(s.statement) > 1)
        sql_int(&s, drop->service);
    return sql_run(&s, 0, e);
}

/* What goes is noted for as long as somebody may ask for its time. sum() fails when it overflows, and what senders claim must not keep
 * anything from being deleted: so halves are summed up, and what is too much becomes a real number, which the cast bounds. */
static int note_forgotten(struct catalogue *c, const struct drop *drop, struct error *e)
{
    struct sql s =
        sql_use(&c->sql, "INSERT INTO forgotten SELECT s.name, p.day, t.name, ?3, count(*), sum(p.rows), "
                         "CAST(sum(p.weight >> 32) * 4294967296 + sum(p.weight & 4294967295) AS INTEGER), min(p.first), max(p.last) "
                         "FROM part p JOIN recording r ON r.id = p.recording JOIN service s ON s.id = r.service "
                         "JOIN type t ON t.id = p.type WHERE p.day < ?1 AND (?2 = 0 OR r.service = ?2) GROUP BY s.name, p.day, t.name "
                         "ON CONFLICT DO UPDATE SET parts = parts + excluded.parts, "
                         "rows = rows + excluded.rows, weight = CAST(weight + excluded.weight AS INTEGER), "
                         "first = min(first, excluded.first), last = max(last, excluded.last)");
    sql_int(&s, drop->before);
    sql_int(&s, drop->service);
    sql_int(&s, drop->why);
    int rc = sql_run(&s, 0, e);
    struct sql old = sql_use(&c->sql, "DELETE FROM forgotten WHERE day < ?");
    sql_int(&old, drop->before - FORGOTTEN_DAYS);
    return sql_run(&old, rc, e);
}

static int drop_days(struct catalogue *c, const struct drop *drop, struct catalogue_dropped *d, struct error *e)
{
    int rc = list_dictionaries(c, drop, d, e);
    rc = rc ? rc : note_forgotten(c, drop, e);
    rc = rc ? rc : delete_some(c, "DELETE FROM book WHERE " OF_BOOKS, drop, e);
    rc = rc ? rc : delete_some(c, "DELETE FROM part WHERE " OF_PARTS, drop, e);
    rc = rc ? rc : delete_some(c, "DELETE FROM segment WHERE " OF_DICTIONARY, drop, e);
    rc = rc ? rc : delete_some(c, "DELETE FROM dictionary WHERE " OF_DAYS, drop, e);
    rc = rc ? rc : list_recordings(c, drop, d, e);
    rc = rc ? rc : delete_some(c, "DELETE FROM book WHERE recording IN (SELECT r.id " OF_RECORDINGS ")", drop, e);
    rc = rc ? rc : delete_some(c, "DELETE FROM content WHERE recording IN (SELECT r.id " OF_RECORDINGS ")", drop, e);
    rc = rc ? rc : delete_some(c, "DELETE FROM recording WHERE id IN (SELECT r.id " OF_RECORDINGS ")", drop, e);
    rc = rc ? rc : delete_some(c, "DELETE FROM label WHERE labelset NOT IN (SELECT labelset FROM recording)", NULL, e);
    return rc ? rc : delete_some(c, "DELETE FROM labelset WHERE id NOT IN (SELECT labelset FROM recording)", NULL, e);
}

int catalogue_drop_before(struct catalogue *c, uint64_t service, int64_t day, enum catalogue_why why, struct catalogue_dropped *dropped,
                          struct error *e)
{
    const struct drop drop = {day, (int64_t)service, why};
    *dropped = (struct catalogue_dropped){0};
    int rc = sql_begin(&c->sql, true, e);
    return rc ? rc : sql_end(&c->sql, drop_days(c, &drop, dropped, e), e);
}

/* ---- recordings as they were sent ---- */

#define RAW_ALL     "r.raw AND r.last < ?1"
#define RAW_OF_ONE  "r.raw AND r.last < ?1 AND r.service = ?2"
#define RAW_COLUMNS "SELECT r.id, r.identity, r.bytes FROM recording r WHERE "
#define RAW_SEALED  " AND NOT EXISTS (SELECT 1 FROM part p WHERE p.recording = r.id AND p.segment IS NULL) ORDER BY r.last, r.id"

static int forget_file(struct catalogue *c, int64_t id, struct error *e)
{
    struct sql s = sql_use(&c->sql, "UPDATE recording SET raw = 0 WHERE id = ?");
    sql_int(&s, id);
    return sql_run(&s, 0, e);
}

struct raw {
    int64_t *ids;
    uint32_t count, cap;
};

static int list_raw(struct catalogue *c, const struct drop *drop, uint64_t bytes, struct raw *list, struct catalogue_dropped *d,
                    struct error *e)
{
    struct sql s = sql_use(&c->sql, drop->service ? RAW_COLUMNS RAW_OF_ONE RAW_SEALED : RAW_COLUMNS RAW_ALL RAW_SEALED);
    int rc = 0;
    sql_int(&s, drop->before);
    if (drop->service)
        sql_int(&s, drop->service);
    while (d->raw_bytes < bytes && list->count < CATALOGUE_DROP_MAX && (rc = sql_step(&s, e)) > 0) {
        if (ARRAY_GROW(list->ids, list->cap, list->count) || note_identity(d, &s, 1)) {
            rc = error_set(e, -ENOMEM, "out of memory");
            break;
        }
        list->ids[list->count++] = sql_column(&s, 0);
        d->raw_bytes += (uint64_t)sql_column(&s, 2);
    }
    sql_done(&s);
    return rc < 0 ? rc : 0;
}

static int drop_raw(struct catalogue *c, const struct drop *drop, uint64_t bytes, struct catalogue_dropped *d, struct error *e)
{
    struct raw list = {0};
    int rc = list_raw(c, drop, bytes, &list, d, e);
    for (uint32_t i = 0; !rc && i < list.count; i++)
        rc = forget_file(c, list.ids[i], e);
    free(list.ids);
    return rc;
}

int catalogue_drop_raw(struct catalogue *c, uint64_t service, int64_t before, uint64_t bytes, struct catalogue_dropped *dropped,
                       struct error *e)
{
    const struct drop drop = {.before = before, .service = (int64_t)service};
    *dropped = (struct catalogue_dropped){0};
    int rc = sql_begin(&c->sql, true, e);
    return rc ? rc : sql_end(&c->sql, drop_raw(c, &drop, bytes, dropped, e), e);
}

void catalogue_dropped_deinit(struct catalogue_dropped *dropped)
{
    free(dropped->dictionaries);
    free(dropped->identities);
    *dropped = (struct catalogue_dropped){0};
}
