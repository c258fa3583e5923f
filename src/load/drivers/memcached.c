/* memcached, by its text protocol. No library for C has an asynchronous interface: libmemcached waits in each call. A record is one value:
 * for each field its length as a number of ten digits, then its bytes. An update of one field therefore writes the whole record. There is
 * no scan.
 *
 *     memcached[s]://[USER:PASSWORD@]HOST[:11211]      the login is that of memcached -Y (a set whose value is "USER PASSWORD") */
#include "load/drivers/drivers.h"
#include "load/drivers/wire.h"

#include "base/text/number.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 512, LENGTH_DIGITS = 10, VALUE_MAX = 1 << 30 };

struct memcached {
    struct wire wire; /* the first member */
    bool logging_in;
    char line[LINE_MAX_BYTES];
    size_t line_len;
    struct buffer value; /* the value of a get and the two bytes after it */
    size_t value_left;   /* bytes of it that have not come */
    bool found;          /* the get that is being answered has a value */
};

static int begin(struct wire *w)
{
    struct memcached *c = (struct memcached *)w;
    const struct candor_load_target *t = w->shared->target;
    buffer_init(&c->value, VALUE_MAX);
    c->logging_in = true;
    if (*t->user) {
        size_t n = strlen(t->user) + 1 + strlen(t->password);
        buffer_printf(&w->out, "set login 0 0 %zu\r\n%s %s\r\n", n, t->user, t->password);
    } else {
        buffer_text(&w->out, "version\r\n");
    }
    return 0;
}

static void put_set(struct wire *w, const struct candor_load_request *r)
{
    uint32_t fields = w->shared->target->fields;
    size_t n = 0;
    for (uint32_t f = 0; f < fields; f++)
        n += LENGTH_DIGITS + r->values[f].len;
    buffer_printf(&w->out, "set %s 0 0 %zu\r\n", (const char *)r->key.at, n);
    for (uint32_t f = 0; f < fields; f++) {
        buffer_printf(&w->out, "%0*zu", LENGTH_DIGITS, r->values[f].len);
        buffer_put(&w->out, r->values[f].at, r->values[f].len);
    }
    buffer_text(&w->out, "\r\n");
}

/* A request of the user: GET or SET, the key's name after '/', and the value. */
static void put_call(struct wire *w, const struct candor_load_call *call)
{
    if (strcmp(call->method, "GET")) {
        buffer_printf(&w->out, "set %.250s 0 0 %zu\r\n", call->path + 1, call->body.len);
        buffer_put(&w->out, call->body.at, call->body.len);
        buffer_text(&w->out, "\r\n");
    } else {
        buffer_printf(&w->out, "get %.250s\r\n", call->path + 1);
    }
}

static void issue(void *connection, struct candor_load_request *r)
{
    struct wire *w = connection;
    if (!wire_push(w, r))
        wire_lose(w, "no memory for requests in progress");
    else if (r->action == CANDOR_LOAD_CALL)
        put_call(w, r->call);
    else if (r->action == CANDOR_LOAD_READ)
        buffer_printf(&w->out, "get %s\r\n", (const char *)r->key.at);
    else
        put_set(w, r);
}

/* ---- answers ---- */

static void done(struct memcached *c, const char *problem)
{
    struct candor_load_request *r = wire_pop(&c->wire);
    c->wire.host->done(c->wire.connection, r, problem ? CANDOR_LOAD_REFUSED : CANDOR_LOAD_ANSWERED, 0, problem);
}

/* Reports the fields of a record. Returns false if the bytes are not those of a record. */
static bool give_fields(struct memcached *c, struct candor_load_request *r, const char *at, size_t len)
{
    uint32_t fields = c->wire.shared->target->fields;
    for (uint32_t f = 0; f < fields; f++) {
        char digits[LENGTH_DIGITS + 1] = {0};
        uint64_t n;
        if (len < LENGTH_DIGITS)
            return false;
        memcpy(digits, at, LENGTH_DIGITS);
        if (number_parse(digits, 0, len - LENGTH_DIGITS, &n))
            return false;
        if (r->field == CANDOR_LOAD_ALL_FIELDS || r->field == (int32_t)f)
            c->wire.host->value(c->wire.connection, r, f, at + LENGTH_DIGITS, n);
        at += LENGTH_DIGITS + n;
        len -= LENGTH_DIGITS + n;
    }
    return !len;
}

static int value_came(struct memcached *c, struct error *e)
{
    struct candor_load_request *r = wire_first(&c->wire);
    size_t n = c->value.len;
    if (n < 2 || memcmp(c->value.data + n - 2, "\r\n", 2))
        return error_set(e, -EPROTO, "the value in an answer has no end");
    c->found = r->action == CANDOR_LOAD_CALL || give_fields(c, r, (char *)c->value.data, n - 2);
    if (!c->found)
        c->wire.host->problem(c->wire.connection, "a value that was read is no record of this workload");
    buffer_reset(&c->value);
    return 0;
}

