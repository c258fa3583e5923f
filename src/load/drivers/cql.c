/* Cassandra, ScyllaDB and others that speak CQL's native protocol, version 4. It is our own client of the protocol, because Debian has no
 * driver for C. Statements are prepared on each connection; requests in progress have streams of their own. There is no routing by token:
 * all connections go to the one host. Consistency is ONE.
 *
 *     cql[s]://[USER:PASSWORD@]HOST[:9042][/KEYSPACE]      the keyspace is "ycsb" if none is given
 *
 * The table is that of YCSB's binding: y_id, field0, field1, ..., all text. */
#include "load/drivers/cql_body.h"
#include "load/drivers/cql_protocol.h"
#include "load/drivers/drivers.h"
#include "load/drivers/wire.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ID_MAX = 64, STREAMS = 1024 };

/* The numbers of prepared statements. Those for one field begin at READ_ONE and, after the last field, UPDATE_ONE. */
enum { READ_ALL, WRITE_ALL, SCAN, READ_ONE };

enum { KEYSPACE = 64 }; /* bytes of a name */

struct cql_target {
    struct wire_target wire; /* the first member */
    uint32_t fields, statements;
    char keyspace[KEYSPACE];
};

struct cql {
    struct wire wire; /* the first member */
    struct buffer in; /* the frame that is arriving */
    uint32_t step;    /* of the login */
    struct {
        uint8_t bytes[ID_MAX];
        uint8_t len;
    } * ids; /* of the prepared statements */
    struct candor_load_request *requests[STREAMS];
    uint16_t free[STREAMS];
    uint32_t free_count;
};

static const struct cql_target *target_of(const struct cql *c)
{
    return (const struct cql_target *)c->wire.shared;
}

/* ---- frames that are sent ---- */

static size_t begin_frame(struct buffer *b, enum cql_opcode opcode, uint16_t stream)
{
    buffer_u8(b, CQL_VERSION_REQUEST);
    buffer_u8(b, 0);
    buffer_be16(b, stream);
    buffer_u8(b, (uint8_t)opcode);
    buffer_be32(b, 0);
    return b->len;
}

static void end_frame(struct buffer *b, size_t body)
{
    uint32_t n = (uint32_t)(b->len - body);
    for (int i = 0; i < 4 && !b->failed; i++)
        b->data[body - 4 + (size_t)i] = (uint8_t)(n >> (24 - 8 * i));
}

static void put_string(struct buffer *b, const char *text)
{
    buffer_be16(b, (uint16_t)strlen(text));
    buffer_text(b, text);
}

static void put_bytes(struct buffer *b, const void *bytes, size_t n)
{
    buffer_be32(b, (uint32_t)n);
    buffer_put(b, bytes, n);
}

static void send_startup(struct buffer *b)
{
    size_t body = begin_frame(b, CQL_STARTUP, 0);
    buffer_be16(b, 1);
    put_string(b, "CQL_VERSION");
    put_string(b, "3.0.0");
    end_frame(b, body);
}

static void send_login(struct buffer *b, const struct candor_load_target *t)
{
    size_t user = strlen(t->user), password = strlen(t->password), body = begin_frame(b, CQL_AUTH_RESPONSE, 0);
    buffer_be32(b, (uint32_t)(user + password + 2));
    buffer_u8(b, 0);
    buffer_put(b, t->user, user);
    buffer_u8(b, 0);
    buffer_put(b, t->password, password);
    end_frame(b, body);
}

/* ---- the login: keyspace and table, then the statements ---- */

/* The steps before the statements are prepared. */
enum { STEP_KEYSPACE, STEP_USE, STEP_TABLE, STEP_PREPARE };

static void put_fields(struct buffer *b, uint32_t fields, const char *format)
{
    for (uint32_t f = 0; f < fields; f++)
        buffer_printf(b, format, f);
}

static void put_statement(struct buffer *b, const struct cql_target *t, uint32_t number)
{
    const char *table = t->wire.target->table;
    uint32_t one = number < READ_ONE ? 0 : (number - READ_ONE) % t->fields;
    if (number == READ_ALL || number == SCAN) {
        buffer_text(b, "SELECT y_id");
        put_fields(b, t->fields, ", field%u");
        buffer_printf(b, " FROM %s WHERE %s", table, number == SCAN ? "token(y_id) >= token(?) LIMIT ?" : "y_id = ?");
    } else if (number == WRITE_ALL) {
        buffer_printf(b, "INSERT INTO %s (y_id", table);
        put_fields(b, t->fields, ", field%u");
        buffer_text(b, ") VALUES (?");
        for (uint32_t f = 0; f < t->fields; f++)
            buffer_text(b, ", ?");
        buffer_text(b, ")");
    } else if (number < READ_ONE + t->fields) {
        buffer_printf(b, "SELECT y_id, field%u FROM %s WHERE y_id = ?", one, table);
    } else {
        buffer_printf(b, "INSERT INTO %s (y_id, field%u) VALUES (?, ?)", table, one);
    }
}

