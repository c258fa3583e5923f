/* What the files of this folder share: one request to ClickHouse, and its binary rows. */
#ifndef CANDOR_STORE_CLICKHOUSE_WIRE_H
#define CANDOR_STORE_CLICKHOUSE_WIRE_H

#include "store/clickhouse/clickhouse.h"

#include "base/buffer.h"

#include <endian.h>
#include <string.h>

/* Sends a statement. rows: NULL, or what the statement inserts, in the format RowBinary. answer: NULL if it is not needed; otherwise an
 * initialized buffer, to which it is appended. */
int wire_ask(struct clickhouse *c, const char *statement, const struct buffer *rows, struct buffer *answer, struct error *e);
/* Inserts rows in the format RowBinary, and empties the buffer, which stays the caller's. */
int wire_insert(struct clickhouse *c, const char *statement, struct buffer *rows, struct error *e);
/* Makes the statement first. */
int wire_askf(struct clickhouse *c, struct buffer *answer, struct error *e, const char *format, ...) __attribute__((format(printf, 4, 5)));
uint64_t wire_store(const struct clickhouse *c);

enum { WIRE_ANSWER_MAX = 1 << 30, WIRE_ROWS_MAX = 1 << 30 }; /* bytes */
enum { WIRE_ROWS_AT_ONCE = 1 << 19, WIRE_SECONDS_PER_DAY = 86400 };

/* ---- rows, in the format RowBinary ---- */

static inline void wire_u64(struct buffer *b, uint64_t v)
{
    v = htole64(v);
    buffer_put(b, &v, sizeof v);
}

static inline void wire_u32(struct buffer *b, uint32_t v)
{
    v = htole32(v);
    buffer_put(b, &v, sizeof v);
}

static inline void wire_text(struct buffer *b, const char *text)
{
    size_t len = strlen(text), left = len;
    for (; left >= 0x80; left >>= 7)
        buffer_u8(b, (uint8_t)(left | 0x80));
    buffer_u8(b, (uint8_t)left);
    buffer_put(b, text, len);
}

/* What is left of an answer. `bad` is set once it ends too early; then all numbers are 0. */
struct wire_rows {
    const uint8_t *at, *end;
    bool bad;
};

static inline struct wire_rows wire_rows_of(const struct buffer *answer)
{
    return (struct wire_rows){answer->data, answer->data ? answer->data + answer->len : NULL, false};
}

static inline void wire_take(struct wire_rows *r, void *out, size_t n)
{
    r->bad |= (size_t)(r->end - r->at) < n;
    if (r->bad) {
        memset(out, 0, n);
        r->at = r->end;
        return;
    }
    memcpy(out, r->at, n);
    r->at += n;
}

static inline uint64_t wire_take_u64(struct wire_rows *r)
{
    uint64_t v;
    wire_take(r, &v, sizeof v);
    return le64toh(v);
}

static inline uint32_t wire_take_u32(struct wire_rows *r)
{
    uint32_t v;
    wire_take(r, &v, sizeof v);
    return le32toh(v);
}

static inline uint8_t wire_take_u8(struct wire_rows *r)
{
    uint8_t v;
    wire_take(r, &v, sizeof v);
    return v;
}

#endif
