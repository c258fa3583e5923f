/* Queries the catalog. Queries may take long, so they use separate connections, and no other function waits for them. */
#include "store/catalogue/catalogue_internal.h"

#include <string.h>

static int forgotten(struct sql_database *d, int64_t from, int64_t to, catalogue_visit_forgotten *visit, void *context, struct error *e)
{
    struct sql s = sql_use(d, "SELECT service, type, why, parts, rows, weight FROM forgotten "
                              "WHERE day BETWEEN ?1 / 86400 AND ?2 / 86400 AND last >= ?1 AND first < ?2");
    int rc;
    sql_int(&s, from);
    sql_int(&s, to);
    while ((rc = sql_step(&s, e)) > 0) {
        struct catalogue_forgotten f = {
            .service = sql_column_text(&s, 0),
            .type = sql_column_text(&s, 1),
            .why = (enum catalogue_why)sql_column(&s, 2),
            .parts = (uint64_t)sql_column(&s, 3),
            .rows = (uint64_t)sql_column(&s, 4),
            .weight = (uint64_t)sql_column(&s, 5),
        };
        rc = visit(context, &f);
        if (rc)
            break;
    }
    sql_done(&s);
    return rc;
}

int catalogue_forgotten(struct catalogue *c, int64_t from, int64_t to, const struct catalogue_patience *patience,
                        catalogue_visit_forgotten *visit, void *context, struct error *e)
{
    struct catalogue_reader *r;
    int rc = catalogue_read_begin(c, patience, &r, e);
    return rc ? rc : catalogue_read_end(c, r, forgotten(&r->sql, from, to, visit, context, e), e);
}

static int recordings(struct sql_database *d, int64_t from, int64_t to, catalogue_visit_recording *visit, void *context, struct error *e)
{
    struct sql s = sql_use(d, "SELECT " CATALOGUE_RECORDING " FROM recording r WHERE r.last >= ? AND r.first < ? ORDER BY r.id DESC");
    int rc;
    sql_int(&s, from);
    sql_int(&s, to);
    while ((rc = sql_step(&s, e)) > 0) {
        struct catalogue_recording r;
        catalogue_fill(&r, &s);
        rc = catalogue_fill_rest(d, &r, sql_column(&s, 3), e);
        rc = rc ? rc : visit(context, &r);
        catalogue_recording_deinit(&r);
        if (rc)
            break;
    }
    sql_done(&s);
    return rc;
}

int catalogue_recordings(struct catalogue *c, int64_t from, int64_t to, const struct catalogue_patience *patience,
                         catalogue_visit_recording *visit, void *context, struct error *e)
{
    struct catalogue_reader *r;
    int rc = catalogue_read_begin(c, patience, &r, e);
    return rc ? rc : catalogue_read_end(c, r, recordings(&r->sql, from, to, visit, context, e), e);
}

static int streams(struct sql_database *d, int64_t from, int64_t to, catalogue_visit_stream *visit, void *context, struct error *e)
{
    struct sql s = sql_use(d, "SELECT DISTINCT r.labelset, t.name FROM recording r JOIN content c ON c.recording = r.id "
                              "JOIN type t ON t.id = c.type WHERE r.last >= ?1 AND r.first < ?2 "
                              "UNION SELECT d.labelset, t.name FROM rollup u JOIN rolled d ON d.rollup = u.id "
                              "JOIN type t ON t.id = u.type WHERE u.gone AND u.day BETWEEN ?1 / 86400 AND (?2 - 1) / 86400 ORDER BY 1, 2");
    int rc;
    sql_int(&s, from);
    sql_int(&s, to);
    while ((rc = sql_step(&s, e)) > 0) {
        rc = visit(context, (uint64_t)sql_column(&s, 0), sql_column_text(&s, 1));
        if (rc)
            break;
    }
    sql_done(&s);
    return rc;
}

int catalogue_streams(struct catalogue *c, int64_t from, int64_t to, const struct catalogue_patience *patience,
                      catalogue_visit_stream *visit, void *context, struct error *e)
{
    struct catalogue_reader *r;
    int rc = catalogue_read_begin(c, patience, &r, e);
    return rc ? rc : catalogue_read_end(c, r, streams(&r->sql, from, to, visit, context, e), e);
}

static int labels(struct sql_database *d, catalogue_visit_label *visit, void *context, struct error *e)
{
    struct sql s = sql_use(d, "SELECT labelset, name, value FROM label ORDER BY labelset, name");
    int rc;
    while ((rc = sql_step(&s, e)) > 0) {
        rc = visit(context, (uint64_t)sql_column(&s, 0), sql_column_text(&s, 1), sql_column_text(&s, 2));
        if (rc)
            break;
    }
    sql_done(&s);
    return rc;
}

