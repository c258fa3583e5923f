/* Talks to ClickHouse over HTTP. */
#include "store/clickhouse/wire.h"

#include "http/exchange.h"
#include "http/pool.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { STALL_S = 60, TEXT_MAX = 1024, STATEMENT_MAX = 32 << 20, ERROR_BYTES = 300 };

/* Settings of each request. The answer is held back until it is complete, so that a failure has its own status. Lists of numbers may be
 * long. */
#define SETTINGS "wait_end_of_query=1&max_query_size=67108864&max_ast_elements=4000000&max_expanded_ast_elements=4000000"

struct clickhouse {
    char base[TEXT_MAX], database[128], user_header[TEXT_MAX], key_header[TEXT_MAX], ca_file[TEXT_MAX];
    uint64_t store;
    struct pool connections;
};

uint64_t wire_store(const struct clickhouse *c)
{
    return c->store;
}

/* ---- options ---- */

/* Splits "http://HOST:PORT/DATABASE". */
static int read_url(struct clickhouse *c, const char *url, struct error *e)
{
    bool plain = !strncmp(url, "http://", 7), tls = !strncmp(url, "https://", 8);
    const char *host = url + (tls ? 8 : 7), *slash = plain || tls ? strchr(host, '/') : NULL;
    const char *database = slash && slash[1] ? slash + 1 : "default";
    size_t n = slash ? (size_t)(slash - url) : strlen(url);
    bool good =
        (plain || tls) && *host && *host != '/' && n < sizeof c->base && strlen(database) < sizeof c->database && !strpbrk(url, "?#@ \r\n");
    for (const char *p = database; good && *p; p++)
        good = isalnum((unsigned char)*p) || *p == '_';
    if (!good)
        return error_set(e, -EINVAL, "'%.200s' is not like clickhouse:http://HOST:8123/DATABASE, or with https", url);
    snprintf(c->base, sizeof c->base, "%.*s", (int)n, url);
    snprintf(c->database, sizeof c->database, "%s", database);
    return 0;
}

static int set_header(char out[TEXT_MAX], const char *name, const char *value, struct error *e)
{
    if (strlen(value) > TEXT_MAX / 2 || strpbrk(value, "\r\n"))
        return error_set(e, -EINVAL, "the user or password of ClickHouse is longer than %d bytes, or has a line break", TEXT_MAX / 2);
    snprintf(out, TEXT_MAX, "%s: %s", name, value);
    return 0;
}

int clickhouse_open(struct clickhouse **out, const struct clickhouse_options *o, struct error *e)
{
    struct clickhouse *c = *out = calloc(1, sizeof *c);
    if (!c)
        return error_set(e, -ENOMEM, "out of memory");
    pool_init(&c->connections, c->ca_file, o->stop);
    c->store = o->store;
    int rc = read_url(c, o->url, e);
    rc = rc ? rc : set_header(c->user_header, "X-ClickHouse-User", o->user ? o->user : "default", e);
    rc = rc ? rc : set_header(c->key_header, "X-ClickHouse-Key", o->password ? o->password : "", e);
    if (!rc && o->ca_file && snprintf(c->ca_file, sizeof c->ca_file, "%s", o->ca_file) >= (int)sizeof c->ca_file)
        rc = error_set(e, -ENAMETOOLONG, "%.60s...: the path is too long", o->ca_file);
    if (rc) {
        clickhouse_close(c);
        *out = NULL;
    }
    return rc;
}

void clickhouse_close(struct clickhouse *c)
{
    if (!c)
        return;
    pool_deinit(&c->connections);
    explicit_bzero(c->key_header, sizeof c->key_header);
    free(c);
}

/* ---- requests ---- */

/* Appends a text as part of a URL. */
static void put_escaped(struct buffer *url, const char *text)
{
    for (; *text; text++)
        if (isalnum((unsigned char)*text) || *text == '_')
            buffer_u8(url, (uint8_t)*text);
        else
            buffer_printf(url, "%%%02X", (unsigned char)*text);
}

/* Says what the server's answer to a failed request is: the first line of it. */
static int refused(const struct clickhouse *c, long status, const struct buffer *answer, struct error *e)
{
    char text[ERROR_BYTES];
    size_t n = answer->len < sizeof text - 1 ? answer->len : sizeof text - 1;
    if (n)
        memcpy(text, answer->data, n);
    text[n] = 0;
    text[strcspn(text, "\n")] = 0;
    return error_set(e, -EHOSTUNREACH, "ClickHouse at %.100s: %s (status %ld)", c->base, *text ? text : "no answer", status);
}

static int exchange(struct clickhouse *c, const char *url, const void *bytes, size_t size, struct buffer *answer, struct error *e)
{
    const char *const headers[] = {c->user_header, c->key_header, NULL};
    const struct exchange_letter letter = {.url = url, .headers = headers, .bytes = bytes, .size = size, .stall_s = STALL_S};
    size_t before = answer->len;
    long status;
    struct error why;
    struct transport *t = pool_take(&c->connections, e);
    if (!t)
        return -EHOSTUNREACH;
    int rc = exchange_send(t, &letter, answer, &status, &why);
    if (rc) /* the connection may be in any state */
        transport_free(t);
    else
        pool_give(&c->connections, t);
    if (rc == -ECANCELED || rc == -ENOMEM)
        return error_set(e, rc, "%s", why.text);
    if (rc)
        return error_set(e, -EHOSTUNREACH, "ClickHouse at %.100s: %s", c->base, why.text);
    if (status == 200)
        return 0;
    rc = refused(c, status, answer, e);
    answer->len = before;
    return rc;
}

int wire_ask(struct clickhouse *c, const char *statement, const struct buffer *rows, struct buffer *answer, struct error *e)
{
    struct buffer url, ignored;
    buffer_init(&url, STATEMENT_MAX);
    buffer_init(&ignored, 1 << 16);
    buffer_printf(&url, "%s/?database=%s&%s", c->base, c->database, SETTINGS);
    if (rows) { /* the statement is in the URL, because the body has its rows */
        buffer_text(&url, "&query=");
        put_escaped(&url, statement);
    }
    buffer_u8(&url, 0);
    int rc = url.failed ? error_set(e, -ENOMEM, "out of memory")
                        : exchange(c, (const char *)url.data, rows ? rows->data : (const void *)statement,
                                   rows ? rows->len : strlen(statement), answer ? answer : &ignored, e);
    buffer_deinit(&url);
    buffer_deinit(&ignored);
    return rc;
}

int wire_insert(struct clickhouse *c, const char *statement, struct buffer *rows, struct error *e)
{
    int rc = rows->failed ? error_set(e, -ENOMEM, "out of memory") : wire_ask(c, statement, rows, NULL, e);
    buffer_reset(rows);
    return rc;
}

int wire_askf(struct clickhouse *c, struct buffer *answer, struct error *e, const char *format, ...)
{
    char statement[4096];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(statement, sizeof statement, format, args);
    va_end(args);
    if (n < 0 || n >= (int)sizeof statement)
        return error_set(e, -E2BIG, "a statement for ClickHouse is too long");
    return wire_ask(c, statement, NULL, answer, e);
}
