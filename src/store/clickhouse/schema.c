/* Makes the tables, in versions: a database that an earlier version made gets what is missing. Statements are made for the server's
 * version: codecs came with 19.11, and make rows several times smaller. */
#include "store/clickhouse/wire.h"

#include "base/text/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { CODECS_SINCE = 20, VERSIONS = 1, STATEMENT_BYTES = 4096 };

/* How a column is encoded. Rows are sorted by stack, then by thread and second. */
#define DELTA  "CODEC(Delta, ZSTD(1))"
#define NARROW "CODEC(T64, ZSTD(1))"
#define PLAIN  "CODEC(ZSTD(1))"

/* `?` stands for the name that begins a word of a codec: it is left out for old servers. */
static const char *const tables[] = {
    "CREATE TABLE IF NOT EXISTS candor_rows (store UInt64 ?" PLAIN ", dictionary UInt32 ?" PLAIN ", service String ?" PLAIN
    ", type String ?" PLAIN ", day Int32 ?" PLAIN ", segment UInt64 ?" DELTA ", recording UInt64 ?" DELTA ", second UInt32 ?" NARROW
    ", stack UInt32 ?" DELTA ", thread UInt32 ?" NARROW ", weight UInt64 ?" NARROW ", count UInt32 ?" NARROW ", outcome UInt32 ?" NARROW
    ", state UInt8 ?" PLAIN ", context UInt32 ?" NARROW ", time DateTime ALIAS toDateTime(day * 86400 + second)"
    ") ENGINE = MergeTree PARTITION BY day ORDER BY (store, dictionary, type, segment, recording, stack, thread, second)",
    "CREATE TABLE IF NOT EXISTS candor_rollups (store UInt64, dictionary UInt32, number UInt64, day Int32, step UInt32, groups UInt32, "
    "recordings UInt64, strings UInt32, nodes UInt32, threads UInt32, contexts UInt32, rows UInt32"
    ") ENGINE = MergeTree PARTITION BY intDiv(day, 30) ORDER BY (store, dictionary, number)",
    "CREATE TABLE IF NOT EXISTS candor_sums (store UInt64 ?" PLAIN ", dictionary UInt32 ?" PLAIN ", number UInt64 ?" DELTA
    ", day Int32 ?" PLAIN ", slot UInt8 ?" PLAIN ", labels UInt32 ?" DELTA ", stack UInt32 ?" DELTA ", context UInt32 ?" NARROW
    ", outcome UInt32 ?" NARROW ", state UInt8 ?" PLAIN ", weight UInt64 ?" NARROW ", count UInt32 ?" NARROW ", squares Float64 ?" PLAIN
    ") ENGINE = MergeTree PARTITION BY intDiv(day, 30) ORDER BY (store, dictionary, number, slot, labels, stack)",
};

/* Copies a statement; leaves out the codecs, or only their marks. */
static void dialect(char out[STATEMENT_BYTES], const char *statement, bool codecs)
{
    char *to = out;
    for (const char *p = statement; *p; p++) {
        if (*p != '?') {
            *to++ = *p;
            continue;
        }
        for (int depth = 0; !codecs && p[1];) { /* up to the last parenthesis of the codec */
            p++;
            depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
            if (*p == ')' && !depth)
                break;
        }
    }
    *to = 0;
}

static int make_tables(struct clickhouse *c, bool codecs, struct error *e)
{
    char statement[STATEMENT_BYTES];
    int rc = 0;
    for (size_t i = 0; !rc && i < sizeof tables / sizeof *tables; i++) {
        dialect(statement, tables[i], codecs);
        rc = wire_ask(c, statement, NULL, NULL, e);
    }
    return rc ? rc : wire_askf(c, NULL, e, "INSERT INTO candor_schema SELECT toUInt32(%d), now()", VERSIONS);
}

/* Asks for one number. */
static int ask_number(struct clickhouse *c, const char *statement, uint64_t *out, struct error *e)
{
    struct buffer answer;
    buffer_init(&answer, 1 << 12);
    int rc = wire_ask(c, statement, NULL, &answer, e);
    buffer_u8(&answer, 0);
    const char *at = (const char *)answer.data;
    if (!rc && number_take(&at, 10, 0, UINT64_MAX, out))
        rc = error_set(e, -EHOSTUNREACH, "ClickHouse answers '%.60s', not a number: is it ClickHouse?", answer.data ? at : "");
    buffer_deinit(&answer);
    return rc;
}

static int last_number(struct clickhouse *c, uint64_t *last, struct error *e)
{
    char statement[256];
    uint64_t rollup;
    *last = 0;
    snprintf(statement, sizeof statement, "SELECT max(segment) FROM candor_rows WHERE store = %" PRIu64, wire_store(c));
    int rc = ask_number(c, statement, last, e);
    snprintf(statement, sizeof statement, "SELECT max(number) FROM candor_sums WHERE store = %" PRIu64, wire_store(c));
    rc = rc ? rc : ask_number(c, statement, &rollup, e);
    *last = !rc && rollup > *last ? rollup : *last;
    return rc;
}

int clickhouse_prepare(struct clickhouse *c, uint64_t *last, struct error *e)
{
    uint64_t server, version = 0;
    int rc = ask_number(c, "SELECT version()", &server, e); /* the number before the first dot */
    rc = rc ? rc
            : wire_ask(c,
                       "CREATE TABLE IF NOT EXISTS candor_schema (version UInt32, made DateTime) ENGINE = MergeTree PARTITION BY tuple() "
                       "ORDER BY version",
                       NULL, NULL, e);
    rc = rc ? rc : ask_number(c, "SELECT max(version) FROM candor_schema", &version, e);
    if (!rc && version > VERSIONS)
        rc = error_set(e, -EINVAL, "ClickHouse has tables of version %" PRIu64 ", and this candor knows up to %d: use a newer candor",
                       version, VERSIONS);
    if (!rc && version < VERSIONS)
        rc = make_tables(c, server >= CODECS_SINCE, e);
    return rc ? rc : last_number(c, last, e);
}
