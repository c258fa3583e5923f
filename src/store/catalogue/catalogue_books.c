/* Writes and reads the books of recordings, by minute.
 *
 * A row has what all accounts of one recording gained in one minute, as numbers (files/column.h). For each account that gained something,
 * these are its id, its time or bytes, and its count. Both may be negative, because an account of something that is pending also
 * shrinks.
 *
 * When rows are deleted, the books of their recordings are added up by hour and label set. Such a line also has the number of
 * recordings. */
#include "store/catalogue/catalogue_internal.h"
#include "store/files/column.h"

#include "base/array.h"
#include "base/map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 160, ROW_BYTES_MAX = 1 << 16, ACCOUNTS_MAX = 1 << 16 };

/* ---- writing ---- */

static int find_account(struct catalogue *c, const char *name, int64_t *id, struct error *e)
{
    struct sql s = sql_use(&c->sql, "SELECT id FROM account WHERE name = ?");
    sql_text(&s, name);
    int rc = sql_step(&s, e);
    *id = rc > 0 ? sql_column(&s, 0) : 0;
    sql_done(&s);
    return rc < 0 ? rc : 0;
}

static int account_of(struct catalogue *c, const struct catalogue_book *line, int64_t *id, struct error *e)
{
    char name[NAME_MAX_BYTES];
    snprintf(name, sizeof name, "%s%s%s", line->account, *line->reason ? " " : "", line->reason);
    int rc = find_account(c, name, id, e);
    if (rc || *id)
        return rc;
    struct sql s = sql_use(&c->sql, "INSERT INTO account (name) VALUES (?)");
    sql_text(&s, name);
    rc = sql_run(&s, 0, e);
    *id = sqlite3_last_insert_rowid(c->sql.db);
    return rc;
}

static int put_minute(struct catalogue *c, const struct catalogue_recording *r, const struct catalogue_book *lines, uint32_t n,
                      struct buffer *out, struct error *e)
{
    int rc = 0;
    buffer_reset(out);
    for (uint32_t i = 0; !rc && i < n; i++) {
        int64_t id;
        rc = account_of(c, &lines[i], &id, e);
        column_put(out, (uint64_t)id);
        column_put_signed(out, lines[i].ns);
        column_put_signed(out, lines[i].count);
    }
    if (!rc && out->failed)
        rc = error_set(e, -ENOMEM, "out of memory");
    struct sql s = sql_use(&c->sql, "INSERT INTO book (minute, recording, lines) VALUES (?, ?, ?)");
    sql_int(&s, lines->minute);
    sql_int(&s, (int64_t)r->id);
    sql_blob(&s, out->data, out->len);
    return sql_run(&s, rc, e);
}

int catalogue_add_books(struct catalogue *c, const struct catalogue_recording *r, struct error *e)
{
    struct buffer out;
    int rc = 0;
    buffer_init(&out, ROW_BYTES_MAX);
    for (uint32_t begin = 0, end; !rc && begin < r->book_count; begin = end) {
        for (end = begin; end < r->book_count && r->books[end].minute == r->books[begin].minute;)
            end++;
        rc = put_minute(c, r, &r->books[begin], end - begin, &out, e);
    }
    buffer_deinit(&out);
    return rc;
}

/* ---- by hour ---- */

/* The sums of one hour and label set. */
struct hour_sums {
    struct hour_line {
        int64_t ns, count;
        uint64_t id, recordings;
    } * list;
    uint32_t count, cap;
    int64_t hour, labelset;
};

static int add_line(struct hour_sums *sums, const struct hour_line *line)
{
    for (uint32_t i = 0; i < sums->count; i++)
        if (sums->list[i].id == line->id) {
            sums->list[i].ns = (int64_t)((uint64_t)sums->list[i].ns + (uint64_t)line->ns);
            sums->list[i].count = (int64_t)((uint64_t)sums->list[i].count + (uint64_t)line->count);
            sums->list[i].recordings += line->recordings;
            return 0;
        }
    if (ARRAY_GROW(sums->list, sums->cap, sums->count))
        return -ENOMEM;
    sums->list[sums->count++] = *line;
    return 0;
}

