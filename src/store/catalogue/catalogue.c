#include "store/catalogue/catalogue_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* SQLite copies its log into the file, with two syncs, when the log has 8,192 pages (32 MiB). It shrinks the log to 64 MiB when no reader
 * needs more. */
static const char settings[] = "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 8192; PRAGMA journal_size_limit = 67108864;"
                               "PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF; PRAGMA trusted_schema = OFF;";

static int one_number(struct catalogue *c, const char *text, int64_t *v, struct error *e)
{
    struct sql s = sql_use(&c->sql, text);
    int rc = sql_step(&s, e);
    *v = rc > 0 ? sql_column(&s, 0) : 0;
    sql_done(&s);
    return rc < 0 ? rc : 0;
}

/* Checks the structure of the file, so that a damaged page is found when the catalog is opened, not when its rows are missed. */
static int check(struct catalogue *c, struct error *e)
{
    struct sql s = sql_use(&c->sql, "PRAGMA quick_check(1)");
    int rc = sql_step(&s, e);
    if (rc > 0)
        rc = strcmp(sql_column_text(&s, 0), "ok") ? error_set(e, -EBADMSG, "%s: damaged: %s", c->path, sql_column_text(&s, 0)) : 0;
    sql_done(&s);
    return rc;
}

static int prepare(struct catalogue *c, struct error *e)
{
    int64_t version;
    int rc = sqlite3_exec(c->sql.db, settings, NULL, NULL, NULL) ? sql_failed(&c->sql, e) : 0;
    rc = rc ? rc : check(c, e);
    rc = rc ? rc : one_number(c, "PRAGMA user_version", &version, e);
    return rc ? rc : catalogue_upgrade(c, version, e);
}

static void end(struct catalogue *c)
{
    catalogue_readers_close(c);
    sql_close(&c->sql);
    pthread_mutex_destroy(&c->sql.lock);
    pthread_mutex_destroy(&c->idle_lock);
    catalogue_sync_deinit(&c->sync);
    free(c);
}

int catalogue_open(struct catalogue **out, const char *path, struct error *e)
{
    struct catalogue *c = *out = calloc(1, sizeof *c);
    if (!c)
        return error_set(e, -ENOMEM, "out of memory");
    snprintf(c->path, sizeof c->path, "%s", path);
    c->sql.path = c->path;
    pthread_mutex_init(&c->sql.lock, NULL);
    pthread_mutex_init(&c->idle_lock, NULL);
    catalogue_sync_init(&c->sync);
    int rc = catalogue_digest_check(path, e);
    if (!rc) {
        rc = sqlite3_open_v2(path, &c->sql.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, NULL);
        rc = rc ? rc : sqlite3_busy_timeout(c->sql.db, CATALOGUE_BUSY_MS);
        rc = rc ? sql_failed(&c->sql, e) : prepare(c, e);
    }
    if (rc) {
        end(c);
        *out = NULL;
    }
    return rc;
}

void catalogue_close(struct catalogue *c)
{
    char path[DISK_PATH_MAX];
    if (!c)
        return;
    snprintf(path, sizeof path, "%s", c->path);
    end(c);
    catalogue_digest_write(path);
}

/* Copies step by step. The reading transaction makes all steps see the same state. */
static int copy_pages(sqlite3 *from, sqlite3 *to, const char *path, const struct catalogue_patience *patience, struct error *e)
{
    enum { PAGES = 4096 };
    int over = 0, rc = sqlite3_exec(from, "BEGIN; SELECT 1 FROM sqlite_master LIMIT 1", NULL, NULL, NULL);
    if (rc)
        return error_set(e, -EIO, "%s: %s", path, sqlite3_errmsg(from));
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
    while (backup && !rc && !(over = patience ? patience->is_over(patience->context, e) : 0))
        rc = sqlite3_backup_step(backup, PAGES);
    rc = backup ? sqlite3_backup_finish(backup) : SQLITE_ERROR;
    sqlite3_exec(from, "COMMIT", NULL, NULL, NULL);
    return over ? over : rc ? error_set(e, -EIO, "%s: %s", path, sqlite3_errmsg(to)) : 0;
}

