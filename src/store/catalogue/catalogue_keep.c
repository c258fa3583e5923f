/* Enters which recordings are kept for alerts, within a limit for each service. catalogue_drop.c spares them. */
#include "store/catalogue/catalogue_keep.h"

#include "store/catalogue/catalogue_internal.h"

static int keep_one(struct catalogue *c, uint64_t recording, const char *rule, int64_t until, struct error *e)
{
    struct sql s = sql_use(&c->sql, "INSERT INTO kept SELECT id, service, ?2, ?3 FROM recording WHERE id = ?1 AND raw "
                                    "ON CONFLICT (recording) DO UPDATE SET rule = excluded.rule, until = excluded.until "
                                    "WHERE until < excluded.until");
    sql_int(&s, (int64_t)recording);
    sql_text(&s, rule);
    sql_int(&s, until);
    return sql_run(&s, 0, e);
}

/* Gives up what is too much for the recording's service. */
static int fit_service(struct catalogue *c, uint64_t recording, struct error *e)
{
    struct sql s = sql_use(&c->sql, "DELETE FROM kept WHERE recording IN (SELECT recording FROM kept "
                                    "WHERE service = (SELECT service FROM recording WHERE id = ?) "
                                    "ORDER BY until DESC, recording DESC LIMIT -1 OFFSET " STRING_OF(CATALOGUE_KEPT_MAX) ")");
    sql_int(&s, (int64_t)recording);
    return sql_run(&s, 0, e);
}

int catalogue_keep(struct catalogue *c, const uint64_t *recordings, uint32_t n, const char *rule, int64_t until, struct error *e)
{
    int rc = sql_begin(&c->sql, true, e);
    if (rc)
        return rc;
    for (uint32_t i = 0; !rc && i < n; i++) {
        rc = keep_one(c, recordings[i], rule, until, e);
        rc = rc ? rc : fit_service(c, recordings[i], e);
    }
    return sql_end(&c->sql, rc, e);
}

int catalogue_keep_until(struct catalogue *c, int64_t now, struct error *e)
{
    int rc = sql_begin(&c->sql, true, e);
    if (rc)
        return rc;
    struct sql s = sql_use(&c->sql, "DELETE FROM kept WHERE until <= ?");
    sql_int(&s, now);
    return sql_end(&c->sql, sql_run(&s, 0, e), e);
}

static int visit_all(struct sql_database *d, catalogue_visit_kept *visit, void *context, struct error *e)
{
    struct sql s = sql_use(d, "SELECT k.recording, k.rule, k.until FROM kept k JOIN recording r ON r.id = k.recording WHERE r.raw "
                              "ORDER BY k.rule, k.recording");
    int rc;
    while ((rc = sql_step(&s, e)) > 0) {
        const struct catalogue_kept k = {(uint64_t)sql_column(&s, 0), sql_column_text(&s, 1), sql_column(&s, 2)};
        rc = visit(context, &k);
        if (rc)
            break;
    }
    sql_done(&s);
    return rc;
}

int catalogue_kept(struct catalogue *c, catalogue_visit_kept *visit, void *context, struct error *e)
{
    struct catalogue_reader *r;
    int rc = catalogue_read_begin(c, NULL, &r, e);
    return rc ? rc : catalogue_read_end(c, r, visit_all(&r->sql, visit, context, e), e);
}
