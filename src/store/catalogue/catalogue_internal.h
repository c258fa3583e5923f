/* The inside of catalogue*.c. */
#ifndef CANDOR_STORE_CATALOGUE_CATALOGUE_INTERNAL_H
#define CANDOR_STORE_CATALOGUE_CATALOGUE_INTERNAL_H

#include "store/catalogue/catalogue.h"
#include "store/catalogue/sql.h"

/* A connection of its own, for one reading at a time. */
struct catalogue_reader {
    struct sql_database sql;
    struct catalogue_reader *next; /* of those that are idle */
};

struct catalogue {
    struct sql_database sql; /* for all that writes, and for short looks */
    char path[DISK_PATH_MAX];
    pthread_mutex_t idle_lock;
    struct catalogue_reader *idle;
};

enum { CATALOGUE_BUSY_MS = 10000 }; /* SQLite itself has the file for moments, when it tidies up */

#define STRING_OF_(x) #x
#define STRING_OF(x)  STRING_OF_(x)

#define CATALOGUE_RECORDING "r.id, r.identity, r.key, r.labelset, r.received_ns, r.first, r.last, r.bytes, r.raw, r.flaws"

/* Fills r from a row that begins with the columns CATALOGUE_RECORDING. Labels and contents stay empty. */
void catalogue_fill(struct catalogue_recording *r, const struct sql *s);
/* Fills in the labels and contents: the labels of that set, and what the recording measures. */
int catalogue_fill_rest(struct sql_database *d, struct catalogue_recording *r, int64_t labelset, struct error *e);

/* ---- catalogue_books.c ---- */

/* Adds the books of a recording that was just added. */
int catalogue_add_books(struct catalogue *c, const struct catalogue_recording *r, struct error *e);

/* ---- catalogue_versions.c ---- */

/* Upgrades the catalog from this version (0 = an empty file) to the newest, after it has copied the catalog. -EINVAL if this version is
 * newer than we know. */
int catalogue_upgrade(struct catalogue *c, int64_t version, struct error *e);

/* ---- catalogue_read.c ---- */

/* A transaction of a connection that nobody else uses: it sees what was committed before, and neither waits for writers nor keeps them
 * waiting, however long it takes. catalogue_read_end, with its result, gives it back. */
int catalogue_read_begin(struct catalogue *c, const struct catalogue_patience *patience, struct catalogue_reader **out, struct error *e);
int catalogue_read_end(struct catalogue *c, struct catalogue_reader *r, int rc, struct error *e);
/* Call it before the connection that writes is closed, because SQLite cleans up when the last connection is closed. */
void catalogue_readers_close(struct catalogue *c);

/* ---- catalogue_digest.c ---- */

/* Call it before the file is opened: checks that the file is unchanged since its last normal close. 0, -EBADMSG if it has changed, or
 * another code. Removes the digest, which does not cover later writes. */
int catalogue_digest_check(const char *path, struct error *e);
/* Writes the digest of a closed file; failure to write it is ignored. */
void catalogue_digest_write(const char *path);

#endif
