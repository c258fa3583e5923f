/* Redis and Valkey: answers are read by hiredis, on a connection of our own (wire.h), because hiredis before version 1.0 has no TLS. A
 * record is a hash with a field for each field of the record; as in YCSB, a sorted set with the names of all records serves scans.
 *
 *     redis[s]://[[USER]:PASSWORD@]HOST[:6379][/DATABASE] */
#include "load/drivers/drivers.h"
#include "load/drivers/wire.h"

#include <errno.h>
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 2 + 2 * 1000 };

/* The mark of a request: the number of answers that are missing, and what has been. */
#define MISSING 0xffffffffu
#define NAMED   (UINT64_C(1) << 32) /* the names of a scan have come */
#define FAILED  (UINT64_C(1) << 33) /* an answer was an error */

struct redis_target {
    struct wire_target wire; /* the first member */
    uint32_t fields;
    char (*names)[16]; /* of the fields */
    char index[80];    /* the key of the sorted set */
};

struct redis {
    struct wire wire; /* the first member */
    redisReader *reader;
    uint32_t login; /* answers to the commands of the login that are missing */
};

/* A command with many words. A thread makes one at a time. */
static _Thread_local const char *words[WORDS_MAX];
static _Thread_local size_t lengths[WORDS_MAX];

static int add_word(int n, const void *text, size_t len)
{
    words[n] = text;
    lengths[n] = len;
    return n + 1;
}

static int add_text(int n, const char *text)
{
    return add_word(n, text, strlen(text));
}

static void put_command(struct wire *w, int n)
{
    buffer_printf(&w->out, "*%d\r\n", n);
    for (int i = 0; i < n; i++) {
        buffer_printf(&w->out, "$%zu\r\n", lengths[i]);
        buffer_put(&w->out, words[i], lengths[i]);
        buffer_put(&w->out, "\r\n", 2);
    }
}

/* ---- login ---- */

static int begin(struct wire *w)
{
    struct redis *c = (struct redis *)w;
    const struct candor_load_target *t = w->shared->target;
    if (!(c->reader = redisReaderCreate()))
        return -ENOMEM;
    if (*t->password) {
        int n = add_text(0, "AUTH");
        n = *t->user ? add_text(n, t->user) : n;
        put_command(w, add_text(n, t->password));
        c->login++;
    }
    put_command(w, add_text(add_text(0, "SELECT"), t->path[0] == '/' && t->path[1] ? t->path + 1 : "0"));
    c->login++;
    return 0;
}

static int logged_in(struct redis *c, const redisReply *reply, struct error *e)
{
    if (reply->type == REDIS_REPLY_ERROR)
        return error_set(e, -EACCES, "the server refused the login: %.150s", reply->str);
    if (!--c->login)
        c->wire.host->ready(c->wire.connection);
    return 0;
}

/* ---- requests ---- */

static int add_fields(const struct redis_target *t, int n, const struct candor_load_request *r)
{
    for (uint32_t f = 0; f < t->fields; f++)
        if (r->field == CANDOR_LOAD_ALL_FIELDS || r->field == (int32_t)f) {
            n = add_text(n, t->names[f]);
            n = add_word(n, r->values[f].at, r->values[f].len);
        }
    return n;
}

static void put_read(struct redis *c, const struct redis_target *t, const struct candor_load_request *r)
{
    int n = add_text(0, r->field == CANDOR_LOAD_ALL_FIELDS ? "HGETALL" : "HGET");
    n = add_word(n, r->key.at, r->key.len);
    if (r->field != CANDOR_LOAD_ALL_FIELDS)
        n = add_text(n, t->names[r->field]);
    put_command(&c->wire, n);
}

static void put_write(struct redis *c, const struct redis_target *t, const struct candor_load_request *r)
{
    int n = add_word(add_text(0, "HSET"), r->key.at, r->key.len);
    put_command(&c->wire, add_fields(t, n, r));
}

static void put_index(struct redis *c, const struct redis_target *t, const struct candor_load_request *r)
{
    int n = add_text(add_text(0, "ZADD"), t->index);
    put_command(&c->wire, add_word(add_text(n, "0"), r->key.at, r->key.len));
}

