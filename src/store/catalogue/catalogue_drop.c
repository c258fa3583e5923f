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

/* Selects the data to delete: the data of a service (0 = of all services; for recordings as they were sent only) before a day (for
 * recordings as they were sent, before a second). */
struct drop {
    int64_t before, service;
    enum catalogue_why why;
    bool spares_evidence; /* recordings as they were sent that are evidence of open findings, or of alerts, stay */
};

#define IS_EVIDENCE "(EXISTS (SELECT 1 FROM finding WHERE evidence = r.id AND " CATALOGUE_KEEPS ") OR r.id IN (SELECT recording FROM kept))"
/* Conditions whose indexes find the service's data without reading the data of other services. */
#define OF_DAYS       "day < ?1 AND service = ?2"
#define OF_RECORDINGS "recording IN (SELECT id FROM recording WHERE service = ?2 AND first < ?1 * 86400)"
/* Recordings that have no part left and ended before that day. */
#define ENDED                                                                                                                              \
    "FROM recording r WHERE r.service = ?2 AND r.first < ?1 * 86400 AND r.last < ?1 * 86400 "                                              \
    "AND NOT EXISTS (SELECT 1 FROM part p WHERE p.recording = r.id)"

/* A roll-up u of the part's service, day and type that has all its rows, and has not lost them before. */
#define IS_ROLLED                                                                                                                          \
    "EXISTS (SELECT 1 FROM rollup u WHERE u.service = ?2 AND u.day = p.day AND u.type = p.type AND u.until = 86400 AND NOT u.stale "       \
    "AND NOT u.gone)"
/* Roll-ups of the days that do not have them whole, and never will: a day's is made from its hours'. */
#define HALF_ROLLED                                                                                                                        \
    "rollup.service = ?2 AND rollup.day < ?1 AND NOT rollup.gone AND (rollup.until < 86400 OR rollup.stale) AND NOT (rollup.step = 86400 " \
    "AND EXISTS (SELECT 1 FROM rollup h WHERE h.service = rollup.service AND h.day = rollup.day AND h.type = rollup.type "                 \
    "AND h.step = 3600 AND h.until = 86400 AND NOT h.stale))"
#define UNUSED "NOT EXISTS (SELECT 1 FROM rollup_file f WHERE f.dictionary = dictionary.id)"

static const char *const rows_of_days[] = {
    "DELETE FROM book WHERE " OF_RECORDINGS " AND minute < ?1 * 1440",
    "DELETE FROM metric WHERE hour < ?1 * 24 AND service = ?2",
    "DELETE FROM part WHERE " OF_RECORDINGS " AND day < ?1",
    "DELETE FROM segment WHERE dictionary IN (SELECT id FROM dictionary WHERE " OF_DAYS ")",
    "DELETE FROM dictionary WHERE " OF_DAYS " AND " UNUSED,
    "UPDATE rollup SET gone = 1 WHERE service = ?2 AND day < ?1 AND NOT gone",
};

static const char *const ended_recordings[] = {
    "INSERT OR IGNORE INTO going SELECT r.identity " ENDED " AND r.raw",
    "DELETE FROM book WHERE recording IN (SELECT r.id " ENDED ")",
    "DELETE FROM content WHERE recording IN (SELECT r.id " ENDED ")",
    "DELETE FROM recording WHERE id IN (SELECT r.id " ENDED ")",
    "UPDATE recording SET first = ?1 * 86400 WHERE service = ?2 AND first < ?1 * 86400",
};

/* Deletes findings that were last seen in deleted days, except those that a person has silenced, because they would be open if they were
 * seen again. */
static const char old_findings[] = "DELETE FROM finding WHERE service = ?2 AND last < ?1 * 86400 AND state <> 2";

#define NOT_ROLLED(labelset)                                                                                                               \
    " AND NOT EXISTS (SELECT 1 FROM rolled d WHERE d.labelset = " labelset ")"                                                             \
    " AND NOT EXISTS (SELECT 1 FROM rolled_book b WHERE b.labelset = " labelset ")"
static const char *const unused_labels[] = {
    "DELETE FROM label WHERE NOT EXISTS (SELECT 1 FROM recording r WHERE r.labelset = label.labelset)" NOT_ROLLED("label.labelset"),
    "DELETE FROM labelset WHERE NOT EXISTS (SELECT 1 FROM recording r WHERE r.labelset = labelset.id)" NOT_ROLLED("labelset.id"),
};

