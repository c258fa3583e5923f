/* The inside of catalogue*.c. */
#ifndef CANDOR_STORE_CATALOGUE_INTERNAL_H
#define CANDOR_STORE_CATALOGUE_INTERNAL_H

#include "store/catalogue.h"
#include "store/sql.h"

struct catalogue {
    struct sql_database sql;
    char path[DISK_PATH_MAX];
};

#define STRING_OF_(x) #x
#define STRING_OF(x)  STRING_OF_(x)

#define CATALOGUE_RECORDING                                                                                            \
    "r.id, r.identity, r.key, r.labelset, r.received_ns, r.first, r.last, r.bytes, r.type, r.weight, r.samples, r.raw, r.flaws"

/* Fills r from a row that begins with these; the labels stay empty. */
void catalogue_fill(struct catalogue_recording *r, const struct sql *s);
/* The labels of a set. */
int catalogue_fill_labels(struct catalogue *c, struct labels *l, int64_t labelset, struct error *e);

/* ---- catalogue_digest.c ---- */

/* Before the file is opened: it is what it was when it was closed in good order the last time. 0, -EBADMSG when it is not, or another
 * code. The digest is gone then: it knows nothing of what is written from now on. */
int catalogue_digest_check(const char *path, struct error *e);
/* Of a file that was closed; one that cannot be written is done without. */
void catalogue_digest_write(const char *path);

#endif