static void put_scan(struct redis *c, const struct redis_target *t, const struct candor_load_request *r)
{
    char from[200], most[16];
    snprintf(from, sizeof from, "[%s", (const char *)r->key.at);
    snprintf(most, sizeof most, "%u", r->scan_length);
    int n = add_text(add_text(add_text(add_text(0, "ZRANGEBYLEX"), t->index), from), "+");
    put_command(&c->wire, add_text(add_text(add_text(n, "LIMIT"), "0"), most));
}

/* A request of the user: the path is the key's name after '/', and the method is the command; the body is one more argument. */
static void put_call(struct redis *c, const struct candor_load_call *call)
{
    int n = add_text(0, call->method);
    if (call->path[1])
        n = add_text(n, call->path + 1);
    if (call->body.len)
        n = add_word(n, call->body.at, call->body.len);
    put_command(&c->wire, n);
}

static void issue(void *connection, struct candor_load_request *r)
{
    struct redis *c = connection;
    const struct redis_target *t = (const struct redis_target *)c->wire.shared;
    bool insert = r->action == CANDOR_LOAD_INSERT; /* two commands */
    if (!wire_push(&c->wire, r) || (insert && !wire_push(&c->wire, r))) {
        wire_lose(&c->wire, "no memory for requests in progress");
        return;
    }
    r->mark = insert ? 2 : 1;
    switch (r->action) {
    case CANDOR_LOAD_CALL:
        put_call(c, r->call);
        break;
    case CANDOR_LOAD_READ:
        put_read(c, t, r);
        break;
    case CANDOR_LOAD_SCAN:
        put_scan(c, t, r);
        break;
    case CANDOR_LOAD_INSERT:
        put_write(c, t, r);
        put_index(c, t, r);
        break;
    default:
        put_write(c, t, r);
    }
}

/* ---- answers ---- */

/* Returns the number of a field named "fieldN", or UINT32_MAX. */
static uint32_t field_of(const char *name, size_t len)
{
    uint32_t n = 0;
    if (len < 6 || len > 12 || memcmp(name, "field", 5))
        return UINT32_MAX;
    for (size_t i = 5; i < len; i++) {
        if (name[i] < '0' || name[i] > '9')
            return UINT32_MAX;
        n = n * 10 + (uint32_t)(name[i] - '0');
    }
    return n;
}

/* Reports the fields of a record. Returns how many there were. */
static size_t give_fields(struct redis *c, struct candor_load_request *r, const redisReply *reply)
{
    size_t given = 0;
    if (reply->type == REDIS_REPLY_STRING && r->field != CANDOR_LOAD_ALL_FIELDS) {
        c->wire.host->value(c->wire.connection, r, (uint32_t)r->field, reply->str, (size_t)reply->len);
        return 1;
    }
    for (size_t i = 0; reply->type == REDIS_REPLY_ARRAY && i + 1 < reply->elements; i += 2, given++) {
        const redisReply *name = reply->element[i], *value = reply->element[i + 1];
        if (name->type == REDIS_REPLY_STRING && value->type == REDIS_REPLY_STRING)
            c->wire.host->value(c->wire.connection, r, field_of(name->str, (size_t)name->len), value->str, (size_t)value->len);
    }
    return given;
}

/* The names of a scan have come: reads the records. */
static void read_scanned(struct redis *c, struct candor_load_request *r, const redisReply *reply)
{
    r->mark |= NAMED;
    for (size_t i = 0; reply->type == REDIS_REPLY_ARRAY && i < reply->elements; i++) {
        const redisReply *name = reply->element[i];
        if (name->type != REDIS_REPLY_STRING)
            continue;
        if (!wire_push(&c->wire, r)) {
            wire_lose(&c->wire, "no memory for requests in progress");
            return;
        }
        put_command(&c->wire, add_word(add_text(0, "HGETALL"), name->str, (size_t)name->len));
        r->mark++;
    }
}