static int on_check(void *problem, int columns, char **texts, char **names)
{
    snprintf(problem, sizeof(struct error), "%s", texts[0] ? texts[0] : "");
    return 0;
}

/* A catalog may be damaged while the server runs. Its copy would be damaged, too. */
static int check_copy(const struct catalogue *c, sqlite3 *to, const char *path, const struct catalogue_patience *patience, struct error *e)
{
    struct error problem = {""};
    struct sql_database asking = {.db = to, .path = path};
    if (patience)
        sql_ask(&asking, patience->is_over, patience->context);
    int rc = sqlite3_exec(to, "PRAGMA quick_check(1)", on_check, &problem, NULL) ? sql_failed(&asking, e) : 0;
    sql_ask(&asking, NULL, NULL);
    if (rc)
        return rc;
    return strcmp(problem.text, "ok") ? error_set(e, -EBADMSG, "%s: damaged: %.300s", c->path, problem.text) : 0;
}

/* The copy is read by a connection of its own, so writers do not wait for it. */
int catalogue_backup(struct catalogue *c, const char *path, const struct catalogue_patience *patience, struct error *e)
{
    sqlite3 *from, *to;
    int code = 0;
    if (sqlite3_open_v2(c->path, &from, SQLITE_OPEN_READWRITE, NULL))
        code = error_set(e, -EIO, "%s: %s", c->path, sqlite3_errmsg(from));
    if (sqlite3_open(path, &to) && !code)
        code = error_set(e, -EIO, "%s: %s", path, sqlite3_errmsg(to));
    code = code ? code : copy_pages(from, to, path, patience, e);
    code = code ? code : check_copy(c, to, path, patience, e);
    sqlite3_close(to);
    sqlite3_close(from);
    if (!code)
        catalogue_digest_write(path);
    return code;
}

/* ---- recordings ---- */

static int find(struct catalogue *c, const uint8_t *identity, const char *key, uint64_t *id, struct error *e)
{
    struct sql s = sql_use(&c->sql, "SELECT id FROM recording WHERE identity = ?1 OR key = ?2 ORDER BY identity = ?1 DESC LIMIT 1");
    sql_blob(&s, identity, ENVELOPE_IDENTITY);
    sql_text(&s, key);
    int rc = sql_step(&s, e);
    *id = rc > 0 ? (uint64_t)sql_column(&s, 0) : 0;
    sql_done(&s);
    return rc < 0 ? rc : 0;
}

int catalogue_find(struct catalogue *c, const uint8_t identity[ENVELOPE_IDENTITY], const char *key, uint64_t *id, struct error *e)
{
    int rc = sql_begin(&c->sql, false, e);
    return rc ? rc : sql_end(&c->sql, find(c, identity, key, id, e), e);
}

/* Finds the number of a name in a table of (id, text), and adds the name if necessary. *added: whether it was added. */
static int number_of(struct catalogue *c, const char *insert, const char *select, const char *text, int64_t *id, bool *added,
                     struct error *e)
{
    struct sql s = sql_use(&c->sql, insert);
    sql_text(&s, text);
    int rc = sql_run(&s, 0, e);
    *added = !rc && sqlite3_changes(c->sql.db);
    struct sql get = sql_use(&c->sql, select);
    sql_text(&get, text);
    rc = rc ? rc : sql_step(&get, e);
    *id = rc > 0 ? sql_column(&get, 0) : 0;
    sql_done(&get);
    return rc < 0 ? rc : 0;
}

static int add_labels(struct catalogue *c, int64_t labelset, const struct labels *l, struct error *e)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < l->count; i++) {
        struct sql s = sql_use(&c->sql, "INSERT OR IGNORE INTO label (labelset, name, value) VALUES (?, ?, ?)");
        sql_int(&s, labelset);
        sql_text(&s, l->list[i].name);
        sql_text(&s, l->list[i].value);
        rc = sql_run(&s, 0, e);
    }
    return rc;
}

