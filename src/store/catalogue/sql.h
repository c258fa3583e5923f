/* SQLite with our errors: statements that are bound in order, in transactions.
 *
 *   sql_begin -> [ struct sql s = sql_use(db, SQL_...) ; sql_int, sql_text ... ; sql_step ] ... -> sql_end
 *
 * One connection, one lock, held from begin to end. A text is a constant: its prepared statement is kept for the next time.
 *
 * A connection that is asked to (sql_ask) calls back while a statement runs: a slow statement can be ended. */
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

/* A code other than 0, with a line in e, ends the running statement. */
typedef int sql_is_over(void *context, struct error *e);

struct sql_database {
    sqlite3 *db;
    pthread_mutex_t lock;
    const char *path;
    bool writing;
    sql_is_over *is_over; /* NULL: nobody is asked */
    void *asked;
    int over; /* what is_over has said, with its line */
    struct error why;
    struct sql_kept kept[SQL_KEPT];
    uint32_t kept_count;
};

struct sql {
    struct sql_database *database;
    sqlite3_stmt *statement;
    struct sql_kept *kept; /* NULL: it ends with this use */
    int bound, rc;         /* rc: 0 or a negative code */
};

/* The negative code for the connection's last failure, with one line. */
int sql_failed(struct sql_database *d, struct error *e);
/* Takes the lock; write: a transaction. */
int sql_begin(struct sql_database *d, bool write, struct error *e);
/* Commits if rc is 0, otherwise rolls back; releases the lock. Returns rc, or the commit's failure. */
int sql_end(struct sql_database *d, int rc, struct error *e);

/* From now on is_over(context) is called every few thousand steps of a statement. If it returns a code other than 0, sql_step returns
 * that code. NULL ends these calls. */
void sql_ask(struct sql_database *d, sql_is_over *is_over, void *context);

/* Ends the connection. */
void sql_close(struct sql_database *d);

struct sql sql_use(struct sql_database *d, const char *text);
void sql_int(struct sql *s, int64_t v);
void sql_text(struct sql *s, const char *text); /* NULL or "" = NULL */
void sql_blob(struct sql *s, const void *bytes, size_t n);
/* 1 = a row, 0 = the end, or a negative code. */
int sql_step(struct sql *s, struct error *e);
/* Ends the statement. */
void sql_done(struct sql *s);
/* Runs a statement that returns no rows, and ends it. If rc says that an earlier step failed, the statement is only ended. */
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
