#include "load/drivers/cql_body.h"

#include "load/drivers/cql_protocol.h"

static const uint8_t *take(struct cql_body *b, size_t n)
{
    static const uint8_t zeros[4];
    if (b->bad || (size_t)(b->end - b->at) < n) {
        b->bad = true;
        return zeros;
    }
    b->at += n;
    return b->at - n;
}

uint16_t cql_short(struct cql_body *b)
{
    const uint8_t *p = take(b, 2);
    return (uint16_t)(p[0] << 8 | p[1]);
}

int32_t cql_int(struct cql_body *b)
{
    const uint8_t *p = take(b, 4);
    return (int32_t)((uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]);
}

static struct candor_load_bytes slice(struct cql_body *b, size_t n)
{
    const uint8_t *p = take(b, n);
    return b->bad ? (struct candor_load_bytes){"", 0} : (struct candor_load_bytes){p, n};
}

struct candor_load_bytes cql_string(struct cql_body *b)
{
    return slice(b, cql_short(b));
}

struct candor_load_bytes cql_bytes(struct cql_body *b)
{
    int32_t n = cql_int(b);
    return n < 0 ? (struct candor_load_bytes){NULL, 0} : slice(b, (size_t)n);
}

void cql_skip_extras(struct cql_body *b, uint8_t flags)
{
    if (flags & CQL_FLAG_TRACING)
        take(b, 16);
    if (flags & CQL_FLAG_WARNING)
        for (uint16_t n = cql_short(b); n && !b->bad; n--)
            cql_string(b);
    if (flags & CQL_FLAG_PAYLOAD)
        for (uint16_t n = cql_short(b); n && !b->bad; n--) {
            cql_string(b);
            cql_bytes(b);
        }
}

bool cql_rows(struct cql_body *b, struct cql_rows *rows)
{
    int32_t flags = cql_int(b);
    rows->columns = cql_int(b);
    if (flags & CQL_ROWS_MORE_PAGES)
        cql_bytes(b);
    rows->rows = flags & CQL_ROWS_NO_METADATA ? cql_int(b) : -1;
    return !b->bad && rows->columns >= 0 && rows->rows >= 0;
}
