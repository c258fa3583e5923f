/* Declarations that the files catalogue*.c share. */
#ifndef CANDOR_STORE_CATALOGUE_CATALOGUE_INTERNAL_H
#define CANDOR_STORE_CATALOGUE_CATALOGUE_INTERNAL_H

#include "store/catalogue/catalogue_rollup.h"
#include "store/catalogue/sql.h"

/* A separate connection. It serves one reading at a time. */
struct catalogue_reader {
    struct sql_database sql;
    struct catalogue_reader *next; /* the next idle reader */
};

/* How far SQLite's log is on the disk. */
struct catalogue_sync {
    _Atomic uint64_t written; /* transactions that were committed; sql_end counts them, so that no thread finds one that is not counted */
    pthread_mutex_t lock;     /* protects the other members */
    pthread_cond_t changed;
    uint64_t synced; /* transactions */
    bool busy;       /* a thread syncs now, without the lock */
    int log;         /* the log, or -1; the thread that syncs uses it. It stays open, so that an error that the disk had since the last
                      * sync is reported to it, although SQLite may have heard of that error, too */
    int failed;      /* the code of a failed sync. A later one might succeed although the disk lacks what the first has lost */
};

struct catalogue {
    struct sql_database sql; /* for all writing, and for short reads */
    char path[DISK_PATH_MAX];
    pthread_mutex_t idle_lock;
    struct catalogue_reader *idle;
    struct catalogue_sync sync;
};

enum { CATALOGUE_BUSY_MS = 10000 }; /* how long to wait while SQLite itself locks the file to tidy up */

#define STRING_OF_(x) #x
#define STRING_OF(x)  STRING_OF_(x)

#define CATALOGUE_RECORDING "r.id, r.identity, r.key, r.labelset, r.received_ns, r.first, r.last, r.bytes, r.raw, r.flaws, r.agent"

/* Fills r from a row that begins with the columns CATALOGUE_RECORDING. Leaves the labels and contents empty. */
void catalogue_fill(struct catalogue_recording *r, const struct sql *s);
/* Reads the labels of the label set, and the types that the recording measures, into r. */
int catalogue_fill_rest(struct sql_database *d, struct catalogue_recording *r, int64_t labelset, struct error *e);

/* ---- catalogue_sync.c ---- */

void catalogue_sync_init(struct catalogue_sync *y);
void catalogue_sync_deinit(struct catalogue_sync *y);

/* ---- catalogue_books.c ---- */

/* Adds the books of a recording that was just added. */
int catalogue_add_books(struct catalogue *c, const struct catalogue_recording *r, struct error *e);

/* Adds the books of a service's recordings before this day to those by hour and label set, which stay when the recordings go. Leaves out
 * days without roll-ups. In a transaction of the caller. */
int catalogue_roll_books(struct catalogue *c, int64_t service, int64_t day, struct error *e);

/* ---- catalogue_drop.c ---- */

/* Deletes label sets that nothing refers to. In a transaction of the caller. */
int catalogue_drop_labels(struct catalogue *c, struct error *e);
/* Adds a file to the list. Returns 0 or -ENOMEM. */
int catalogue_note_file(struct catalogue_dropped *d, uint32_t dictionary, uint64_t number, bool rollup);

/* ---- catalogue_judging.c ---- */

/* Ends the waiting of a recording, in a transaction of the caller. *service = 0 if it does not wait. */
int catalogue_end_waiting(struct catalogue *c, uint64_t recording, int64_t *service, struct error *e);

/* A finding whose evidence is kept: it is open or acknowledged. */
#define CATALOGUE_KEEPS "keeps AND state < 2"

/* ---- catalogue_metrics.c ---- */

/* Adds the key metrics of a recording that was just added. */
int catalogue_add_metrics(struct catalogue *c, const struct catalogue_recording *r, int64_t service, int64_t labelset, struct error *e);

/* ---- catalogue_rollup.c ---- */

#define CATALOGUE_ROLLUP_COLUMNS "u.id, u.service, u.day, u.type, u.step, u.until, u.stale, u.gone, u.summary"
/* Fills u from a row that begins with CATALOGUE_ROLLUP_COLUMNS. */
struct catalogue_rollup catalogue_rollup_of(const struct sql *s);
/* Visits the files of a roll-up, in a transaction of the caller. */
int catalogue_rollup_files_of(struct sql_database *d, uint64_t rollup, catalogue_visit_rollup_file *visit, void *context, struct error *e);

/* ---- catalogue_versions.c ---- */

/* Copies the catalog, then upgrades it from this version to the newest. Version 0 is an empty file. Returns -EINVAL if the version is newer
 * than this program knows. */
int catalogue_upgrade(struct catalogue *c, int64_t version, struct error *e);

/* ---- catalogue_read.c ---- */

/* Begins a read transaction on a connection that no other thread uses. The transaction sees everything that was committed before. It
 * neither waits for writers nor makes them wait, however long it takes. catalogue_read_end takes the transaction's result, and releases the
 * connection. */
int catalogue_read_begin(struct catalogue *c, const struct catalogue_patience *patience, struct catalogue_reader **out, struct error *e);
int catalogue_read_end(struct catalogue *c, struct catalogue_reader *r, int rc, struct error *e);
/* Closes the idle connections. Call this before you close the connection that writes, because SQLite cleans up when the last connection is
 * closed. */
void catalogue_readers_close(struct catalogue *c);

/* ---- catalogue_digest.c ---- */

/* Checks that the file is unchanged since it was last closed normally, and removes the digest, because it does not cover later writes. Call
 * this before you open the file. Returns 0, -EBADMSG if the file has changed, or another code. */
int catalogue_digest_check(const char *path, struct error *e);
/* Writes the digest of a closed file. Ignores a failure to write it. */
void catalogue_digest_write(const char *path);

#endif
