/* Writes and reads the books of recordings, by minute.
 *
 * A row has what all accounts of one recording gained in one minute, as numbers (files/column.h). For each account that gained something,
 * these are its id, its time or bytes, and its count. Both may be negative, because an account of something that is pending also
 * shrinks. */
#include "store/catalogue/catalogue_internal.h"
#include "store/files/column.h"

#include "base/array.h"

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
static int visit_lines(const struct accounts *a, struct catalogue_book_hit *hit, struct column *in,
                       const struct catalogue_book_visitor *visitor)
{
    int rc = 0;
    while (!rc && in->at < in->size) {
        uint64_t id = column_next(in);
        hit->line.ns = column_next_signed(in);
        hit->line.count = column_next_signed(in);
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
        rc = lines ? visit_lines(a, &hit, &in, visitor) : 0;
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
    accounts_deinit(&a);
    return catalogue_read_end(c, r, rc, e);
}
