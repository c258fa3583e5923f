/* Keeps rows and roll-ups in ClickHouse, over its HTTP interface. It knows nothing of the catalog: what a number means, and whether it is
 * part of the store, is decided by ../rows_clickhouse.c.
 *
 *     candor_rows      the rows of segments, ordered by dictionary (a service's day), type and segment, in partitions by day
 *     candor_rollups   one row for each roll-up
 *     candor_sums      the rows of roll-ups
 *     candor_schema    which versions of these tables were made
 *
 * All stores in one database share the tables; each has its own number in the column `store`. Requests are plain enough for ClickHouse
 * 18.16; newer servers get codecs, which need less space.
 *
 * Any thread may call these functions. They return 0, or a code with a message in e: -EHOSTUNREACH if the server cannot be reached, does
 * not take the request now, or refuses it. */
#ifndef CANDOR_STORE_CLICKHOUSE_CLICKHOUSE_H
#define CANDOR_STORE_CLICKHOUSE_CLICKHOUSE_H

#include "store/rows/rows.h"

#include <stdatomic.h>

struct clickhouse;

struct clickhouse_options {
    const char *url;         /* "http://HOST:PORT/DATABASE" or https; without a database, it is `default` */
    const char *user;        /* NULL = `default` */
    const char *password;    /* NULL = none */
    const char *ca_file;     /* NULL = the system's certificates */
    uint64_t store;          /* the number of this store */
    const atomic_bool *stop; /* NULL, or: once it is set, requests end with -ECANCELED */
};

/* Checks the options, and copies them; does not reach for the server. -EINVAL: the URL is wrong. */
int clickhouse_open(struct clickhouse **out, const struct clickhouse_options *o, struct error *e);
void clickhouse_close(struct clickhouse *c);

/* Asks the server for its version, and makes tables that are missing. *last: the highest number that rows or roll-ups of this store have,
 * even if their writing failed; 0 = none. */
int clickhouse_prepare(struct clickhouse *c, uint64_t *last, struct error *e);

/* Writes segments, in requests of half a million rows. Their rows must be sorted and added up (segment_add_up). After a failure, some rows
 * may have been written: their numbers must not be used again. */
int clickhouse_write(struct clickhouse *c, const struct rows_part *list, uint32_t count, struct error *e);

/* Reads all segments that are wanted into out->list, which must be empty, in the order of their numbers. A segment that has no rows is
 * left out, and `first` is not set. columns: as for segment_read. The caller ends with rows_ahead_deinit. */
int clickhouse_read(struct clickhouse *c, const struct rows_wanted *wanted, unsigned columns, struct rows_ahead *out, struct error *e);
/* Adds up all rows of the segments that are wanted, by stack or by second. *weight: of all of them. The caller ends with segment_deinit. */
int clickhouse_sum(struct clickhouse *c, const struct rows_wanted *wanted, enum rows_sums which, struct segment *out, uint64_t *weight,
                   struct error *e);

int clickhouse_write_rollup(struct clickhouse *c, uint32_t dictionary, uint64_t number, struct rollup_file *f, struct error *e);
/* Returns -ENOENT if it is not there, or not completely. */
int clickhouse_read_rollup(struct clickhouse *c, uint32_t dictionary, uint64_t number, struct rollup_file *f, struct error *e);

/* Has rows deleted: those of the segments or roll-ups with these numbers, or of whole dictionaries. The server does it later. */
int clickhouse_remove(struct clickhouse *c, const uint64_t *numbers, uint32_t count, bool rollups, struct error *e);
int clickhouse_remove_dictionaries(struct clickhouse *c, const uint32_t *dictionaries, uint32_t count, struct error *e);
/* The same for all that the store has. */
int clickhouse_remove_store(struct clickhouse *c, struct error *e);

#endif