static void put_table(struct buffer *b, const struct cql_target *t)
{
    buffer_printf(b, "CREATE TABLE IF NOT EXISTS %s (y_id text PRIMARY KEY", t->wire.target->table);
    put_fields(b, t->fields, ", field%u text");
    buffer_text(b, ")");
}

static void send_step(struct cql *c)
{
    const struct cql_target *t = target_of(c);
    struct buffer *b = &c->wire.out;
    bool prepare = c->step >= STEP_PREPARE;
    size_t body = begin_frame(b, prepare ? CQL_PREPARE : CQL_QUERY, 0), text = b->len + 4;
    buffer_be32(b, 0);
    if (prepare)
        put_statement(b, t, c->step - STEP_PREPARE);
    else if (c->step == STEP_KEYSPACE)
        buffer_printf(b, "CREATE KEYSPACE IF NOT EXISTS \"%s\" WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
                      t->keyspace);
    else if (c->step == STEP_USE)
        buffer_printf(b, "USE \"%s\"", t->keyspace);
    else
        put_table(b, t);
    if (b->failed)
        return;
    end_frame(b, text); /* the length of the text, in front of it, has the same form as that of a body */
    if (!prepare) {
        buffer_be16(b, CQL_CONSISTENCY_ONE);
        buffer_u8(b, 0);
    }
    end_frame(b, body);
}

/* Goes on with the login, or is ready. */
static void next_step(struct cql *c, uint32_t step)
{
    const struct cql_target *t = target_of(c);
    bool create = t->wire.target->create;
    if ((step == STEP_KEYSPACE || step == STEP_TABLE) && !create)
        step++;
    c->step = step;
    if (step < STEP_PREPARE + t->statements)
        send_step(c);
    else
        c->wire.host->ready(c->wire.connection);
}

static int prepared(struct cql *c, struct cql_body *b, struct error *e)
{
    uint32_t number = c->step - STEP_PREPARE;
    if (c->step >= STEP_PREPARE) {
        struct candor_load_bytes id = {"", 0};
        if (cql_int(b) == CQL_RESULT_PREPARED)
            id = cql_string(b);
        if (b->bad || !id.len || id.len > ID_MAX)
            return error_set(e, -EPROTO, "the server did not prepare a statement");
        memcpy(c->ids[number].bytes, id.at, id.len);
        c->ids[number].len = (uint8_t)id.len;
    }
    next_step(c, c->step + 1);
    return 0;
}

static int log_in(struct cql *c, uint8_t opcode, struct cql_body *b, struct error *e)
{
    switch (opcode) {
    case CQL_AUTHENTICATE:
        send_login(&c->wire.out, c->wire.shared->target);
        return 0;
    case CQL_READY:
    case CQL_AUTH_SUCCESS:
        next_step(c, STEP_KEYSPACE);
        return 0;
    case CQL_RESULT:
        return prepared(c, b, e);
    default:
        return error_set(e, -EPROTO, "the server sent a message of kind %u, which is none of a login", opcode);
    }
}

static int begin(struct wire *w)
{
    struct cql *c = (struct cql *)w;
    buffer_init(&c->in, CQL_HEADER + CQL_BODY_MAX);
    c->ids = calloc(target_of(c)->statements + 1, sizeof *c->ids);
    for (uint16_t i = 0; i < STREAMS; i++)
        c->free[c->free_count++] = (uint16_t)(STREAMS - 1 - i);
    send_startup(&w->out);
    return c->ids ? 0 : -ENOMEM;
}

static bool is_ready(const struct cql *c)
{
    return c->step >= STEP_PREPARE + target_of(c)->statements;
}

/* ---- requests ---- */

