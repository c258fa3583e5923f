/* Enters what rules found in recordings: a finding that was seen before is the same row, and one that is no longer seen is resolved. */
#include "store/catalogue/catalogue_findings.h"
#include "store/catalogue/catalogue_internal.h"

#include "base/array.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Numbers as text, for statements. */
#define RESOLVED_TEXT "3"
#define SILENCED_TEXT "2"
_Static_assert(STATE_SILENCED == 2 && STATE_RESOLVED == 3, "the statements have these numbers");

#define MILLIONTHS 1e6 /* scores are whole numbers in the catalog */

static int64_t now_s(void)
{
    return (int64_t)(clock_realtime_ns() / NS_PER_S);
}

/* ---- one recording ---- */

struct entry {
    struct catalogue *c;
    const struct catalogue_judgement *j;
    int64_t service, labelset, first, last;
};

/* A row of the table before the recording is entered. */
struct known {
    int64_t id, last, worst;
    int64_t gone; /* last second of the recording that resolved it */
    enum catalogue_state state;
    bool has_evidence;
};

static int read_recording(struct entry *n, struct error *e)
{
    struct sql s = sql_use(&n->c->sql, "SELECT labelset, first, last FROM recording WHERE id = ?");
    sql_int(&s, (int64_t)n->j->recording);
    int rc = sql_step(&s, e);
    if (rc > 0) {
        n->labelset = sql_column(&s, 0);
        n->first = sql_column(&s, 1);
        n->last = sql_column(&s, 2);
    }
    sql_done(&s);
    return rc < 0 ? rc : 0;
}

static int find_known(const struct entry *n, const struct catalogue_found *one, struct known *k, struct error *e)
{
    struct sql s = sql_use(&n->c->sql, "SELECT f.id, f.last, f.worst_score, f.state, coalesce(r.raw, 0), f.gone FROM finding f "
                                       "LEFT JOIN recording r ON r.id = f.evidence "
                                       "WHERE f.service = ?1 AND f.rule = ?2 AND f.place = coalesce(?3, '')");
    sql_int(&s, n->service);
    sql_text(&s, one->rule);
    sql_text(&s, one->place);
    int rc = sql_step(&s, e);
    *k = (struct known){0};
    if (rc > 0)
        *k = (struct known){.id = sql_column(&s, 0),
                            .last = sql_column(&s, 1),
                            .worst = sql_column(&s, 2),
                            .state = (enum catalogue_state)sql_column(&s, 3),
                            .has_evidence = sql_column(&s, 4) != 0,
                            .gone = sql_column(&s, 5)};
    sql_done(&s);
    return rc < 0 ? rc : 0;
}

static int count_of_service(const struct entry *n, const char *text, int64_t *count, struct error *e)
{
    struct sql s = sql_use(&n->c->sql, text);
    sql_int(&s, n->service);
    int rc = sql_step(&s, e);
    *count = rc > 0 ? sql_column(&s, 0) : 0;
    sql_done(&s);
    return rc < 0 ? rc : 0;
}

/* Makes room for a new finding. *room: whether there is some. */
static int make_room(const struct entry *n, bool *room, struct error *e)
{
    int64_t count;
    int rc = count_of_service(n, "SELECT count(*) FROM finding WHERE service = ?", &count, e);
    *room = count < CATALOGUE_FINDINGS_MAX;
    if (rc || *room)
        return rc;
    struct sql s = sql_use(&n->c->sql, "DELETE FROM finding WHERE id = (SELECT id FROM finding WHERE service = ? AND state = " RESOLVED_TEXT
                                       " ORDER BY last LIMIT 1)");
    sql_int(&s, n->service);
    rc = sql_run(&s, 0, e);
    *room = !rc && sqlite3_changes(n->c->sql.db);
    if (rc || *room)
        return rc;
    struct sql miss = sql_use(&n->c->sql, "UPDATE judging SET unlisted = unlisted + 1 WHERE service = ?");
    sql_int(&miss, n->service);
    return sql_run(&miss, 0, e);
}

/* Adds a row that says nothing yet. *id = 0 if there is no room for it. */
static int add_row(const struct entry *n, const struct catalogue_found *one, int64_t *id, struct error *e)
{
    bool room;
    *id = 0;
    int rc = make_room(n, &room, e);
    if (rc || !room)
        return rc;
    struct sql s = sql_use(&n->c->sql, "INSERT INTO finding (service, rule, place, first, last, changed, score, lost_ns, duration_ns, "
                                       "worst_score, worst_lost_ns, worst_duration_ns, evidence, keeps, json) "
                                       "VALUES (?1, ?2, coalesce(?3, ''), ?4, ?5, ?6, 0, 0, 0, -1, 0, 0, 0, 0, '')");
    sql_int(&s, n->service);
    sql_text(&s, one->rule);
    sql_text(&s, one->place);
    sql_int(&s, n->first);
    sql_int(&s, n->last);
    sql_int(&s, now_s());
    rc = sql_run(&s, 0, e);
    *id = rc ? 0 : sqlite3_last_insert_rowid(n->c->sql.db);
    return rc;
}