int catalogue_labels(struct catalogue *c, const struct catalogue_patience *patience, catalogue_visit_label *visit, void *context,
                     struct error *e)
{
    struct catalogue_reader *r;
    int rc = catalogue_read_begin(c, patience, &r, e);
    return rc ? rc : catalogue_read_end(c, r, labels(&r->sql, visit, context, e), e);
}

static int sums_of(struct sql_database *d, struct catalogue_sums *to, struct error *e)
{
    struct sql s = sql_use(
        d, "SELECT coalesce(sum(recordings), 0), coalesce(sum(raw_bytes), 0), coalesce(sum(segments), 0), coalesce(sum(segment_bytes), 0), "
           "coalesce(sum(dictionary_bytes), 0), coalesce(sum(pending), 0), coalesce(sum(lost), 0), coalesce(sum(bad), 0), "
           "coalesce((SELECT day FROM part ORDER BY day LIMIT 1), 0), coalesce((SELECT day FROM part ORDER BY day DESC LIMIT 1), 0), "
           "coalesce(sum(rollup_bytes), 0), coalesce(sum(cold_recordings), 0), coalesce(sum(cold_bytes), 0), "
           "(SELECT count(*) FROM cold_going) FROM usage");
    int rc = sql_step(&s, e);
    if (rc > 0)
        *to = (struct catalogue_sums){
            .recordings = (uint64_t)sql_column(&s, 0),
            .recording_bytes = (uint64_t)sql_column(&s, 1),
            .segments = (uint64_t)sql_column(&s, 2),
            .segment_bytes = (uint64_t)sql_column(&s, 3),
            .dictionary_bytes = (uint64_t)sql_column(&s, 4),
            .pending = (uint64_t)sql_column(&s, 5),
            .lost = (uint64_t)sql_column(&s, 6),
            .bad = (uint64_t)sql_column(&s, 7),
            .oldest_day = sql_column(&s, 8),
            .newest_day = sql_column(&s, 9),
            .rollup_bytes = (uint64_t)sql_column(&s, 10),
            .cold_recordings = (uint64_t)sql_column(&s, 11),
            .cold_bytes = (uint64_t)sql_column(&s, 12),
            .cold_going = (uint64_t)sql_column(&s, 13),
        };
    sql_done(&s);
    return rc < 0 ? rc : 0;
}

int catalogue_sums(struct catalogue *c, struct catalogue_sums *sums, struct error *e)
{
    *sums = (struct catalogue_sums){0};
    struct catalogue_reader *r;
    int rc = catalogue_read_begin(c, NULL, &r, e);
    return rc ? rc : catalogue_read_end(c, r, sums_of(&r->sql, sums, e), e);
}

static int usage(struct sql_database *d, catalogue_visit_usage *visit, void *context, struct error *e)
{
    struct sql s = sql_use(d, "SELECT u.service, s.name, u.recordings, u.raw_bytes, u.segment_bytes, u.dictionary_bytes, "
                              "(SELECT min(first) FROM recording WHERE service = u.service) / 86400, u.rollup_bytes, "
                              "(SELECT min(day) FROM rollup WHERE service = u.service AND step = 3600 AND until > 0), "
                              "(SELECT min(day) FROM rollup WHERE service = u.service AND step = 86400 AND until > 0), u.cold_bytes "
                              "FROM usage u JOIN service s ON s.id = u.service WHERE u.recordings > 0 OR u.rollup_bytes > 0 "
                              "ORDER BY u.raw_bytes + u.segment_bytes + u.dictionary_bytes + u.rollup_bytes DESC, u.service");
    int rc;
    while ((rc = sql_step(&s, e)) > 0) {
        struct catalogue_usage one = {
            .service = (uint64_t)sql_column(&s, 0),
            .name = sql_column_text(&s, 1),
            .recordings = (uint64_t)sql_column(&s, 2),
            .raw_bytes = (uint64_t)sql_column(&s, 3),
            .segment_bytes = (uint64_t)sql_column(&s, 4),
            .dictionary_bytes = (uint64_t)sql_column(&s, 5),
            .oldest_day = sqlite3_column_type(s.statement, 6) == SQLITE_NULL ? INT64_MAX : sql_column(&s, 6),
            .rollup_bytes = (uint64_t)sql_column(&s, 7),
            .oldest_hours = sqlite3_column_type(s.statement, 8) == SQLITE_NULL ? INT64_MAX : sql_column(&s, 8),
            .oldest_days = sqlite3_column_type(s.statement, 9) == SQLITE_NULL ? INT64_MAX : sql_column(&s, 9),
            .cold_bytes = (uint64_t)sql_column(&s, 10),
        };
        rc = visit(context, &one);
        if (rc)
            break;
    }
    sql_done(&s);
    return rc;
}

int catalogue_usage(struct catalogue *c, catalogue_visit_usage *visit, void *context, struct error *e)
{
    struct catalogue_reader *r;
    int rc = catalogue_read_begin(c, NULL, &r, e);
    return rc ? rc : catalogue_read_end(c, r, usage(&r->sql, visit, context, e), e);
}
