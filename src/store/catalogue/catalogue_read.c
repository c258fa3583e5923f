/* Manages the connections for reading. In SQLite's WAL mode, each connection sees the catalog as it was when its transaction began, while
 * another connection writes. There are as many connections as threads have read at the same time. Idle connections are kept for the next
 * reading. */
#include "store/catalogue/catalogue_internal.h"

#include <errno.h>
#include <stdlib.h>

static int open_reader(struct catalogue *c, struct catalogue_reader **out, struct error *e)
{
    struct catalogue_reader *r = *out = calloc(1, sizeof *r);
    if (!r)
        return error_set(e, -ENOMEM, "out of memory");
    r->sql.path = c->path;
    pthread_mutex_init(&r->sql.lock, NULL);
    int rc = sqlite3_open_v2(c->path, &r->sql.db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
    rc = rc ? rc : sqlite3_busy_timeout(r->sql.db, CATALOGUE_BUSY_MS);
    return rc ? sql_failed(&r->sql, e) : 0;
}

static void close_reader(struct catalogue_reader *r)
{
    sql_close(&r->sql);
    pthread_mutex_destroy(&r->sql.lock);
    free(r);
}

static struct catalogue_reader *take_idle(struct catalogue *c)
{
    pthread_mutex_lock(&c->idle_lock);
    struct catalogue_reader *r = c->idle;
    if (r)
        c->idle = r->next;
    pthread_mutex_unlock(&c->idle_lock);
    return r;
}

static void give_back(struct catalogue *c, struct catalogue_reader *r)
{
    sql_ask(&r->sql, NULL, NULL);
    pthread_mutex_lock(&c->idle_lock);
    r->next = c->idle;
    c->idle = r;
    pthread_mutex_unlock(&c->idle_lock);
}

int catalogue_read_begin(struct catalogue *c, const struct catalogue_patience *patience, struct catalogue_reader **out, struct error *e)
{
    struct catalogue_reader *r = take_idle(c);
    int rc = r ? 0 : open_reader(c, &r, e);
    if (!rc && patience)
        sql_ask(&r->sql, patience->is_over, patience->context);
    rc = rc ? rc : sql_begin(&r->sql, false, e);
    if (rc && r)
        close_reader(r);
    *out = rc ? NULL : r;
    return rc;
}

int catalogue_read_end(struct catalogue *c, struct catalogue_reader *r, int rc, struct error *e)
{
    rc = sql_end(&r->sql, rc, e);
    give_back(c, r);
    return rc;
}

void catalogue_readers_close(struct catalogue *c)
{
    for (struct catalogue_reader *r; (r = take_idle(c));)
        close_reader(r);
}
