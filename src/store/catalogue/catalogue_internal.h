/* The inside of catalogue*.c. */
#ifndef CANDOR_STORE_CATALOGUE_CATALOGUE_INTERNAL_H
#define CANDOR_STORE_CATALOGUE_CATALOGUE_INTERNAL_H

#include "store/catalogue/catalogue.h"
#include "store/catalogue/sql.h"

struct catalogue {
    struct sql_database sql;
    char path[DISK_PATH_MAX];
};

#define STRING_OF_(x) #x
#define STRING_OF(x)  STRING_OF_(x)

#define CATALOGUE_RECORDING                                                                                            \
    "r.id, r.identity, r.key, r.labelset, r.received_ns, r.first, r.last, r.bytes, r.raw, r.flaws"

/* Fills r from a row that begins with these; labels and contents stay empty. */
void catalogue_fill(struct catalogue_recording *r, const struct sql *s);
/* These: the labels of that set, and what the recording measures. */
int catalogue_fill_rest(struct catalogue *c, struct catalogue_recording *r, int64_t labelset, struct error *e);

/* ---- catalogue_digest.c ---- */

/* Before the file is opened: checks that it is unchanged since its last normal close. 0, -EBADMSG if it has changed, or another
 * code. Removes the digest, which does not cover later writes. */
int catalogue_digest_check(const char *path, struct error *e);
/* Writes the digest of a closed file; failure to write it is ignored. */
void catalogue_digest_write(const char *path);

#endif