static uint32_t statement_of(const struct cql_target *t, const struct candor_load_request *r)
{
    bool all = r->field == CANDOR_LOAD_ALL_FIELDS;
    switch (r->action) {
    case CANDOR_LOAD_READ:
        return all ? READ_ALL : READ_ONE + (uint32_t)r->field;
    case CANDOR_LOAD_SCAN:
        return SCAN;
    default:
        return all ? WRITE_ALL : READ_ONE + t->fields + (uint32_t)r->field;
    }
}

static void put_values(struct buffer *b, const struct cql_target *t, const struct candor_load_request *r)
{
    bool writes = r->action == CANDOR_LOAD_UPDATE || r->action == CANDOR_LOAD_INSERT;
    uint32_t written = !writes ? 0 : r->field == CANDOR_LOAD_ALL_FIELDS ? t->fields : 1;
    buffer_be16(b, (uint16_t)(1 + written + (r->action == CANDOR_LOAD_SCAN)));
    put_bytes(b, r->key.at, r->key.len);
    for (uint32_t f = 0; f < t->fields && writes; f++)
        if (r->field == CANDOR_LOAD_ALL_FIELDS || r->field == (int32_t)f)
            put_bytes(b, r->values[f].at, r->values[f].len);
    if (r->action == CANDOR_LOAD_SCAN) {
        buffer_be32(b, 4);
        buffer_be32(b, r->scan_length);
    }
}

static void issue(void *connection, struct candor_load_request *r)
{
    struct cql *c = connection;
    struct buffer *b = &c->wire.out;
    uint32_t statement = statement_of(target_of(c), r);
    if (!c->free_count) {
        wire_lose(&c->wire, "more requests in progress than streams");
        return;
    }
    uint16_t stream = c->free[--c->free_count];
    c->requests[stream] = r;
    size_t body = begin_frame(b, CQL_EXECUTE, stream);
    buffer_be16(b, c->ids[statement].len);
    buffer_put(b, c->ids[statement].bytes, c->ids[statement].len);
    buffer_be16(b, CQL_CONSISTENCY_ONE);
    buffer_u8(b, CQL_QUERY_VALUES | CQL_QUERY_SKIP_METADATA);
    put_values(b, target_of(c), r);
    end_frame(b, body);
}

/* ---- answers ---- */

/* Reports the fields of the first row; the first column is the key. Returns 0, 1 if there is no row, or a negative code with e. */
static int give_row(struct cql *c, struct candor_load_request *r, struct cql_body *b, struct error *e)
{
    struct cql_rows rows;
    if (cql_int(b) != CQL_RESULT_ROWS || !cql_rows(b, &rows))
        return error_set(e, -EPROTO, "the answer to a read has no rows, or metadata that was not asked for");
    if (r->action == CANDOR_LOAD_SCAN)
        return 0;
    if (!rows.rows)
        return 1;
    for (int32_t i = 0; i < rows.columns; i++) {
        struct candor_load_bytes value = cql_bytes(b);
        if (b->bad)
            return error_set(e, -EPROTO, "a row in an answer is cut");
        if (i && value.at)
            c->wire.host->value(c->wire.connection, r, r->field == CANDOR_LOAD_ALL_FIELDS ? (uint32_t)i - 1 : (uint32_t)r->field, value.at,
                                value.len);
    }
    return 0;
}

static void describe_error(struct cql_body *b, char *out, size_t size)
{
    int32_t code = cql_int(b);
    struct candor_load_bytes text = cql_string(b);
    snprintf(out, size, "the server answered: %.*s (error 0x%04" PRIX32 ")", (int)(text.len < 140 ? text.len : 140), (const char *)text.at,
             (uint32_t)code);
}

static int answered(struct cql *c, uint16_t stream, uint8_t opcode, struct cql_body *b, struct error *e)
{
    char problem[220];
    int rc = 0;
    if (stream >= STREAMS || !c->requests[stream])
        return error_set(e, -EPROTO, "the server sent an answer without a request");
    struct candor_load_request *r = c->requests[stream];
    bool reads = r->action == CANDOR_LOAD_READ || r->action == CANDOR_LOAD_SCAN;
    if (opcode == CQL_ERROR)
        describe_error(b, problem, sizeof problem);
    else if (opcode != CQL_RESULT)
        return error_set(e, -EPROTO, "the server sent a message of kind %u, which is no answer", opcode);
    else if (reads && (rc = give_row(c, r, b, e)) < 0)
        return rc;
    if (rc > 0)
        snprintf(problem, sizeof problem, "there is no record with the key of the request; fill the table with --phase load");
    bool good = opcode == CQL_RESULT && !rc;
    c->requests[stream] = NULL;
    c->free[c->free_count++] = stream;
    c->wire.host->done(c->wire.connection, r, good ? CANDOR_LOAD_ANSWERED : CANDOR_LOAD_REFUSED, 0, good ? NULL : problem);
    return 0;
}

