/* Writes and reads the key metrics of recordings, by minute.
 *
 * A row of the table metric has entries of one hour and one label set, and a recording adds its minutes to the last row of theirs. So a
 * question about many minutes reads few rows. An entry is a list of numbers (files/column.h):
 *
 *     minute of the hour | recording | time covered, in ns | set of metrics, 1 << id each | bytes of what follows |
 *     the amount of each metric, by ascending id
 *
 * A row that has ROW_BYTES_MAX bytes is followed by another one. So it takes the same time to add a recording, however many recordings have
 * the same labels. */
#include "store/catalogue/catalogue_internal.h"
#include "store/files/column.h"

#include <errno.h>
#include <string.h>

enum { ROW_BYTES_MAX = 1 << 14, ENTRIES_BYTES_MAX = 1 << 20, MINUTES_PER_HOUR = 60, IDS = KEY_METRIC_ID_MAX + 1 };

/* Fills the metrics by their ids. KEY_METRICS = no metric has this id. */
static void list_by_id(enum key_metric by_id[IDS])
{
    for (int id = 0; id < IDS; id++)
        by_id[id] = KEY_METRICS;
    for (int metric = 0; metric < KEY_METRICS; metric++)
        by_id[key_metric_rows[metric].id] = (enum key_metric)metric;
}

static int64_t hour_of(int64_t minute)
{
    return minute / MINUTES_PER_HOUR - (minute % MINUTES_PER_HOUR < 0);
}

/* ---- writing ---- */

static void put_entry(struct buffer *out, uint64_t recording, const struct key_minute *m, const enum key_metric by_id[IDS])
{
    struct buffer amounts;
    uint64_t ids = 0;
    buffer_init(&amounts, ENTRIES_BYTES_MAX);
    for (int id = 0; id < IDS; id++) {
        if (by_id[id] == KEY_METRICS || !(m->known & key_metric_bit(by_id[id])))
            continue;
        ids |= (uint64_t)1 << id;
        column_put_signed(&amounts, m->amounts[by_id[id]]);
    }
    column_put(out, (uint64_t)(m->minute - hour_of(m->minute) * MINUTES_PER_HOUR));
    column_put(out, recording);
    column_put(out, m->covered_ns);
    column_put(out, ids);
    column_put(out, amounts.len);
    buffer_put(out, amounts.data, amounts.len);
    out->failed |= amounts.failed;
    buffer_deinit(&amounts);
}

/* Finds the last row of the hour and the labels. *id = 0 if there is none that has room. */
static int find_row(struct catalogue *c, int64_t hour, int64_t labelset, int64_t *id, struct error *e)
{
    struct sql s = sql_use(&c->sql, "SELECT id, length(minutes) FROM metric WHERE hour = ? AND labelset = ? ORDER BY id DESC LIMIT 1");
    sql_int(&s, hour);
    sql_int(&s, labelset);
    int rc = sql_step(&s, e);
    *id = rc > 0 && sql_column(&s, 1) < ROW_BYTES_MAX ? sql_column(&s, 0) : 0;
    sql_done(&s);
    return rc < 0 ? rc : 0;
}

static int add_row(struct catalogue *c, int64_t hour, int64_t service, int64_t labelset, const struct buffer *entries, struct error *e)
{
    struct sql s = sql_use(&c->sql, "INSERT INTO metric (hour, service, labelset, minutes) VALUES (?, ?, ?, ?)");
    sql_int(&s, hour);
    sql_int(&s, service);
    sql_int(&s, labelset);
    sql_blob(&s, entries->data, entries->len);
    return sql_run(&s, 0, e);
}

static int add_to_row(struct catalogue *c, int64_t id, const struct buffer *entries, struct error *e)
{
    /* || makes a text of two blobs, of the same bytes. */
    struct sql s = sql_use(&c->sql, "UPDATE metric SET minutes = CAST(minutes || ? AS BLOB) WHERE id = ?");
    sql_blob(&s, entries->data, entries->len);
    sql_int(&s, id);
    return sql_run(&s, 0, e);
}

static int add_hour(struct catalogue *c, int64_t hour, int64_t service, int64_t labelset, const struct buffer *entries, struct error *e)
{
    int64_t id = 0;
    int rc = entries->failed ? error_set(e, -ENOMEM, "out of memory") : find_row(c, hour, labelset, &id, e);
    if (rc)
        return rc;
    return id ? add_to_row(c, id, entries, e) : add_row(c, hour, service, labelset, entries, e);
}

int catalogue_add_metrics(struct catalogue *c, const struct catalogue_recording *r, int64_t service, int64_t labelset, struct error *e)
{
    enum key_metric by_id[IDS];
    struct buffer entries;
    int rc = 0;
    list_by_id(by_id);
    buffer_init(&entries, ENTRIES_BYTES_MAX);
    for (uint32_t i = 0; !rc && i < r->minute_count;) {
        int64_t hour = hour_of(r->minutes[i].minute);
        buffer_reset(&entries);
        for (; i < r->minute_count && hour_of(r->minutes[i].minute) == hour; i++)
            put_entry(&entries, r->id, &r->minutes[i], by_id);
        rc = add_hour(c, hour, service, labelset, &entries, e);
    }
    buffer_deinit(&entries);
    return rc;
}

/* ---- reading ---- */

struct reading {
    const struct catalogue_metric_visitor *visitor;
    int64_t from, to; /* minutes; `to` is excluded */
    uint64_t wanted;  /* bits 1 << id */
    enum key_metric by_id[IDS];
};