/* Adds the lines of a row. recordings: of each line, or -1 = the row has the numbers. */
static int add_lines(struct hour_sums *sums, const struct sql *s, int column, int64_t recordings)
{
    struct column in = {.bytes = (uint8_t *)sqlite3_column_blob(s->statement, column),
                        .size = (size_t)sqlite3_column_bytes(s->statement, column)};
    int rc = 0;
    while (!rc && in.bytes && in.at < in.size) {
        struct hour_line line = {.id = column_next(&in)};
        line.ns = column_next_signed(&in);
        line.count = column_next_signed(&in);
        line.recordings = recordings < 0 ? column_next(&in) : (uint64_t)recordings;
        if (in.bad)
            return 0;
        rc = add_line(sums, &line);
    }
    return rc;
}

/* Adds the sums to those that the catalog has of the hour. */
static int put_hour(struct catalogue *c, struct hour_sums *sums, int64_t service, struct buffer *out, struct error *e)
{
    struct sql old = sql_use(&c->sql, "SELECT lines FROM rolled_book WHERE hour = ? AND labelset = ?");
    sql_int(&old, sums->hour);
    sql_int(&old, sums->labelset);
    int rc = sql_step(&old, e);
    rc = rc > 0 && add_lines(sums, &old, 0, -1) ? error_set(e, -ENOMEM, "out of memory") : rc < 0 ? rc : 0;
    sql_done(&old);
    buffer_reset(out);
    for (uint32_t i = 0; i < sums->count; i++) {
        column_put(out, sums->list[i].id);
        column_put_signed(out, sums->list[i].ns);
        column_put_signed(out, sums->list[i].count);
        column_put(out, sums->list[i].recordings);
    }
    struct sql s = sql_use(&c->sql, "INSERT OR REPLACE INTO rolled_book (hour, labelset, service, lines) VALUES (?, ?, ?, ?)");
    sql_int(&s, sums->hour);
    sql_int(&s, sums->labelset);
    sql_int(&s, service);
    sql_blob(&s, out->data, out->len);
    sums->count = 0;
    return sql_run(&s, rc, e);
}

int catalogue_roll_books(struct catalogue *c, int64_t service, int64_t day, struct error *e)
{
    struct sql s = sql_use(&c->sql, "SELECT b.minute / 60, r.labelset, b.recording, b.lines "
                                    "FROM recording r JOIN book b ON b.recording = r.id WHERE r.service = ?1 AND r.first < ?2 * 86400 AND "
                                    "b.minute < ?2 * 1440 AND EXISTS (SELECT 1 FROM "
                                    "rollup u WHERE u.service = ?1 AND u.day = b.minute / 1440 AND u.until > 0) ORDER BY 1, 2");
    struct hour_sums sums = {0};
    struct buffer out;
    struct map seen;
    int rc, more;
    sql_int(&s, service);
    sql_int(&s, day);
    buffer_init(&out, ROW_BYTES_MAX * 8);
    map_init(&seen);
    for (rc = 0; !rc && (more = sql_step(&s, e));) {
        bool added = false;
        rc = more < 0 ? more : 0;
        if (!rc && sums.count && (sums.hour != sql_column(&s, 0) || sums.labelset != sql_column(&s, 1)))
            rc = put_hour(c, &sums, service, &out, e);
        sums.hour = sql_column(&s, 0);
        sums.labelset = sql_column(&s, 1);
        if (!rc && (!map_add(&seen, (uint64_t)sql_column(&s, 2), &added) || add_lines(&sums, &s, 3, added)))
            rc = error_set(e, -ENOMEM, "out of memory");
    }
    sql_done(&s);
    rc = rc || !sums.count ? rc : put_hour(c, &sums, service, &out, e);
    map_deinit(&seen);
    buffer_deinit(&out);
    free(sums.list);
    return rc;
}

/* ---- reading ---- */

struct accounts {
    struct account {
        char account[NAME_MAX_BYTES];
        const char *reason;
        unsigned mark; /* the visitor's; 0 = its lines are left out */
    } * *list;         /* by id; NULL = there is none */
    uint32_t count, cap;
};

static void accounts_deinit(struct accounts *a)
{
    for (uint32_t i = 0; i < a->count; i++)
        free(a->list[i]);
    free(a->list);
}

static int note_account(struct accounts *a, int64_t id, const char *name, const struct catalogue_book_visitor *visitor)
{
    struct account *one = calloc(1, sizeof *one);
    int rc = one ? 0 : -ENOMEM;
    while (!rc && a->count <= id) {
        rc = ARRAY_GROW(a->list, a->cap, a->count);
        if (!rc)
            a->list[a->count++] = NULL;
    }
    if (rc || a->list[id]) {
        free(one);
        return rc;
    }
    snprintf(one->account, sizeof one->account, "%s", name);
    char *blank = strchr(one->account, ' ');
    one->reason = blank ? blank + 1 : "";
    if (blank)
        *blank = 0;
    one->mark = visitor->mark(visitor->context, one->account);
    a->list[id] = one;
    return 0;
}

