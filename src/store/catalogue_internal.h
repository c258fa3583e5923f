/* The inside of catalogue*.c. */
#ifndef CANDOR_STORE_CATALOGUE_INTERNAL_H
#define CANDOR_STORE_CATALOGUE_INTERNAL_H

#include "store/catalogue.h"
#include "store/sql.h"

struct catalogue {
    struct sql_database sql;
    char path[DISK_PATH_MAX];
};

#define CATALOGUE_RECORDING                                                                                            \
    "r.id, r.identity, r.key, r.labelset, r.received_ns, r.first, r.last, r.bytes, r.type, r.weight, r.samples, r.raw"

/* Fills r from a row that begins with these; the labels stay empty. */
void catalogue_fill(struct catalogue_recording *r, const struct sql *s);
/* The labels of a set. */
int catalogue_fill_labels(struct catalogue *c, struct labels *l, int64_t labelset, struct error *e);

#endif
