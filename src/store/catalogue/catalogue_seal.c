/* Records in the catalog how recordings are sealed into segments. Most of these transactions are not synced: a part whose segment is lost
 * is sealed again. */
#include "store/catalogue/catalogue_internal.h"

#include <errno.h>
#include <string.h>

static int service_id(struct catalogue *c, const char *name, int64_t *id, struct error *e)
{
    struct sql s = sql_use(&c->sql, "SELECT id FROM service WHERE name = ?");
    sql_text(&s, name);
    int rc = sql_step(&s, e);
    *id = rc > 0 ? sql_column(&s, 0) : 0;
    sql_done(&s);
    return rc == 0 ? error_set(e, -ENOENT, "%s: no such service", name) : rc < 0 ? rc : 0;
}

static int dictionary(struct catalogue *c, const char *name, int64_t day, uint32_t *id, struct error *e)
{
    int64_t service;
    int rc = service_id(c, name, &service, e);
    if (rc)
        return rc;
    struct sql s = sql_use(&c->sql, "SELECT id FROM dictionary WHERE service = ? AND day = ? AND NOT closed ORDER BY id DESC LIMIT 1");
    sql_int(&s, service);
    sql_int(&s, day);
    rc = sql_step(&s, e);
    *id = rc > 0 ? (uint32_t)sql_column(&s, 0) : 0;
    sql_done(&s);
    if (rc)
        return rc < 0 ? rc : 0;
    struct sql make = sql_use(&c->sql, "INSERT INTO dictionary (service, day, bytes, closed) VALUES (?, ?, 0, 0)");
    sql_int(&make, service);
    sql_int(&make, day);
    rc = sql_run(&make, 0, e);
    *id = (uint32_t)sqlite3_last_insert_rowid(c->sql.db);
    return rc;
}

int catalogue_dictionary(struct catalogue *c, const char *service, int64_t day, uint32_t *id, struct error *e)
{
    int rc = sql_begin_unsynced(&c->sql, NULL, e);
    return rc ? rc : sql_end(&c->sql, dictionary(c, service, day, id, e), e);
}

int catalogue_close_dictionary(struct catalogue *c, uint32_t id, struct error *e)
{
    int rc = sql_begin(&c->sql, true, e);
    if (rc)
        return rc;
    struct sql s = sql_use(&c->sql, "UPDATE dictionary SET closed = 1 WHERE id = ?");
    sql_int(&s, id);
    return sql_end(&c->sql, sql_run(&s, 0, e), e);
}

static int last_id(struct catalogue *c, const char *table, uint64_t *id, struct error *e)
{
    struct sql s = sql_use(&c->sql, "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = ?");
    sql_text(&s, table);
    int rc = sql_step(&s, e);
    *id = rc > 0 ? (uint64_t)sql_column(&s, 0) : 0;
    sql_done(&s);
    return rc < 0 ? rc : 0;
}

int catalogue_last_ids(struct catalogue *c, uint64_t *segment, uint64_t *recording, struct error *e)
{
    int rc = sql_begin(&c->sql, false, e);
    if (rc)
        return rc;
    rc = last_id(c, "segment", segment, e);
    return sql_end(&c->sql, rc ? rc : last_id(c, "recording", recording, e), e);
}

static int skip_ids(struct catalogue *c, const char *table, uint64_t last, struct error *e)
{
    uint64_t known;
    int rc = last_id(c, table, &known, e);
    if (rc || known >= last)
        return rc;
    struct sql d = sql_use(&c->sql, "DELETE FROM sqlite_sequence WHERE name = ?");
    sql_text(&d, table);
    rc = sql_run(&d, 0, e);
    struct sql s = sql_use(&c->sql, "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)");
    sql_text(&s, table);
    sql_int(&s, (int64_t)last);
    return sql_run(&s, rc, e);
}

int catalogue_skip_ids(struct catalogue *c, uint64_t dictionary, uint64_t recording, struct error *e)
{
    int rc = sql_begin(&c->sql, true, e);
    if (rc)
        return rc;
    rc = skip_ids(c, "dictionary", dictionary, e);
    return sql_end(&c->sql, rc ? rc : skip_ids(c, "recording", recording, e), e);
}

int catalogue_received_before(struct catalogue *c, const uint8_t identity[ENVELOPE_IDENTITY], int64_t ns, struct error *e)
{
    int rc = sql_begin(&c->sql, true, e);
    if (rc)
        return rc;
    struct sql s = sql_use(&c->sql, "UPDATE recording SET received_ns = min(received_ns, ? - 1) WHERE identity = ?");
    sql_int(&s, ns);
    sql_blob(&s, identity, ENVELOPE_IDENTITY);
    return sql_end(&c->sql, sql_run(&s, 0, e), e);
}