static int read_accounts(struct sql_database *d, struct accounts *a, const struct catalogue_book_visitor *visitor, struct error *e)
{
    struct sql s = sql_use(d, "SELECT id, name FROM account");
    int rc;
    while ((rc = sql_step(&s, e)) > 0) {
        int64_t id = sql_column(&s, 0);
        if (id > 0 && id < ACCOUNTS_MAX && note_account(a, id, sql_column_text(&s, 1), visitor)) {
            rc = error_set(e, -ENOMEM, "out of memory");
            break;
        }
    }
    sql_done(&s);
    return rc;
}

/* A damaged line ends the row, and an account that nobody knows is skipped: one recording must not spoil the answers about all others. */
static int visit_lines(const struct accounts *a, struct catalogue_book_hit *hit, struct column *in, bool by_hour,
                       const struct catalogue_book_visitor *visitor)
{
    int rc = 0;
    while (!rc && in->at < in->size) {
        uint64_t id = column_next(in);
        hit->line.ns = column_next_signed(in);
        hit->line.count = column_next_signed(in);
        hit->recordings = by_hour ? column_next(in) : 0;
        if (in->bad)
            return 0;
        if (id >= a->count || !a->list[id] || !a->list[id]->mark)
            continue;
        hit->mark = a->list[id]->mark;
        hit->line.account = a->list[id]->account;
        hit->line.reason = a->list[id]->reason;
        rc = visitor->visit(visitor->context, hit);
    }
    return rc;
}

static int books(struct sql_database *d, const struct accounts *a, int64_t from, int64_t to, const struct catalogue_book_visitor *visitor,
                 struct error *e)
{
    struct sql s = sql_use(d, "SELECT b.minute, b.recording, r.labelset, b.lines FROM book b JOIN recording r ON r.id = b.recording "
                              "WHERE b.minute >= ?1 AND b.minute < ?2");
    int rc;
    sql_int(&s, from / 60);
    sql_int(&s, (to + 59) / 60);
    while ((rc = sql_step(&s, e)) > 0) {
        if (!visitor->selects(visitor->context, (uint64_t)sql_column(&s, 2)))
            continue;
        const void *lines = sqlite3_column_blob(s.statement, 3);
        struct column in = {.bytes = (uint8_t *)lines, .size = (size_t)sqlite3_column_bytes(s.statement, 3)};
        struct catalogue_book_hit hit = {.recording = (uint64_t)sql_column(&s, 1), .line = {.minute = sql_column(&s, 0)}};
        rc = lines ? visit_lines(a, &hit, &in, false, visitor) : 0;
        if (rc)
            break;
    }
    sql_done(&s);
    return rc;
}

static int hours(struct sql_database *d, const struct accounts *a, int64_t from, int64_t to, const struct catalogue_book_visitor *visitor,
                 struct error *e)
{
    struct sql s = sql_use(d, "SELECT hour, labelset, lines FROM rolled_book WHERE hour >= ? AND hour < ?");
    int rc;
    sql_int(&s, (from + 3599) / 3600);
    sql_int(&s, to / 3600);
    while ((rc = sql_step(&s, e)) > 0) {
        if (!visitor->selects(visitor->context, (uint64_t)sql_column(&s, 1)))
            continue;
        struct column in = {.bytes = (uint8_t *)sqlite3_column_blob(s.statement, 2), .size = (size_t)sqlite3_column_bytes(s.statement, 2)};
        struct catalogue_book_hit hit = {.line = {.minute = sql_column(&s, 0) * 60}};
        rc = in.bytes ? visit_lines(a, &hit, &in, true, visitor) : 0;
        if (rc)
            break;
    }
    sql_done(&s);
    return rc;
}

int catalogue_books(struct catalogue *c, int64_t from, int64_t to, const struct catalogue_patience *patience,
                    const struct catalogue_book_visitor *visitor, struct error *e)
{
    struct catalogue_reader *r;
    struct accounts a = {0};
    int rc = catalogue_read_begin(c, patience, &r, e);
    if (rc)
        return rc;
    rc = read_accounts(&r->sql, &a, visitor, e);
    rc = rc ? rc : books(&r->sql, &a, from, to, visitor, e);
    rc = rc ? rc : hours(&r->sql, &a, from, to, visitor, e);
    accounts_deinit(&a);
    return catalogue_read_end(c, r, rc, e);
}
