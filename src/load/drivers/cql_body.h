/* Reads the notations of CQL's native protocol, version 4, from the body of a frame. After a read beyond the end, `bad` is set, and all
 * further reads give nothing. Texts point into the body and have no terminating zero. */
#ifndef CANDOR_LOAD_DRIVERS_CQL_BODY_H
#define CANDOR_LOAD_DRIVERS_CQL_BODY_H

#include "candor/load_driver.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cql_body {
    const uint8_t *at, *end;
    bool bad;
};

uint16_t cql_short(struct cql_body *b);
int32_t cql_int(struct cql_body *b);
/* [string] and [short bytes]. */
struct candor_load_bytes cql_string(struct cql_body *b);
/* [bytes] and [value]; at is NULL for null. */
struct candor_load_bytes cql_bytes(struct cql_body *b);
/* Skips what the frame's flags say comes before the message: a tracing id, warnings, a custom payload. */
void cql_skip_extras(struct cql_body *b, uint8_t flags);

/* The rows of a result, in the order of the statement's columns. */
struct cql_rows {
    int32_t columns, rows; /* both at least 0 */
};

/* Reads the beginning of rows without metadata, up to the first value. Returns false if the body is not that. */
bool cql_rows(struct cql_body *b, struct cql_rows *rows);

#endif
