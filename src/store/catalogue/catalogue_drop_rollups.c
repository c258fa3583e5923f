/* Deletes old roll-ups from the catalog, and dictionaries that nothing refers to any more. */
#include "store/catalogue/catalogue_internal.h"
#include "store/catalogue/catalogue_rollup.h"

#include "base/array.h"

#include <errno.h>

struct drop {
    int64_t before, service, step;
};

#define OF_TIER "u.day < ?1 AND u.service = ?2 AND u.step = ?3"
/* Of the days, those for which nothing is left, neither segments, nor parts that are to be sealed, nor roll-ups. */
#define IS_EMPTY                                                                                                                           \
    "service = ?2 AND day < ?1 AND NOT EXISTS (SELECT 1 FROM segment g WHERE g.dictionary = dictionary.id) "                               \
    "AND NOT EXISTS (SELECT 1 FROM rollup_file f WHERE f.dictionary = dictionary.id) "                                                     \
    "AND NOT EXISTS (SELECT 1 FROM recording r JOIN part p ON p.recording = r.id WHERE r.service = ?2 AND r.first < ?1 * 86400 "           \
    "AND p.day = dictionary.day)"

static struct sql use(struct catalogue *c, const struct drop *drop, const char *text)
{
    struct sql s = sql_use(&c->sql, text);
    sql_int(&s, drop->before);
    sql_int(&s, drop->service);
    return s;
}

static struct sql use_tier(struct catalogue *c, const struct drop *drop, const char *text)
{
    struct sql s = use(c, drop, text);
    sql_int(&s, drop->step);
    return s;
}

static int list_files(struct catalogue *c, const struct drop *drop, struct catalogue_dropped *d, struct error *e)
{
    struct sql s = use_tier(c, drop, "SELECT f.dictionary, f.number FROM rollup u JOIN rollup_file f ON f.rollup = u.id WHERE " OF_TIER);
    int rc;
    while ((rc = sql_step(&s, e)) > 0)
        if (catalogue_note_file(d, (uint32_t)sql_column(&s, 0), (uint64_t)sql_column(&s, 1), true)) {
            rc = error_set(e, -ENOMEM, "out of memory");
            break;
        }
    sql_done(&s);
    return rc;
}

/* Records what no other roll-up has. */
static int note_forgotten(struct catalogue *c, const struct drop *drop, enum catalogue_why why, struct error *e)
{
    struct sql s = use_tier(
        c, drop,
        "INSERT INTO forgotten SELECT s.name, u.day, t.name, ?4, u.recordings, u.rows, u.weight, u.first, u.last "
        "FROM rollup u JOIN service s ON s.id = u.service JOIN type t ON t.id = u.type "
        "WHERE " OF_TIER " AND u.gone AND u.until > 0 AND NOT EXISTS "
        "(SELECT 1 FROM rollup o WHERE o.service = u.service AND o.day = u.day AND o.type = u.type AND o.step <> u.step AND o.until > 0) "
        "ON CONFLICT DO UPDATE SET parts = parts + excluded.parts, rows = rows + excluded.rows, "
        "weight = CAST(weight + excluded.weight AS INTEGER), first = min(first, excluded.first), "
        "last = max(last, excluded.last)");
    sql_int(&s, why);
    return sql_run(&s, 0, e);
}

static int drop_dictionaries(struct catalogue *c, const struct drop *drop, struct catalogue_dropped *d, struct error *e)
{
    struct sql s = use(c, drop, "SELECT id FROM dictionary WHERE " IS_EMPTY);
    int rc;
    while ((rc = sql_step(&s, e)) > 0) {
        if (ARRAY_GROW(d->dictionaries, d->dictionary_cap, d->dictionary_count)) {
            rc = error_set(e, -ENOMEM, "out of memory");
            break;
        }
        d->dictionaries[d->dictionary_count++] = (uint32_t)sql_column(&s, 0);
    }
    sql_done(&s);
    struct sql gone = use(c, drop, "DELETE FROM dictionary WHERE " IS_EMPTY);
    return sql_run(&gone, rc, e);
}

static int drop_rollups(struct catalogue *c, const struct drop *drop, enum catalogue_why why, struct catalogue_dropped *d, struct error *e)
{
    int rc = list_files(c, drop, d, e);
    rc = rc ? rc : note_forgotten(c, drop, why, e);
    struct sql rollups = use_tier(c, drop, "DELETE FROM rollup AS u WHERE " OF_TIER);
    rc = sql_run(&rollups, rc, e);
    struct sql books = use(c, drop,
                           "DELETE FROM rolled_book WHERE service = ?2 AND hour < ?1 * 24 AND NOT EXISTS "
                           "(SELECT 1 FROM rollup u WHERE u.service = ?2 AND u.day = rolled_book.hour / 24)");
    rc = sql_run(&books, rc, e);
    rc = rc ? rc : drop_dictionaries(c, drop, d, e);
    return rc ? rc : catalogue_drop_labels(c, e);
}

int catalogue_drop_rollups(struct catalogue *c, uint64_t service, uint32_t step, int64_t day, enum catalogue_why why,
                           struct catalogue_dropped *dropped, struct error *e)
{
    const struct drop drop = {day, (int64_t)service, step};
    *dropped = (struct catalogue_dropped){0};
    int rc = sql_begin(&c->sql, true, e);
    return rc ? rc : sql_end(&c->sql, drop_rollups(c, &drop, why, dropped, e), e);
}
