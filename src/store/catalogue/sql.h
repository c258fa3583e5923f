/* Wraps SQLite: statements with parameters that are bound in order, in transactions, with our error codes.
 *
 *   sql_begin -> [ struct sql s = sql_use(db, SQL_...) ; sql_int, sql_text ... ; sql_step ] ... -> sql_end
 *
 * Each connection has one lock, which is held from sql_begin to sql_end. The text of a statement must be a constant, because the prepared
 * statement is kept for the next use, and found by the address of its text.
 *
 * sql_ask sets a function that is called while a statement runs. The function can end a slow statement. */
#ifndef CANDOR_STORE_CATALOGUE_SQL_H
#define CANDOR_STORE_CATALOGUE_SQL_H

#include "base/error.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SQL_KEPT = 64 };

struct sql_kept {
    const char *text;
    sqlite3_stmt *statement;
    bool busy;
};

/* Called while a statement runs. If it returns a code other than 0, with a message in e, the statement ends. */
typedef int sql_is_over(void *context, struct error *e);

struct sql_database {
    sqlite3 *db;
    pthread_mutex_t lock;
    const char *path;
    bool writing, unsynced;
    _Atomic uint64_t *committed;
    sql_is_over *is_over; /* NULL = statements are not interrupted */
    void *asked;          /* context of is_over */
    int over;             /* what is_over returned; its message is in `why` */
    struct error why;
    struct sql_kept kept[SQL_KEPT];
    uint32_t kept_count;
};

struct sql {
    struct sql_database *database;
    sqlite3_stmt *statement;
    struct sql_kept *kept; /* NULL = the statement is finalized after this use */
    int bound, rc;         /* rc: 0 or a negative code */
};

/* Returns the negative code for the connection's last failure, with a message. */
int sql_failed(struct sql_database *d, struct error *e);
/* Takes the lock. Also begins a write transaction if `write` is set. */
int sql_begin(struct sql_database *d, bool write, struct error *e);
/* Does the same for a write transaction whose commit does not wait for the disk: if the host fails, the transaction may be lost, together
 * with those after it, up to the next one that waits. The file stays whole. For what can be made again. committed: NULL, or what a commit
 * increases by one before the lock is released, for transactions that are synced later (catalogue_sync.c). */
int sql_begin_unsynced(struct sql_database *d, _Atomic uint64_t *committed, struct error *e);
/* Commits if rc is 0, otherwise rolls back. Releases the lock in both cases. Returns rc, or the code of a failed commit. */
int sql_end(struct sql_database *d, int rc, struct error *e);

/* Sets a function that can end slow statements. From then on, is_over(context) is called every few thousand steps of a statement. If it
 * returns a code other than 0, sql_step returns that code. is_over = NULL ends these calls. */
void sql_ask(struct sql_database *d, sql_is_over *is_over, void *context);

/* Closes the connection. */
void sql_close(struct sql_database *d);

struct sql sql_use(struct sql_database *d, const char *text);
void sql_int(struct sql *s, int64_t v);
void sql_text(struct sql *s, const char *text); /* NULL or "" is bound as NULL */
void sql_blob(struct sql *s, const void *bytes, size_t n);
/* Makes one step. Returns 1 for a row, 0 at the end, or a negative code. */
int sql_step(struct sql *s, struct error *e);
/* Ends the statement. */
void sql_done(struct sql *s);
/* Runs a statement that returns no rows, and ends it. If rc is the code of an earlier failure, the statement is ended without running. */
int sql_run(struct sql *s, int rc, struct error *e);

static inline int64_t sql_column(const struct sql *s, int i)
{
    return sqlite3_column_int64(s->statement, i);
}

static inline const char *sql_column_text(const struct sql *s, int i)
{
    const char *text = (const char *)sqlite3_column_text(s->statement, i);
    return text ? text : "";
}

#endif