static void bind_extent(struct sql *s, const struct entry *n, const struct catalogue_found *one)
{
    sql_int(s, (int64_t)(one->score * MILLIONTHS));
    sql_int(s, one->lost_ns > INT64_MAX ? INT64_MAX : (int64_t)one->lost_ns);
    sql_int(s, n->j->duration_ns > INT64_MAX ? INT64_MAX : (int64_t)n->j->duration_ns);
}

/* Whether the service of a row of `finding` may keep one more recording as evidence. */
#define MAY_KEEP                                                                                                                           \
    "(SELECT count(*) FROM finding k WHERE k.service = finding.service AND k.keeps AND k.state < 2) < " STRING_OF(CATALOGUE_EVIDENCE_MAX)

/* The finding is worst in this recording, which becomes its evidence. The recording's file is kept if not too many of the service are. */
static int take_evidence(const struct entry *n, const struct catalogue_found *one, int64_t id, struct error *e)
{
    struct sql s = sql_use(&n->c->sql, "UPDATE finding SET worst_score = ?2, worst_lost_ns = ?3, worst_duration_ns = ?4, evidence = ?5, "
                                       "json = ?6, keeps = max(keeps, state < 2 AND " MAY_KEEP ") WHERE id = ?1");
    sql_int(&s, id);
    bind_extent(&s, n, one);
    sql_int(&s, (int64_t)n->j->recording);
    sql_text(&s, one->json);
    return sql_run(&s, 0, e);
}

/* The recording is the latest that has the finding. A finding that was resolved by an earlier recording is open again. */
static int take_latest(const struct entry *n, const struct catalogue_found *one, const struct known *k, struct error *e)
{
    bool reopened = k->state == STATE_RESOLVED && n->last > k->gone;
    struct sql s = sql_use(&n->c->sql, "UPDATE finding SET score = ?2, lost_ns = ?3, duration_ns = ?4, last = ?5, quiet = 0, state = ?6, "
                                       "keeps = max(keeps, ?7 AND " MAY_KEEP "), "
                                       "changed = CASE WHEN ?7 THEN ?8 ELSE changed END WHERE id = ?1");
    sql_int(&s, k->id);
    bind_extent(&s, n, one);
    sql_int(&s, n->last);
    sql_int(&s, reopened ? STATE_OPEN : k->state);
    sql_int(&s, reopened);
    sql_int(&s, now_s());
    return sql_run(&s, 0, e);
}

/* Notes the recording's host and version. */
/* Enters the recording's host and version, and forgets those that were seen longest ago if there are too many. */
static int add_labels(const struct entry *n, int64_t id, struct error *e)
{
    struct sql s = sql_use(&n->c->sql, "INSERT INTO finding_label SELECT ?1, name, value, ?3 FROM label WHERE labelset = ?2 AND "
                                       "name IN ('host', 'version') ON CONFLICT (finding, name, value) DO UPDATE SET seen = max(seen, "
                                       "excluded.seen)");
    sql_int(&s, id);
    sql_int(&s, n->labelset);
    sql_int(&s, n->last);
    int rc = sql_run(&s, 0, e);
    if (rc)
        return rc;
    s = sql_use(&n->c->sql,
                "DELETE FROM finding_label WHERE finding = ?1 AND (name, value) IN (SELECT name, value FROM (SELECT name, value, "
                "row_number() OVER (PARTITION BY name ORDER BY seen DESC, value) AS place FROM finding_label WHERE finding = ?1) "
                "WHERE place > ?2)");
    sql_int(&s, id);
    sql_int(&s, CATALOGUE_VALUES_MAX);
    return sql_run(&s, 0, e);
}

static int count_recording(const struct entry *n, int64_t id, struct error *e)
{
    struct sql s = sql_use(&n->c->sql, "UPDATE finding SET recordings = recordings + 1, first = min(first, ?2) WHERE id = ?1");
    sql_int(&s, id);
    sql_int(&s, n->first);
    return sql_run(&s, 0, e);
}

static int enter_found(const struct entry *n, const struct catalogue_found *one, struct error *e)
{
    struct known k;
    int rc = find_known(n, one, &k, e);
    bool is_new = !k.id;
    if (!rc && is_new) {
        rc = add_row(n, one, &k.id, e);
        k.worst = -1;
        k.last = n->last;
    }
    if (rc || !k.id)
        return rc;
    rc = count_recording(n, k.id, e);
    if (!rc && ((int64_t)(one->score * MILLIONTHS) > k.worst || !k.has_evidence))
        rc = take_evidence(n, one, k.id, e);
    if (!rc && (is_new || n->last > k.last || (n->last == k.last && k.state != STATE_RESOLVED)))
        rc = take_latest(n, one, &k, e);
    return rc ? rc : add_labels(n, k.id, e);
}

