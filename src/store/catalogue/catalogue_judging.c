/* Keeps the list of recordings that wait to be judged, and counts what became of them. */
#include "store/catalogue/catalogue_findings.h"
#include "store/catalogue/catalogue_internal.h"

#include <string.h>

#define LATE_MOST 4096

const char *const catalogue_skip_names[SKIPS] =
    {[SKIP_LATE] = "late", [SKIP_FORMAT] = "format", [SKIP_MISSING] = "missing", [SKIP_DAMAGED] = "damaged"};

const char *const catalogue_state_names[STATES] =
    {[STATE_OPEN] = "open", [STATE_ACKNOWLEDGED] = "acknowledged", [STATE_SILENCED] = "silenced", [STATE_RESOLVED] = "resolved"};

int catalogue_next_waiting(struct catalogue *c, uint64_t *recording, struct error *e)
{
    *recording = 0;
    int rc = sql_begin(&c->sql, false, e);
    if (rc)
        return rc;
    struct sql s = sql_use(&c->sql, "SELECT recording FROM waiting WHERE service = (SELECT j.service FROM judging j "
                                    "WHERE EXISTS (SELECT 1 FROM waiting) AND EXISTS (SELECT 1 FROM waiting w WHERE w.service = j.service) "
                                    "ORDER BY j.turn, j.service LIMIT 1) "
                                    "ORDER BY recording DESC LIMIT 1");
    rc = sql_step(&s, e);
    *recording = rc > 0 ? (uint64_t)sql_column(&s, 0) : 0;
    sql_done(&s);
    return sql_end(&c->sql, rc < 0 ? rc : 0, e);
}

int catalogue_end_waiting(struct catalogue *c, uint64_t recording, int64_t *service, struct error *e)
{
    struct sql find = sql_use(&c->sql, "SELECT service FROM waiting WHERE recording = ?");
    sql_int(&find, (int64_t)recording);
    int rc = sql_step(&find, e);
    *service = rc > 0 ? sql_column(&find, 0) : 0;
    sql_done(&find);
    if (rc <= 0)
        return rc;
    struct sql end = sql_use(&c->sql, "DELETE FROM waiting WHERE service = ? AND recording = ?");
    sql_int(&end, *service);
    sql_int(&end, (int64_t)recording);
    rc = sql_run(&end, 0, e);
    struct sql turn = sql_use(&c->sql, "UPDATE judging SET turn = (SELECT max(turn) + 1 FROM judging) WHERE service = ?");
    sql_int(&turn, *service);
    return sql_run(&turn, rc, e);
}

static int count_skip(struct catalogue *c, int64_t service, enum catalogue_skip why, struct error *e)
{
    struct sql s = sql_use(&c->sql, "UPDATE judging SET late = late + (?2 = 0), format = format + (?2 = 1), missing = missing + (?2 = 2), "
                                    "damaged = damaged + (?2 = 3) WHERE service = ?1");
    sql_int(&s, service);
    sql_int(&s, why);
    return sql_run(&s, 0, e);
}

static int skip(struct catalogue *c, uint64_t recording, enum catalogue_skip why, struct error *e)
{
    int64_t service;
    int rc = catalogue_end_waiting(c, recording, &service, e);
    return rc || !service ? rc : count_skip(c, service, why, e);
}

int catalogue_skip(struct catalogue *c, uint64_t recording, enum catalogue_skip why, struct error *e)
{
    int rc = sql_begin_unsynced(&c->sql, NULL, e); /* a skip that is lost is made again */
    return rc ? rc : sql_end(&c->sql, skip(c, recording, why, e), e);
}

#define LATE "received_ns < ?1 ORDER BY received_ns, recording LIMIT " STRING_OF(LATE_MOST)

static int skip_late(struct catalogue *c, int64_t before_ns, uint64_t *n, struct error *e)
{
    struct sql count =
        sql_use(&c->sql, "UPDATE judging SET late = late + l.n FROM (SELECT service, count(*) n FROM "
                         "(SELECT service FROM waiting WHERE " LATE ") GROUP BY service) l WHERE l.service = judging.service");
    sql_int(&count, before_ns);
    int rc = sql_run(&count, 0, e);
    struct sql end =
        sql_use(&c->sql, "DELETE FROM waiting WHERE (service, recording) IN (SELECT service, recording FROM waiting WHERE " LATE ")");
    sql_int(&end, before_ns);
    rc = sql_run(&end, rc, e);
    *n = rc ? 0 : (uint64_t)sqlite3_changes(c->sql.db);
    return rc;
}

int catalogue_skip_late(struct catalogue *c, int64_t before_ns, uint64_t *n, struct error *e)
{
    *n = 0;
    int rc = sql_begin_unsynced(&c->sql, NULL, e);
    return rc ? rc : sql_end(&c->sql, skip_late(c, before_ns, n, e), e);
}

static int sum_recordings(struct sql_database *d, struct catalogue_judging *sums, struct error *e)
{
    struct sql s =
        sql_use(d, "SELECT coalesce(sum(judged), 0), coalesce(sum(unlisted), 0), coalesce(sum(late), 0), coalesce(sum(format), 0), "
                   "coalesce(sum(missing), 0), coalesce(sum(damaged), 0), (SELECT count(*) FROM waiting) FROM judging");
    int rc = sql_step(&s, e);
    if (rc > 0) {
        sums->judged = (uint64_t)sql_column(&s, 0);
        sums->unlisted = (uint64_t)sql_column(&s, 1);
        for (int i = 0; i < SKIPS; i++)
            sums->skipped[i] = (uint64_t)sql_column(&s, 2 + i);
        sums->waiting = (uint64_t)sql_column(&s, 2 + SKIPS);
    }
    sql_done(&s);
    return rc < 0 ? rc : 0;
}

static int count_findings(struct sql_database *d, struct catalogue_judging *sums, struct error *e)
{
    struct sql s = sql_use(d, "SELECT state, count(*) FROM finding GROUP BY state");
    int rc;
    while ((rc = sql_step(&s, e)) > 0) {
        int64_t state = sql_column(&s, 0);
        if (state >= 0 && state < STATES)
            sums->findings[state] = (uint64_t)sql_column(&s, 1);
    }
    sql_done(&s);
    return rc;
}

int catalogue_judging(struct catalogue *c, struct catalogue_judging *sums, struct error *e)
{
    struct catalogue_reader *r;
    *sums = (struct catalogue_judging){0};
    int rc = catalogue_read_begin(c, NULL, &r, e);
    if (rc)
        return rc;
    rc = sum_recordings(&r->sql, sums, e);
    rc = rc ? rc : count_findings(&r->sql, sums, e);
    return catalogue_read_end(c, r, rc, e);
}
