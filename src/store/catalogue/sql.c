#include "store/catalogue/sql.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

enum { STEPS = 10000 }; /* steps of SQLite's virtual machine, which take less than a millisecond */

static int code_of(int rc)
{
    switch (rc & 0xff) {
    case SQLITE_FULL:
        return -ENOSPC;
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return -EROFS;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return -EBADMSG;
    case SQLITE_NOMEM:
        return -ENOMEM;
    case SQLITE_CONSTRAINT:
        return -EEXIST;
    default:
        return -EIO;
    }
}

int sql_failed(struct sql_database *d, struct error *e)
{
    if (d->over) {
        *e = d->why;
        return d->over;
    }
    return error_set(e, code_of(sqlite3_extended_errcode(d->db)), "%s: %s", d->path, sqlite3_errmsg(d->db));
}

static int execute(struct sql_database *d, const char *text, struct error *e)
{
    struct sql s = sql_use(d, text);
    return sql_run(&s, 0, e);
}

static void release(struct sql_database *d)
{
    if (d->unsynced)
        sqlite3_exec(d->db, "PRAGMA synchronous = FULL", NULL, NULL, NULL);
    d->unsynced = false;
    d->committed = NULL;
    pthread_mutex_unlock(&d->lock);
}

static int begin(struct sql_database *d, bool write, struct error *e)
{
    d->writing = write;
    int rc = execute(d, write ? "BEGIN IMMEDIATE" : "BEGIN", e);
    if (rc)
        release(d);
    return rc;
}

int sql_begin(struct sql_database *d, bool write, struct error *e)
{
    pthread_mutex_lock(&d->lock);
    return begin(d, write, e);
}

int sql_begin_unsynced(struct sql_database *d, _Atomic uint64_t *committed, struct error *e)
{
    pthread_mutex_lock(&d->lock);
    d->committed = committed;
    d->unsynced = !sqlite3_exec(d->db, "PRAGMA synchronous = NORMAL", NULL, NULL, NULL);
    return begin(d, true, e);
}

int sql_end(struct sql_database *d, int rc, struct error *e)
{
    rc = rc ? rc : execute(d, "COMMIT", e);
    if (rc && !sqlite3_get_autocommit(d->db))
        sqlite3_exec(d->db, "ROLLBACK", NULL, NULL, NULL);
    if (!rc && d->committed) /* pairs with the loads in catalogue_sync.c: who syncs that number, syncs this transaction */
        atomic_fetch_add_explicit(d->committed, 1, memory_order_release);
    release(d);
    return rc;
}

static int on_steps(void *context)
{
    struct sql_database *d = context;
    d->over = d->is_over(d->asked, &d->why);
    return d->over != 0;
}

void sql_ask(struct sql_database *d, sql_is_over *is_over, void *context)
{
    d->is_over = is_over;
    d->asked = context;
    d->over = 0;
    sqlite3_progress_handler(d->db, is_over ? STEPS : 0, is_over ? on_steps : NULL, d);
}

void sql_close(struct sql_database *d)
{
    for (uint32_t i = 0; i < d->kept_count; i++)
        sqlite3_finalize(d->kept[i].statement);
    d->kept_count = 0;
    sqlite3_close(d->db);
    d->db = NULL;
}

/* Returns the place where the prepared statement is kept. Returns NULL if that statement is in use, or if there is no room. */
static struct sql_kept *kept_for(struct sql_database *d, const char *text)
{
    for (uint32_t i = 0; i < d->kept_count; i++)
        if (d->kept[i].text == text)
            return d->kept[i].busy ? NULL : &d->kept[i];
    if (d->kept_count == SQL_KEPT)
        return NULL;
    d->kept[d->kept_count] = (struct sql_kept){.text = text};
    return &d->kept[d->kept_count++];
}

struct sql sql_use(struct sql_database *d, const char *text)
{
    struct sql s = {.database = d, .kept = kept_for(d, text)};
    s.statement = s.kept ? s.kept->statement : NULL;
    if (!s.statement && sqlite3_prepare_v2(d->db, text, -1, &s.statement, NULL))
        s.rc = code_of(sqlite3_extended_errcode(d->db));
    if (s.kept) {
        s.kept->statement = s.statement;
        s.kept->busy = true;
    }
    return s;
}

void sql_int(struct sql *s, int64_t v)
{
    if (!s->rc && sqlite3_bind_int64(s->statement, ++s->bound, v))
        s->rc = -EIO;
}

void sql_text(struct sql *s, const char *text)
{
    int n = ++s->bound;
    if (!s->rc && text && *text && sqlite3_bind_text(s->statement, n, text, -1, SQLITE_TRANSIENT))
        s->rc = -ENOMEM;
}

void sql_blob(struct sql *s, const void *bytes, size_t n)
{
    if (!s->rc && sqlite3_bind_blob(s->statement, ++s->bound, bytes, (int)n, SQLITE_TRANSIENT))
        s->rc = -ENOMEM;
}

int sql_step(struct sql *s, struct error *e)
{
    if (s->rc)
        return sql_failed(s->database, e);
    int rc = sqlite3_step(s->statement);
    if (rc == SQLITE_ROW)
        return 1;
    return rc == SQLITE_DONE ? 0 : sql_failed(s->database, e);
}

void sql_done(struct sql *s)
{
    if (!s->kept) {
        sqlite3_finalize(s->statement);
    } else {
        if (s->statement) {
            sqlite3_reset(s->statement);
            sqlite3_clear_bindings(s->statement);
        }
        s->kept->busy = false;
    }
    s->statement = NULL;
}

int sql_run(struct sql *s, int rc, struct error *e)
{
    rc = rc ? rc : sql_step(s, e);
    sql_done(s);
    return rc > 0 ? 0 : rc;
}