static struct sql use(struct catalogue *c, const struct drop *drop, const char *text)
{
    struct sql s = sql_use(&c->sql, text);
    sql_int(&s, drop->before);
    sql_int(&s, drop->service);
    return s;
}

static int list_dictionaries(struct catalogue *c, const struct drop *drop, struct catalogue_dropped *d, struct error *e)
{
    struct sql s = use(c, drop, "SELECT id, " UNUSED " FROM dictionary WHERE " OF_DAYS);
    int rc;
    while ((rc = sql_step(&s, e)) > 0) {
        if (!sql_column(&s, 1))
            continue;
        d->day_count++;
        if (ARRAY_GROW(d->dictionaries, d->dictionary_cap, d->dictionary_count)) {
            rc = error_set(e, -ENOMEM, "out of memory");
            break;
        }
        d->dictionaries[d->dictionary_count++] = (uint32_t)sql_column(&s, 0);
    }
    sql_done(&s);
    return rc;
}

int catalogue_note_file(struct catalogue_dropped *d, uint32_t dictionary, uint64_t number, bool rollup)
{
    if (ARRAY_GROW(d->files, d->file_cap, d->file_count))
        return -ENOMEM;
    d->files[d->file_count++] = (struct catalogue_dropped_file){dictionary, number, rollup};
    return 0;
}

/* Lists the segments of dictionaries that stay, because a roll-up needs them. */
static int list_segments(struct catalogue *c, const struct drop *drop, struct catalogue_dropped *d, struct error *e)
{
    struct sql s = use(c, drop,
                       "SELECT g.dictionary, g.id FROM dictionary JOIN segment g ON g.dictionary = dictionary.id WHERE " OF_DAYS
                       " AND NOT " UNUSED " ORDER BY g.dictionary");
    uint32_t last = 0;
    int rc;
    while ((rc = sql_step(&s, e)) > 0) {
        uint32_t dictionary = (uint32_t)sql_column(&s, 0);
        d->day_count += dictionary != last;
        last = dictionary;
        if (catalogue_note_file(d, dictionary, (uint64_t)sql_column(&s, 1), false)) {
            rc = error_set(e, -ENOMEM, "out of memory");
            break;
        }
    }
    sql_done(&s);
    return rc;
}

/* Forgets the roll-ups that do not have the whole of their day, and lists their files. */
static int drop_half_rolled(struct catalogue *c, const struct drop *drop, struct catalogue_dropped *d, struct error *e)
{
    struct sql s = use(c, drop, "SELECT f.dictionary, f.number FROM rollup JOIN rollup_file f ON f.rollup = rollup.id WHERE " HALF_ROLLED);
    int rc;
    while ((rc = sql_step(&s, e)) > 0)
        if (catalogue_note_file(d, (uint32_t)sql_column(&s, 0), (uint64_t)sql_column(&s, 1), true)) {
            rc = error_set(e, -ENOMEM, "out of memory");
            break;
        }
    sql_done(&s);
    struct sql gone = use(c, drop, "DELETE FROM rollup WHERE " HALF_ROLLED);
    return sql_run(&gone, rc, e);
}

static int list_recordings(struct catalogue *c, const struct drop *drop, struct catalogue_dropped *d, struct error *e)
{
    struct sql s = use(c, drop, "SELECT r.identity, r.raw AND " IS_EVIDENCE " " ENDED);
    int rc;
    while ((rc = sql_step(&s, e)) > 0) {
        if (note_identity(d, &s, 0)) {
            rc = error_set(e, -ENOMEM, "out of memory");
            break;
        }
        d->evidence_count += sql_column(&s, 1) != 0;
    }
    sql_done(&s);
    return rc;
}

static int delete_all(struct catalogue *c, const struct drop *drop, const char *const *list, size_t n, struct error *e)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < n; i++) {
        struct sql s = use(c, drop, list[i]);
        rc = sql_run(&s, 0, e);
    }
    return rc;
}

int catalogue_drop_labels(struct catalogue *c, struct error *e)
{
    struct sql labels = sql_use(&c->sql, unused_labels[0]), sets = sql_use(&c->sql, unused_labels[1]);
    int rc = sql_run(&labels, 0, e);
    return sql_run(&sets, rc, e);
}

