#include "store/catalogue/catalogue_cold.h"

#include "store/catalogue/catalogue_internal.h"

#include <string.h>

static void copy_identity(uint8_t out[ENVELOPE_IDENTITY], const struct sql *s, int column)
{
    const void *identity = sqlite3_column_blob(s->statement, column);
    memset(out, 0, ENVELOPE_IDENTITY);
    if (identity && sqlite3_column_bytes(s->statement, column) == ENVELOPE_IDENTITY)
        memcpy(out, identity, ENVELOPE_IDENTITY);
}

/* Reads the rows of the statement, and ends it. */
static int take_list(struct sql *s, struct catalogue_warm *list, uint32_t most, uint32_t *n, struct error *e)
{
    int rc = 0;
    while (*n < most && (rc = sql_step(s, e)) > 0) {
        list[*n].recording = (uint64_t)sql_column(s, 0);
        copy_identity(list[(*n)++].identity, s, 1);
    }
    sql_done(s);
    return rc < 0 ? rc : 0;
}

int catalogue_warm(struct catalogue *c, int64_t received_before_ns, uint64_t after, struct catalogue_warm *list, uint32_t most, uint32_t *n,
                   struct error *e)
{
    *n = 0;
    int rc = sql_begin(&c->sql, false, e);
    if (rc)
        return rc;
    struct sql s = sql_use(&c->sql, "SELECT id, identity FROM recording r WHERE raw AND NOT cold AND id > ?1 AND received_ns < ?2 "
                                    "AND NOT EXISTS (SELECT 1 FROM part p WHERE p.recording = r.id AND p.segment IS NULL) "
                                    "ORDER BY id LIMIT ?3");
    sql_int(&s, (int64_t)after);
    sql_int(&s, received_before_ns);
    sql_int(&s, most);
    return sql_end(&c->sql, take_list(&s, list, most, n, e), e);
}

int catalogue_cold_list(struct catalogue *c, uint64_t after, struct catalogue_warm *list, uint32_t most, uint32_t *n, struct error *e)
{
    *n = 0;
    int rc = sql_begin(&c->sql, false, e);
    if (rc)
        return rc;
    struct sql s = sql_use(&c->sql, "SELECT id, identity FROM recording WHERE raw AND cold AND id > ?1 ORDER BY id LIMIT ?2");
    sql_int(&s, (int64_t)after);
    sql_int(&s, most);
    return sql_end(&c->sql, take_list(&s, list, most, n, e), e);
}

int catalogue_set_warm(struct catalogue *c, uint64_t recording, struct error *e)
{
    int rc = sql_begin(&c->sql, true, e);
    if (rc)
        return rc;
    struct sql s = sql_use(&c->sql, "UPDATE recording SET cold = 0 WHERE id = ? AND raw");
    sql_int(&s, (int64_t)recording);
    return sql_end(&c->sql, sql_run(&s, 0, e), e);
}

int catalogue_set_cold(struct catalogue *c, uint64_t recording, struct error *e)
{
    int rc = sql_begin(&c->sql, true, e);
    if (rc)
        return rc;
    struct sql s = sql_use(&c->sql, "UPDATE recording SET cold = 1 WHERE id = ? AND raw");
    sql_int(&s, (int64_t)recording);
    rc = sql_run(&s, 0, e);
    struct sql again = sql_use(&c->sql, "DELETE FROM cold_going WHERE identity = (SELECT identity FROM recording WHERE id = ? AND cold)");
    sql_int(&again, (int64_t)recording);
    return sql_end(&c->sql, sql_run(&again, rc, e), e);
}

int catalogue_is_cold(struct catalogue *c, const uint8_t identity[ENVELOPE_IDENTITY], bool *cold, bool *going, struct error *e)
{
    *cold = *going = false;
    int rc = sql_begin(&c->sql, false, e);
    if (rc)
        return rc;
    struct sql s = sql_use(&c->sql, "SELECT EXISTS (SELECT 1 FROM recording WHERE identity = ?1 AND raw AND cold), "
                                    "EXISTS (SELECT 1 FROM cold_going WHERE identity = ?1)");
    sql_blob(&s, identity, ENVELOPE_IDENTITY);
    rc = sql_step(&s, e);
    *cold = rc > 0 && sql_column(&s, 0);
    *going = rc > 0 && sql_column(&s, 1);
    sql_done(&s);
    return sql_end(&c->sql, rc < 0 ? rc : 0, e);
}

int catalogue_cold_going(struct catalogue *c, const uint8_t after[ENVELOPE_IDENTITY], uint8_t (*list)[ENVELOPE_IDENTITY], uint32_t most,
                         uint32_t *n, struct error *e)
{
    *n = 0;
    int rc = sql_begin(&c->sql, false, e);
    if (rc)
        return rc;
    struct sql s = sql_use(&c->sql, "SELECT identity FROM cold_going WHERE identity > ?1 ORDER BY identity LIMIT ?2");
    sql_blob(&s, after, ENVELOPE_IDENTITY);
    sql_int(&s, most);
    while (*n < most && (rc = sql_step(&s, e)) > 0)
        copy_identity(list[(*n)++], &s, 0);
    sql_done(&s);
    return sql_end(&c->sql, rc < 0 ? rc : 0, e);
}

/* Runs a statement with this identity. If the host fails, it may be undone: then an object is removed twice, or stays. */
static int run_with(struct catalogue *c, const char *text, const uint8_t identity[ENVELOPE_IDENTITY], struct error *e)
{
    int rc = sql_begin_unsynced(&c->sql, NULL, e);
    if (rc)
        return rc;
    struct sql s = sql_use(&c->sql, text);
    sql_blob(&s, identity, ENVELOPE_IDENTITY);
    return sql_end(&c->sql, sql_run(&s, 0, e), e);
}

int catalogue_cold_begin(struct catalogue *c, const uint8_t identity[ENVELOPE_IDENTITY], struct error *e)
{
    return run_with(c, "INSERT OR IGNORE INTO cold_going VALUES (?)", identity, e);
}

int catalogue_cold_gone(struct catalogue *c, const uint8_t identity[ENVELOPE_IDENTITY], struct error *e)
{
    return run_with(c, "DELETE FROM cold_going WHERE identity = ?", identity, e);
}