static int frame_came(struct cql *c, struct error *e)
{
    const uint8_t *h = c->in.data;
    struct cql_body body = {h + CQL_HEADER, h + c->in.len, false};
    char problem[220];
    if (h[1] & CQL_FLAG_COMPRESSED)
        return error_set(e, -EPROTO, "the server sent a compressed frame, which was not agreed");
    cql_skip_extras(&body, h[1]);
    if (body.bad)
        return error_set(e, -EPROTO, "a frame of the server is cut");
    if (is_ready(c))
        return answered(c, (uint16_t)(h[2] << 8 | h[3]), h[4], &body, e);
    if (h[4] != CQL_ERROR)
        return log_in(c, h[4], &body, e);
    describe_error(&body, problem, sizeof problem);
    return error_set(e, -EACCES, "%s", problem);
}

/* Bytes of the frame that is arriving, as far as they are known. */
static size_t frame_size(const struct cql *c)
{
    if (c->in.len < CQL_HEADER)
        return CQL_HEADER;
    struct cql_body length = {c->in.data + 5, c->in.data + CQL_HEADER, false};
    return CQL_HEADER + (size_t)(uint32_t)cql_int(&length);
}

static int feed(struct wire *w, const uint8_t *bytes, size_t n, struct error *e)
{
    struct cql *c = (struct cql *)w;
    int rc = 0;
    while (!rc && n && w->state == WIRE_OPEN) {
        size_t missing = frame_size(c) - c->in.len, taken = n < missing ? n : missing;
        buffer_put(&c->in, bytes, taken);
        bytes += taken, n -= taken;
        if (c->in.failed)
            return error_set(e, -ENOMEM, "no memory for an answer");
        if (c->in.data[0] != CQL_VERSION_ANSWER || frame_size(c) > CQL_HEADER + CQL_BODY_MAX)
            return error_set(e, -EPROTO, "the answer is not one of CQL's native protocol, version 4");
        if (c->in.len >= CQL_HEADER && c->in.len == frame_size(c)) {
            rc = frame_came(c, e);
            buffer_reset(&c->in);
        }
    }
    return rc;
}

static void end(struct wire *w)
{
    struct cql *c = (struct cql *)w;
    buffer_deinit(&c->in);
    free(c->ids);
}

static const struct wire_protocol protocol = {sizeof(struct cql), begin, feed, end};

/* ---- the driver ---- */

static void close_target(void *target)
{
    struct cql_target *t = target;
    wire_close(&t->wire);
    free(t);
}

/* Returns the keyspace that the path names, or NULL. It goes into statements in quotes. */
static const char *keyspace_of(const char *path)
{
    const char *name = path[0] == '/' && path[1] ? path + 1 : "ycsb";
    return strlen(name) < KEYSPACE && !strpbrk(name, "\"/?#") ? name : NULL;
}

static void *open_target(const struct candor_load_target *target, char *message, size_t size)
{
    const char *keyspace = keyspace_of(target->path);
    if (!keyspace) {
        snprintf(message, size, "'%.80s' is no name of a keyspace", target->path);
        return NULL;
    }
    struct cql_target *t = wire_new(sizeof *t, target, "9042", !strcmp(target->scheme, "cqls"), NULL, message, size);
    if (t) {
        snprintf(t->keyspace, sizeof t->keyspace, "%s", keyspace);
        t->fields = target->fields;
        t->statements = READ_ONE + 2 * t->fields;
    }
    return t;
}

static void *connect_target(void *target, const struct candor_load_host *host, struct candor_load_connection *c)
{
    return wire_connect(&protocol, target, host, c);
}

const struct candor_load_driver driver_cql = {
    .version = CANDOR_LOAD_DRIVER_VERSION,
    .name = "cql",
    .actions = 1 << CANDOR_LOAD_READ | 1 << CANDOR_LOAD_UPDATE | 1 << CANDOR_LOAD_INSERT | 1 << CANDOR_LOAD_SCAN,
    .open = open_target,
    .close = close_target,
    .connect = connect_target,
    .disconnect = wire_disconnect,
    .issue = issue,
    .flush = wire_flush,
    .event = wire_event,
};