/* Records what is about to be deleted, so that answers about its time can report it for FORGOTTEN_DAYS days. sum() fails if it overflows,
 * and weights come from senders, which must not be able to prevent a deletion. So the query sums up the two halves of the weights
 * separately. A total that is too large becomes a real number, which CAST bounds. */
static int note_forgotten(struct catalogue *c, const struct drop *drop, struct error *e)
{
    struct sql s = use(c, drop,
                       "INSERT INTO forgotten SELECT s.name, p.day, t.name, ?3, count(*), sum(p.rows), "
                       "CAST(sum(p.weight >> 32) * 4294967296 + sum(p.weight & 4294967295) AS INTEGER), min(p.first), max(p.last) "
                       "FROM recording r JOIN part p ON p.recording = r.id JOIN service s ON s.id = r.service JOIN type t ON t.id = p.type "
                       "WHERE r.service = ?2 AND r.first < ?1 * 86400 AND p.day < ?1 AND NOT " IS_ROLLED " GROUP BY s.name, p.day, t.name "
                       "ON CONFLICT DO UPDATE SET parts = parts + excluded.parts, "
                       "rows = rows + excluded.rows, weight = CAST(weight + excluded.weight AS INTEGER), "
                       "first = min(first, excluded.first), last = max(last, excluded.last)");
    sql_int(&s, drop->why);
    int rc = sql_run(&s, 0, e);
    struct sql old = sql_use(&c->sql, "DELETE FROM forgotten WHERE day < ?");
    sql_int(&old, drop->before - FORGOTTEN_DAYS);
    return sql_run(&old, rc, e);
}

static int drop_days(struct catalogue *c, const struct drop *drop, struct catalogue_dropped *d, struct error *e)
{
    int rc = drop_half_rolled(c, drop, d, e);
    rc = rc ? rc : list_dictionaries(c, drop, d, e);
    rc = rc ? rc : list_segments(c, drop, d, e);
    rc = rc ? rc : note_forgotten(c, drop, e);
    rc = rc ? rc : catalogue_roll_books(c, drop->service, drop->before, e);
    rc = rc ? rc : delete_all(c, drop, rows_of_days, sizeof rows_of_days / sizeof *rows_of_days, e);
    rc = rc ? rc : list_recordings(c, drop, d, e);
    rc = rc ? rc : delete_all(c, drop, ended_recordings, sizeof ended_recordings / sizeof *ended_recordings, e);
    const char *const findings[] = {old_findings};
    if (!rc && drop->why == FORGOTTEN_RETAIN)
        rc = delete_all(c, drop, findings, 1, e);
    return rc ? rc : catalogue_drop_labels(c, e);
}

int catalogue_drop_before(struct catalogue *c, uint64_t service, int64_t day, enum catalogue_why why, struct catalogue_dropped *dropped,
                          struct error *e)
{
    const struct drop drop = {day, (int64_t)service, why};
    *dropped = (struct catalogue_dropped){0};
    int rc = sql_begin(&c->sql, true, e);
    return rc ? rc : sql_end(&c->sql, drop_days(c, &drop, dropped, e), e);
}

/* ---- files that are being removed ---- */

static int going(struct catalogue *c, catalogue_visit_going *visit, void *context, struct error *e)
{
    struct sql s = sql_use(&c->sql, "SELECT identity FROM going");
    int rc;
    while ((rc = sql_step(&s, e)) > 0) {
        const void *identity = sqlite3_column_blob(s.statement, 0);
        rc = identity && sqlite3_column_bytes(s.statement, 0) == ENVELOPE_IDENTITY ? visit(context, identity) : 0;
        if (rc)
            break;
    }
    sql_done(&s);
    return rc;
}

int catalogue_going(struct catalogue *c, catalogue_visit_going *visit, void *context, struct error *e)
{
    int rc = sql_begin(&c->sql, false, e);
    return rc ? rc : sql_end(&c->sql, going(c, visit, context, e), e);
}

int catalogue_gone(struct catalogue *c, struct error *e)
{
    int rc = sql_begin(&c->sql, true, e);
    if (rc)
        return rc;
    struct sql s = sql_use(&c->sql, "DELETE FROM going");
    return sql_end(&c->sql, sql_run(&s, 0, e), e);
}