static int labelset_of(struct catalogue *c, const struct labels *l, int64_t *id, struct error *e)
{
    struct buffer text;
    bool added;
    buffer_init(&text, 1 << 20);
    int rc = labels_write(l, &text) ? error_set(e, -ENOMEM, "out of memory") : 0;
    buffer_u8(&text, 0);
    rc = rc ? rc
            : number_of(c, "INSERT OR IGNORE INTO labelset (text) VALUES (?)", "SELECT id FROM labelset WHERE text = ?",
                        (const char *)text.data, id, &added, e);
    buffer_deinit(&text);
    return rc || !added ? rc : add_labels(c, *id, l, e);
}

static int add_row(struct catalogue *c, struct catalogue_recording *r, int64_t service, int64_t labelset, struct error *e)
{
    struct sql s =
        sql_use(&c->sql, "INSERT INTO recording (identity, key, service, labelset, received_ns, first, last, bytes, flaws, begun, "
                         "ended, measured, agent, raw) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)");
    sql_blob(&s, r->identity, ENVELOPE_IDENTITY);
    sql_text(&s, r->key);
    sql_int(&s, service);
    sql_int(&s, labelset);
    sql_int(&s, r->received_ns);
    sql_int(&s, r->first);
    sql_int(&s, r->last);
    sql_int(&s, (int64_t)r->bytes);
    sql_int(&s, (int64_t)r->flaws);
    sql_int(&s, r->begun);
    sql_int(&s, r->ended);
    sql_int(&s, r->minute_count > 0);
    sql_text(&s, r->agent);
    int rc = sql_run(&s, 0, e);
    r->id = rc ? 0 : (uint64_t)sqlite3_last_insert_rowid(c->sql.db);
    return rc;
}

static int add_contents(struct catalogue *c, const struct catalogue_recording *r, int64_t types[CATALOGUE_CONTENTS_MAX], struct error *e)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < r->content_count; i++) {
        bool added;
        rc = number_of(c, "INSERT OR IGNORE INTO type (name) VALUES (?)", "SELECT id FROM type WHERE name = ?", r->contents[i].type,
                       &types[i], &added, e);
        struct sql s = sql_use(&c->sql, "INSERT INTO content (recording, place, type, weight, samples) VALUES (?, ?, ?, ?, ?)");
        sql_int(&s, (int64_t)r->id);
        sql_int(&s, i);
        sql_int(&s, types[i]);
        sql_int(&s, (int64_t)r->contents[i].weight);
        sql_int(&s, (int64_t)r->contents[i].samples);
        rc = sql_run(&s, rc, e);
    }
    return rc;
}

static int add_parts(struct catalogue *c, uint64_t recording, int64_t service, const int64_t types[CATALOGUE_CONTENTS_MAX],
                     const struct catalogue_part *parts, uint32_t n, struct error *e)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < n; i++) {
        struct sql s = sql_use(&c->sql, "INSERT INTO part (recording, type, day, rows, weight, first, last, service) "
                                        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
        sql_int(&s, (int64_t)recording);
        sql_int(&s, types[parts[i].content]);
        sql_int(&s, parts[i].day);
        sql_int(&s, parts[i].rows);
        sql_int(&s, (int64_t)parts[i].weight);
        sql_int(&s, parts[i].first);
        sql_int(&s, parts[i].last);
        sql_int(&s, service);
        rc = sql_run(&s, 0, e);
    }
    return rc;
}

static int add(struct catalogue *c, struct catalogue_recording *r, const struct catalogue_part *parts, uint32_t n, struct error *e)
{
    int64_t service, labelset, types[CATALOGUE_CONTENTS_MAX];
    bool added;
    int rc = number_of(c, "INSERT OR IGNORE INTO service (name) VALUES (?)", "SELECT id FROM service WHERE name = ?",
                       labels_get(&r->labels, "service"), &service, &added, e);
    rc = rc ? rc : labelset_of(c, &r->labels, &labelset, e);
    rc = rc ? rc : add_row(c, r, service, labelset, e);
    rc = rc ? rc : add_contents(c, r, types, e);
    rc = rc ? rc : add_parts(c, r->id, service, types, parts, n, e);
    rc = rc ? rc : catalogue_add_books(c, r, e);
    return rc ? rc : catalogue_add_metrics(c, r, service, labelset, e);
}