/* Moves past n numbers, eight bytes at a time: the last byte of each number has no high bit. */
static void skip(struct column *in, unsigned n)
{
    uint64_t bytes;
    while (n && in->at + sizeof bytes <= in->size) {
        memcpy(&bytes, in->bytes + in->at, sizeof bytes);
        uint64_t ends = ~bytes & 0x8080808080808080u;
        unsigned count = (unsigned)__builtin_popcountll(ends);
        if (count >= n) {
            for (; n > 1; n--)
                ends &= ends - 1;
            in->at += (size_t)__builtin_ctzll(ends) / 8 + 1;
            return;
        }
        in->at += sizeof bytes;
        n -= count;
    }
    for (; n && !in->bad; n--)
        column_next(in);
}

/* Reads the wanted amounts, and moves to the end of the entry. */
static void read_amounts(const struct reading *r, struct column *in, uint64_t ids, size_t bytes, struct key_minute *m)
{
    struct column amounts = {.bytes = in->bytes, .size = in->at + bytes, .at = in->at};
    in->bad |= bytes > in->size - in->at;
    for (uint64_t wanted = ids & r->wanted; wanted && !in->bad; wanted &= wanted - 1) {
        uint64_t bit = wanted & -wanted;
        skip(&amounts, (unsigned)__builtin_popcountll(ids & (bit - 1)));
        ids &= ~((bit - 1) | bit);
        enum key_metric metric = r->by_id[__builtin_ctzll(bit)];
        m->known |= key_metric_bit(metric);
        m->amounts[metric] = column_next_signed(&amounts);
        in->bad |= amounts.bad;
    }
    in->at += bytes;
}

/* A damaged entry ends the row: one recording must not spoil the answers about all others. */
static int visit_entries(const struct reading *r, int64_t hour, struct column *in, struct catalogue_metric_hit *hit)
{
    int rc = 0;
    while (!rc && in->at < in->size) {
        struct key_minute *m = &hit->minute;
        m->known = 0;
        m->minute = hour * MINUTES_PER_HOUR + (int64_t)column_next(in) % MINUTES_PER_HOUR;
        hit->recording = column_next(in);
        m->covered_ns = column_next(in);
        uint64_t ids = column_next(in);
        read_amounts(r, in, ids, column_next(in), m);
        if (in->bad)
            break;
        if (m->minute >= r->from && m->minute < r->to)
            rc = r->visitor->visit(r->visitor->context, hit);
    }
    return rc;
}

static int read_row(struct sql_database *d, const struct reading *r, int64_t hour, int64_t id, struct catalogue_metric_hit *hit,
                    struct error *e)
{
    struct sql s = sql_use(d, "SELECT minutes FROM metric WHERE id = ?");
    sql_int(&s, id);
    int rc = sql_step(&s, e);
    const void *bytes = rc > 0 ? sqlite3_column_blob(s.statement, 0) : NULL;
    if (rc > 0) {
        struct column in = {.bytes = (uint8_t *)bytes, .size = (size_t)sqlite3_column_bytes(s.statement, 0)};
        rc = bytes ? visit_entries(r, hour, &in, hit) : 0;
    }
    sql_done(&s);
    return rc;
}

/* The rows are found in an index, so that the minutes of label sets that are not selected are not read. */
static int read_rows(struct sql_database *d, const struct reading *r, struct error *e)
{
    struct sql s = sql_use(d, "SELECT hour, labelset, id FROM metric WHERE hour BETWEEN ? AND ? ORDER BY hour, labelset, id");
    struct catalogue_metric_hit hit = {0};
    int rc;
    sql_int(&s, hour_of(r->from));
    sql_int(&s, hour_of(r->to - 1));
    while ((rc = sql_step(&s, e)) > 0) {
        hit.labelset = (uint64_t)sql_column(&s, 1);
        if (!r->visitor->selects(r->visitor->context, hit.labelset))
            continue;
        rc = read_row(d, r, sql_column(&s, 0), sql_column(&s, 2), &hit, e);
        if (rc)
            break;
    }
    sql_done(&s);
    return rc;
}

int catalogue_metrics(struct catalogue *c, int64_t from, int64_t to, const struct catalogue_patience *patience,
                      const struct catalogue_metric_visitor *visitor, struct error *e)
{
    struct reading r = {.visitor = visitor, .from = from, .to = to};
    struct catalogue_reader *reader;
    list_by_id(r.by_id);
    for (int metric = 0; metric < KEY_METRICS; metric++)
        if (visitor->wanted & key_metric_bit((enum key_metric)metric))
            r.wanted |= (uint64_t)1 << key_metric_rows[metric].id;
    int rc = catalogue_read_begin(c, patience, &reader, e);
    return rc ? rc : catalogue_read_end(c, reader, read_rows(&reader->sql, &r, e), e);
}

static int unmeasured(struct sql_database *d, int64_t from, int64_t to, catalogue_visit_unmeasured *visit, void *context, struct error *e)
{
    /* SQLite would rather visit all recordings in the order of their labels. */
    struct sql s = sql_use(d, "SELECT labelset, count(*) FROM recording INDEXED BY recording_unmeasured "
                              "WHERE measured IS NOT 1 AND last >= ? AND first < ? GROUP BY labelset");
    int rc;
    sql_int(&s, from);
    sql_int(&s, to);
    while ((rc = sql_step(&s, e)) > 0) {
        rc = visit(context, (uint64_t)sql_column(&s, 0), (uint64_t)sql_column(&s, 1));
        if (rc)
            break;
    }
    sql_done(&s);
    return rc;
}

int catalogue_unmeasured(struct catalogue *c, int64_t from, int64_t to, const struct catalogue_patience *patience,
                         catalogue_visit_unmeasured *visit, void *context, struct error *e)
{
    struct catalogue_reader *r;
    int rc = catalogue_read_begin(c, patience, &r, e);
    return rc ? rc : catalogue_read_end(c, r, unmeasured(&r->sql, from, to, visit, context, e), e);
}