static int value_begins(struct memcached *c, struct error *e)
{
    /* VALUE KEY FLAGS BYTES */
    const char *last = strrchr(c->line, ' ');
    uint64_t n;
    if (number_parse(last + 1, 0, VALUE_MAX - 2, &n))
        return error_set(e, -EPROTO, "an answer names no length of its value");
    c->value_left = n + 2;
    return 0;
}

static int logged_in(struct memcached *c, struct error *e)
{
    if (strncmp(c->line, "VERSION", 7) && strcmp(c->line, "STORED"))
        return error_set(e, -EACCES, "the server refused the login: %.100s", c->line);
    c->logging_in = false;
    c->wire.host->ready(c->wire.connection);
    return 0;
}

static int line_came(struct memcached *c, struct error *e)
{
    char text[200];
    if (c->logging_in)
        return logged_in(c, e);
    if (!c->wire.pending_count)
        return error_set(e, -EPROTO, "the server sent an answer without a request");
    struct candor_load_request *r = wire_first(&c->wire);
    bool get = r->action == CANDOR_LOAD_READ || (r->action == CANDOR_LOAD_CALL && !strcmp(r->call->method, "GET"));
    if (get && !strncmp(c->line, "VALUE ", 6))
        return value_begins(c, e);
    if (get && !strcmp(c->line, "END")) {
        bool found = c->found;
        c->found = false;
        done(c, found ? NULL : "there is no record with the key of the request; fill the table with --phase load");
        return 0;
    }
    if (strncmp(c->line, "ERROR", 5) && strncmp(c->line, "CLIENT_ERROR", 12) && strncmp(c->line, "SERVER_ERROR", 12) &&
        strncmp(c->line, "NOT_STORED", 10) && strcmp(c->line, "STORED"))
        return error_set(e, -EPROTO, "the answer is not one of memcached: %.60s", c->line);
    snprintf(text, sizeof text, "the server answered: %.150s", c->line);
    done(c, strcmp(c->line, "STORED") ? text : NULL);
    return 0;
}

/* Takes bytes of a line. Returns how many; *whole: the line is complete, without its end. */
static size_t take_line(struct memcached *c, const char *bytes, size_t n, bool *whole)
{
    const char *end = memchr(bytes, '\n', n);
    size_t taken = end ? (size_t)(end - bytes) : n, room = sizeof c->line - 1 - c->line_len;
    size_t kept = taken < room ? taken : room;
    memcpy(c->line + c->line_len, bytes, kept);
    c->line_len += kept;
    *whole = end != NULL;
    if (!end)
        return taken;
    if (c->line_len && c->line[c->line_len - 1] == '\r')
        c->line_len--;
    c->line[c->line_len] = 0;
    c->line_len = 0;
    return taken + 1;
}

static int feed(struct wire *w, const uint8_t *bytes, size_t n, struct error *e)
{
    struct memcached *c = (struct memcached *)w;
    int rc = 0;
    for (size_t taken; !rc && n && w->state == WIRE_OPEN; bytes += taken, n -= taken) {
        bool whole;
        if (!c->value_left) {
            taken = take_line(c, (const char *)bytes, n, &whole);
            rc = whole ? line_came(c, e) : 0;
            continue;
        }
        taken = n < c->value_left ? n : c->value_left;
        buffer_put(&c->value, bytes, taken);
        c->value_left -= taken;
        if (c->value.failed)
            rc = error_set(e, -ENOMEM, "no memory for an answer");
        else if (!c->value_left)
            rc = value_came(c, e);
    }
    return rc;
}

static void end(struct wire *w)
{
    buffer_deinit(&((struct memcached *)w)->value);
}

static const struct wire_protocol protocol = {sizeof(struct memcached), begin, feed, end};

/* ---- the driver ---- */

static void close_target(void *target)
{
    wire_close(target);
    free(target);
}

static void *open_target(const struct candor_load_target *target, char *message, size_t size)
{
    return wire_new(sizeof(struct wire_target), target, "11211", !strcmp(target->scheme, "memcacheds"), NULL, message, size);
}

static void *connect_target(void *target, const struct candor_load_host *host, struct candor_load_connection *c)
{
    return wire_connect(&protocol, target, host, c);
}

const struct candor_load_driver driver_memcached = {
    .version = CANDOR_LOAD_DRIVER_VERSION,
    .name = "memcached",
    .actions = 1 << CANDOR_LOAD_CALL | 1 << CANDOR_LOAD_READ | 1 << CANDOR_LOAD_UPDATE | 1 << CANDOR_LOAD_INSERT,
    .open = open_target,
    .close = close_target,
    .connect = connect_target,
    .disconnect = wire_disconnect,
    .issue = issue,
    .flush = wire_flush,
    .event = wire_event,
};