/* ---- findings that the recording does not have ---- */

static bool has(const struct catalogue_judgement *j, const char *rule, const char *place)
{
    for (uint32_t i = 0; i < j->found_count; i++)
        if (!strcmp(j->found[i].rule, rule) && !strcmp(j->found[i].place, place))
            return true;
    return false;
}

struct absent {
    int64_t *ids;
    uint32_t count, cap;
};

static int list_absent(const struct entry *n, struct absent *list, struct error *e)
{
    struct sql s =
        sql_use(&n->c->sql, "SELECT id, rule, place FROM finding WHERE service = ?1 AND state < " SILENCED_TEXT " AND last < ?2");
    int rc;
    sql_int(&s, n->service);
    sql_int(&s, n->last);
    while ((rc = sql_step(&s, e)) > 0) {
        const char *rule = sql_column_text(&s, 1);
        if (has(n->j, rule, sql_column_text(&s, 2)) || !n->j->could_judge(n->j->context, rule))
            continue;
        if (ARRAY_GROW(list->ids, list->cap, list->count)) {
            rc = error_set(e, -ENOMEM, "out of memory");
            break;
        }
        list->ids[list->count++] = sql_column(&s, 0);
    }
    sql_done(&s);
    return rc;
}

/* Counts a recording without the finding. Enough of them, for long enough, resolve it. */
static int count_absent(const struct entry *n, int64_t id, struct error *e)
{
    struct sql s = sql_use(&n->c->sql, "UPDATE finding SET quiet = quiet + 1 WHERE id = ?");
    sql_int(&s, id);
    int rc = sql_run(&s, 0, e);
    struct sql end = sql_use(&n->c->sql, "UPDATE finding SET state = " RESOLVED_TEXT
                                         ", changed = ?2, gone = ?5, keeps = 0 WHERE id = ?1 AND quiet >= ?3 AND last + ?4 <= ?5");
    sql_int(&end, id);
    sql_int(&end, now_s());
    sql_int(&end, CATALOGUE_QUIET_RECORDINGS);
    sql_int(&end, n->j->resolve_s);
    sql_int(&end, n->last);
    return sql_run(&end, rc, e);
}

static int enter_absent(const struct entry *n, struct error *e)
{
    struct absent list = {0};
    int rc = list_absent(n, &list, e);
    for (uint32_t i = 0; !rc && i < list.count; i++)
        rc = count_absent(n, list.ids[i], e);
    free(list.ids);
    return rc;
}

static int count_judged(const struct entry *n, struct error *e)
{
    struct sql s = sql_use(&n->c->sql, "UPDATE judging SET judged = judged + 1 WHERE service = ?");
    sql_int(&s, n->service);
    return sql_run(&s, 0, e);
}

static int enter(struct catalogue *c, const struct catalogue_judgement *j, struct error *e)
{
    struct entry n = {.c = c, .j = j};
    int rc = catalogue_end_waiting(c, j->recording, &n.service, e);
    if (rc || !n.service)
        return rc;
    rc = count_judged(&n, e);
    rc = rc ? rc : read_recording(&n, e);
    for (uint32_t i = 0; !rc && i < j->found_count; i++)
        rc = enter_found(&n, &j->found[i], e);
    return rc ? rc : enter_absent(&n, e);
}

int catalogue_judged(struct catalogue *c, const struct catalogue_judgement *j, struct error *e)
{
    int rc = sql_begin(&c->sql, true, e);
    return rc ? rc : sql_end(&c->sql, enter(c, j, e), e);
}

int catalogue_change_finding(struct catalogue *c, uint64_t id, enum catalogue_state state, const char *note, int64_t now, struct error *e)
{
    int rc = sql_begin(&c->sql, true, e);
    if (rc)
        return rc;
    struct sql s = sql_use(&c->sql, "UPDATE finding SET changed = CASE WHEN ?2 AND state <> ?3 THEN ?4 ELSE changed END, "
                                    "state = CASE WHEN ?2 THEN ?3 ELSE state END, quiet = CASE WHEN ?2 THEN 0 ELSE quiet END, "
                                    "keeps = CASE WHEN ?2 THEN ?3 < 2 AND (" CATALOGUE_KEEPS " OR " MAY_KEEP ") ELSE keeps END, "
                                    "note = CASE WHEN ?5 THEN ?6 ELSE note END WHERE id = ?1");
    sql_int(&s, (int64_t)id);
    sql_int(&s, state != STATES);
    sql_int(&s, state);
    sql_int(&s, now);
    sql_int(&s, note != NULL);
    sql_text(&s, note);
    rc = sql_run(&s, 0, e);
    if (!rc && !sqlite3_changes(c->sql.db))
        rc = error_set(e, -ENOENT, "there is no finding %" PRIu64, id);
    return sql_end(&c->sql, rc, e);
}