static int seal(struct catalogue *c, const struct catalogue_segment *g, struct error *e)
{
    struct sql s = sql_use(&c->sql, "INSERT INTO segment (id, dictionary, rows, bytes, small) VALUES (?, ?, ?, ?, ?)");
    sql_int(&s, (int64_t)g->id);
    sql_int(&s, g->dictionary);
    sql_int(&s, g->rows);
    sql_int(&s, (int64_t)g->bytes);
    sql_int(&s, g->rows <= CATALOGUE_SMALL_ROWS);
    int rc = sql_run(&s, 0, e);
    struct sql d = sql_use(&c->sql, "UPDATE dictionary SET bytes = max(bytes, ?) WHERE id = ?");
    sql_int(&d, (int64_t)g->dictionary_bytes);
    sql_int(&d, g->dictionary);
    rc = sql_run(&d, rc, e);
    struct sql p = sql_use(&c->sql, "UPDATE part SET segment = ?, rows = ? WHERE recording = ? AND day = ? AND segment IS NULL "
                                    "AND type = (SELECT id FROM type WHERE name = ?)");
    sql_int(&p, (int64_t)g->id);
    sql_int(&p, g->rows);
    sql_int(&p, (int64_t)g->recording);
    sql_int(&p, g->day);
    sql_text(&p, g->type);
    rc = sql_run(&p, rc, e);
    if (!rc && sqlite3_changes(c->sql.db) != 1)
        rc = error_set(e, -EALREADY, "recording %llu: nothing to be sealed of that type and day", (unsigned long long)g->recording);
    return rc;
}

int catalogue_seal(struct catalogue *c, const struct catalogue_segment *segment, struct error *e)
{
    int rc = sql_begin_unsynced(&c->sql, NULL, e);
    return rc ? rc : sql_end(&c->sql, seal(c, segment, e), e);
}

static int segment_bad(struct catalogue *c, uint64_t segment, const char *why, struct error *e)
{
    struct sql p = sql_use(&c->sql, "UPDATE part SET segment = CASE (SELECT raw FROM recording WHERE id = part.recording) WHEN 1 THEN NULL "
                                    "ELSE -1 END WHERE segment = ?");
    sql_int(&p, (int64_t)segment);
    int rc = sql_run(&p, 0, e);
    struct sql s = sql_use(&c->sql, "UPDATE segment SET bad = ?, bytes = 0 WHERE id = ?");
    sql_text(&s, why);
    sql_int(&s, (int64_t)segment);
    return sql_run(&s, rc, e);
}

int catalogue_segment_bad(struct catalogue *c, uint64_t segment, const char *why, struct error *e)
{
    int rc = sql_begin(&c->sql, true, e);
    return rc ? rc : sql_end(&c->sql, segment_bad(c, segment, why, e), e);
}

static int pending(struct catalogue *c, uint64_t after, struct catalogue_pending *list, uint32_t max, uint32_t *n, struct error *e)
{
    struct sql s = sql_use(&c->sql, "SELECT DISTINCT p.recording, r.identity FROM part p JOIN recording r ON r.id = p.recording "
                                    "WHERE p.segment IS NULL AND p.recording > ? ORDER BY p.recording LIMIT ?");
    int rc;
    sql_int(&s, (int64_t)after);
    sql_int(&s, max);
    while ((rc = sql_step(&s, e)) > 0 && *n < max) {
        list[*n] = (struct catalogue_pending){.recording = (uint64_t)sql_column(&s, 0)};
        const void *identity = sqlite3_column_blob(s.statement, 1);
        if (identity && sqlite3_column_bytes(s.statement, 1) == ENVELOPE_IDENTITY)
            memcpy(list[*n].identity, identity, ENVELOPE_IDENTITY);
        ++*n;
    }
    sql_done(&s);
    return rc < 0 ? rc : 0;
}

int catalogue_pending(struct catalogue *c, uint64_t after, struct catalogue_pending *list, uint32_t max, uint32_t *n, struct error *e)
{
    *n = 0;
    int rc = sql_begin(&c->sql, false, e);
    return rc ? rc : sql_end(&c->sql, pending(c, after, list, max, n, e), e);
}

static int pending_parts(struct catalogue *c, uint64_t recording, catalogue_visit_part *visit, void *context, struct error *e)
{
    struct sql s = sql_use(&c->sql, "SELECT t.name, p.day FROM part p JOIN type t ON t.id = p.type "
                                    "WHERE p.recording = ? AND p.segment IS NULL ORDER BY p.type, p.day");
    int rc;
    sql_int(&s, (int64_t)recording);
    while ((rc = sql_step(&s, e)) > 0) {
        rc = visit(context, sql_column_text(&s, 0), sql_column(&s, 1));
        if (rc)
            break;
    }
    sql_done(&s);
    return rc;
}

int catalogue_pending_parts(struct catalogue *c, uint64_t recording, catalogue_visit_part *visit, void *context, struct error *e)
{
    int rc = sql_begin(&c->sql, false, e);
    return rc ? rc : sql_end(&c->sql, pending_parts(c, recording, visit, context, e), e);
}

int catalogue_lose(struct catalogue *c, uint64_t recording, const char *type, int64_t day, struct error *e)
{
    int rc = sql_begin(&c->sql, true, e);
    if (rc)
        return rc;
    struct sql s = sql_use(&c->sql, "UPDATE part SET segment = -1 WHERE recording = ?1 AND segment IS NULL AND "
                                    "(?2 IS NULL OR (day = ?3 AND type = (SELECT id FROM type WHERE name = ?2)))");
    sql_int(&s, (int64_t)recording);
    sql_text(&s, type);
    sql_int(&s, day);
    return sql_end(&c->sql, sql_run(&s, 0, e), e);
}