/* One of the answers to a request has come: counts it, and ends the request with the last one. */
static void count_answer(struct redis *c, struct candor_load_request *r, const char *problem)
{
    enum candor_load_result result = problem || r->mark & FAILED ? CANDOR_LOAD_REFUSED : CANDOR_LOAD_ANSWERED;
    r->mark--;
    if (problem)
        r->mark |= FAILED;
    if (r->mark & MISSING) {
        if (problem)
            c->wire.host->problem(c->wire.connection, problem);
        return;
    }
    c->wire.host->done(c->wire.connection, r, result, 0, problem);
}

static int answered(struct redis *c, const redisReply *reply, struct error *e)
{
    char text[200];
    if (c->login)
        return logged_in(c, reply, e);
    if (!c->wire.pending_count)
        return error_set(e, -EPROTO, "the server sent an answer without a request");
    struct candor_load_request *r = wire_pop(&c->wire);
    const char *problem = NULL;
    if (reply->type == REDIS_REPLY_ERROR) {
        snprintf(text, sizeof text, "the server answered: %.180s", reply->str);
        problem = text;
    } else if (r->action == CANDOR_LOAD_READ && !give_fields(c, r, reply)) {
        problem = "there is no record with the key of the request; fill the table with --phase load";
    } else if (r->action == CANDOR_LOAD_SCAN && !(r->mark & NAMED)) {
        read_scanned(c, r, reply);
    }
    count_answer(c, r, problem);
    return 0;
}

static int feed(struct wire *w, const uint8_t *bytes, size_t n, struct error *e)
{
    struct redis *c = (struct redis *)w;
    void *reply = NULL;
    int rc = 0;
    if (redisReaderFeed(c->reader, (const char *)bytes, n) != REDIS_OK)
        return error_set(e, -EPROTO, "the answer cannot be read: %.100s", c->reader->errstr);
    while (!rc && w->state == WIRE_OPEN) {
        if (redisReaderGetReply(c->reader, &reply) != REDIS_OK)
            return error_set(e, -EPROTO, "the answer is not one of Redis: %.100s", c->reader->errstr);
        if (!reply)
            break;
        rc = answered(c, reply, e);
        freeReplyObject(reply);
    }
    return rc;
}

static void end(struct wire *w)
{
    struct redis *c = (struct redis *)w;
    if (c->reader)
        redisReaderFree(c->reader);
}

static const struct wire_protocol protocol = {sizeof(struct redis), begin, feed, end};

/* ---- the driver ---- */

static void close_target(void *target)
{
    struct redis_target *t = target;
    wire_close(&t->wire);
    free(t->names);
    free(t);
}

static void *open_target(const struct candor_load_target *target, char *message, size_t size)
{
    struct redis_target *t = wire_new(sizeof *t, target, "6379", !strcmp(target->scheme, "rediss"), NULL, message, size);
    if (!t)
        return NULL;
    t->fields = target->fields;
    t->names = calloc(t->fields + 1, sizeof *t->names);
    for (uint32_t f = 0; t->names && f < t->fields; f++)
        snprintf(t->names[f], sizeof t->names[f], "field%u", f);
    snprintf(t->index, sizeof t->index, "_indices:%.60s", target->table ? target->table : "");
    if (t->names)
        return t;
    close_target(t);
    snprintf(message, size, "no memory for the driver");
    return NULL;
}

static void *connect_target(void *target, const struct candor_load_host *host, struct candor_load_connection *c)
{
    return wire_connect(&protocol, target, host, c);
}

const struct candor_load_driver driver_redis = {
    .version = CANDOR_LOAD_DRIVER_VERSION,
    .name = "redis",
    .actions = 1 << CANDOR_LOAD_CALL | 1 << CANDOR_LOAD_READ | 1 << CANDOR_LOAD_UPDATE | 1 << CANDOR_LOAD_INSERT | 1 << CANDOR_LOAD_SCAN,
    .open = open_target,
    .close = close_target,
    .connect = connect_target,
    .disconnect = wire_disconnect,
    .issue = issue,
    .flush = wire_flush,
    .event = wire_event,
};