/* ---- data of an earlier catalog ---- */

static int recordings_of_day(struct catalogue *c, int64_t day, uint64_t *n, struct error *e)
{
    struct sql s = sql_use(&c->sql, "SELECT count(DISTINCT recording) FROM part WHERE day = ?");
    sql_int(&s, day);
    int rc = sql_step(&s, e);
    *n = rc > 0 ? (uint64_t)sql_column(&s, 0) : 0;
    sql_done(&s);
    return rc < 0 ? rc : 0;
}

static int note_rebuilt(struct catalogue *c, int64_t day, uint64_t recordings, uint64_t *missing, struct error *e)
{
    uint64_t known;
    int rc = recordings_of_day(c, day, &known, e);
    *missing = recordings > known ? recordings - known : 0;
    if (rc || !*missing)
        return rc;
    struct sql s = sql_use(&c->sql, "INSERT INTO forgotten VALUES ('', ?1, '', ?2, ?3, 0, 0, ?1 * 86400, ?1 * 86400 + 86399) "
                                    "ON CONFLICT DO UPDATE SET parts = excluded.parts");
    sql_int(&s, day);
    sql_int(&s, FORGOTTEN_REBUILT);
    sql_int(&s, (int64_t)*missing);
    return sql_run(&s, 0, e);
}

int catalogue_note_rebuilt(struct catalogue *c, int64_t day, uint64_t recordings, uint64_t *missing, struct error *e)
{
    *missing = 0;
    int rc = sql_begin(&c->sql, true, e);
    return rc ? rc : sql_end(&c->sql, note_rebuilt(c, day, recordings, missing, e), e);
}

/* ---- recordings as they were sent ---- */

#define RAW_ALL     "r.raw AND r.last < ?1"
#define RAW_OF_ONE  "r.raw AND r.last < ?1 AND r.service = ?2"
#define RAW_COLUMNS "SELECT r.id, r.identity, r.bytes, " IS_EVIDENCE " FROM recording r WHERE "
#define RAW_SEALED                                                                                                                         \
    " AND NOT EXISTS (SELECT 1 FROM part p WHERE p.recording = r.id AND p.segment IS NULL) AND (?3 = 0 OR NOT " IS_EVIDENCE                \
    ") AND (?4 OR NOT r.cold) ORDER BY r.last, r.id"

/* If an alert kept the file, its place is free for another one. */
static int forget_file(struct catalogue *c, int64_t id, struct error *e)
{
    struct sql s = sql_use(&c->sql, "UPDATE recording SET raw = 0 WHERE id = ?");
    sql_int(&s, id);
    int rc = sql_run(&s, 0, e);
    struct sql k = sql_use(&c->sql, "DELETE FROM kept WHERE recording = ?");
    sql_int(&k, id);
    return sql_run(&k, rc, e);
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
    sql_int(&s, drop->service);
    sql_int(&s, drop->spares_evidence);
    sql_int(&s, drop->before != INT64_MAX);
    while (d->raw_bytes < bytes && list->count < CATALOGUE_DROP_MAX && (rc = sql_step(&s, e)) > 0) {
        if (ARRAY_GROW(list->ids, list->cap, list->count) || note_identity(d, &s, 1)) {
            rc = error_set(e, -ENOMEM, "out of memory");
            break;
        }
        list->ids[list->count++] = sql_column(&s, 0);
        d->raw_bytes += (uint64_t)sql_column(&s, 2);
        d->evidence_count += sql_column(&s, 3) != 0;
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

int catalogue_drop_raw(struct catalogue *c, uint64_t service, int64_t before, uint64_t bytes, bool spares_evidence,
                       struct catalogue_dropped *dropped, struct error *e)
{
    const struct drop drop = {.before = before, .service = (int64_t)service, .spares_evidence = spares_evidence};
    *dropped = (struct catalogue_dropped){0};
    int rc = sql_begin(&c->sql, true, e);
    return rc ? rc : sql_end(&c->sql, drop_raw(c, &drop, bytes, dropped, e), e);
}

void catalogue_dropped_deinit(struct catalogue_dropped *dropped)
{
    free(dropped->files);
    free(dropped->dictionaries);
    free(dropped->identities);
    *dropped = (struct catalogue_dropped){0};
}