int catalogue_add(struct catalogue *c, struct catalogue_recording *r, const struct catalogue_part *parts, uint32_t n, struct error *e)
{
    int rc = sql_begin_unsynced(&c->sql, &c->sync.written, e);
    rc = rc ? rc : sql_end(&c->sql, add(c, r, parts, n, e), e);
    return rc ? rc : catalogue_sync(c, e);
}

void catalogue_fill(struct catalogue_recording *r, const struct sql *s)
{
    *r = (struct catalogue_recording){.id = (uint64_t)sql_column(s, 0)};
    const void *identity = sqlite3_column_blob(s->statement, 1);
    if (identity && sqlite3_column_bytes(s->statement, 1) == ENVELOPE_IDENTITY)
        memcpy(r->identity, identity, ENVELOPE_IDENTITY);
    snprintf(r->key, sizeof r->key, "%s", sql_column_text(s, 2));
    r->received_ns = sql_column(s, 4);
    r->first = sql_column(s, 5);
    r->last = sql_column(s, 6);
    r->bytes = (uint64_t)sql_column(s, 7);
    r->raw = sql_column(s, 8) != 0;
    r->flaws = (uint64_t)sql_column(s, 9);
    snprintf(r->agent, sizeof r->agent, "%s", sql_column_text(s, 10));
}

static int fill_contents(struct sql_database *d, struct catalogue_recording *r, struct error *e)
{
    struct sql s = sql_use(d, "SELECT t.name, c.weight, c.samples FROM content c JOIN type t ON t.id = c.type "
                              "WHERE c.recording = ? ORDER BY c.place");
    int rc = 0;
    sql_int(&s, (int64_t)r->id);
    while (r->content_count < CATALOGUE_CONTENTS_MAX && (rc = sql_step(&s, e)) > 0) {
        struct catalogue_content *one = &r->contents[r->content_count++];
        snprintf(one->type, sizeof one->type, "%s", sql_column_text(&s, 0));
        one->weight = (uint64_t)sql_column(&s, 1);
        one->samples = (uint64_t)sql_column(&s, 2);
    }
    sql_done(&s);
    return rc < 0 ? rc : 0;
}

static int fill_labels(struct sql_database *d, struct labels *l, int64_t labelset, struct error *e)
{
    struct sql s = sql_use(d, "SELECT name, value FROM label WHERE labelset = ?");
    int rc;
    sql_int(&s, labelset);
    while ((rc = sql_step(&s, e)) > 0) {
        const char *name = sql_column_text(&s, 0), *value = sql_column_text(&s, 1);
        rc = labels_set(l, name, strlen(name), value, strlen(value), e);
        if (rc)
            break;
    }
    sql_done(&s);
    return rc;
}

int catalogue_fill_rest(struct sql_database *d, struct catalogue_recording *r, int64_t labelset, struct error *e)
{
    int rc = fill_labels(d, &r->labels, labelset, e);
    return rc ? rc : fill_contents(d, r, e);
}

static int get(struct catalogue *c, uint64_t id, struct catalogue_recording *r, bool *found, struct error *e)
{
    struct sql s = sql_use(&c->sql, "SELECT " CATALOGUE_RECORDING " FROM recording r WHERE r.id = ?");
    sql_int(&s, (int64_t)id);
    int rc = sql_step(&s, e);
    *found = rc > 0;
    if (rc > 0) {
        catalogue_fill(r, &s);
        rc = catalogue_fill_rest(&c->sql, r, sql_column(&s, 3), e);
    }
    sql_done(&s);
    return rc;
}

int catalogue_get(struct catalogue *c, uint64_t id, struct catalogue_recording *r, bool *found, struct error *e)
{
    *r = (struct catalogue_recording){0};
    *found = false;
    int rc = sql_begin(&c->sql, false, e);
    return rc ? rc : sql_end(&c->sql, get(c, id, r, found, e), e);
}

void catalogue_recording_deinit(struct catalogue_recording *r)
{
    labels_deinit(&r->labels);
}
