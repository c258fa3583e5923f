/* PostgreSQL by libpq: prepared statements in pipeline mode, with a synchronization point after each request, so that an error does not
 * reach the requests behind it. TLS and the login are those of libpq (sslmode, .pgpass, PGPASSWORD, ...).
 *
 *     postgresql://...      as in libpq's documentation, with one host
 *
 * A record is a row of the table: ycsb_key, field0, field1, ..., all of type text, as YCSB's JDBC binding has it. */
#include "load/drivers/drivers.h"
#include "load/drivers/libpq.h"

#include "base/buffer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers of statements. Those for one field begin at READ_ONE and, after the last field, UPDATE_ONE. */
enum { READ_ALL, UPDATE_ALL, INSERT, SCAN, READ_ONE };

struct postgres_target {
    struct libpq pq;
    const struct candor_load_target *target;
    uint32_t fields, statements;
    char **sql; /* by the number of the statement */
    char *create;
};

struct waiting {
    struct waiting *next;
    struct candor_load_request *request; /* NULL = a statement of the login */
    enum candor_load_result result;
    bool has_problem;
    char problem[160];
};

struct postgres {
    struct postgres_target *shared;
    const struct libpq *pq;
    const struct candor_load_host *host;
    struct candor_load_connection *connection;
    PGconn *conn;
    bool connected, gone, writing; /* writing: the descriptor is watched for room, too */
    uint32_t login;                /* statements of the login that are not answered */
    struct waiting *first, **last, *spare;
};

static void lose(struct postgres *c, const char *why)
{
    char text[200];
    snprintf(text, sizeof text, "%s", why);
    for (char *at = text; *at; at++)
        *at = *at == '\n' || *at == '\t' ? ' ' : *at;
    if (!c->gone)
        c->host->lost(c->connection, text);
    c->gone = true;
}

static void watch(struct postgres *c, uint32_t events)
{
    c->host->watch(c->connection, c->pq->PQsocket(c->conn), events);
}

/* ---- what is sent ---- */

static struct waiting *add_waiting(struct postgres *c, struct candor_load_request *r)
{
    struct waiting *w = c->spare;
    if (w)
        c->spare = w->next;
    else if (!(w = malloc(sizeof *w)))
        return NULL;
    w->request = r;
    w->next = NULL;
    w->result = CANDOR_LOAD_ANSWERED;
    w->has_problem = false;
    *c->last = w;
    c->last = &w->next;
    return w;
}

/* Ends a request that was sent: a synchronization point, and the place where its results go. */
static void sent(struct postgres *c, struct candor_load_request *r, int good)
{
    if (!good || !c->pq->PQpipelineSync(c->conn))
        lose(c, c->pq->PQerrorMessage(c->conn));
    else if (!add_waiting(c, r))
        lose(c, "no memory for requests in progress");
}

static void flush(void *connection)
{
    struct postgres *c = connection;
    if (c->gone || !c->connected)
        return;
    int rc = c->pq->PQflush(c->conn);
    if (rc < 0)
        lose(c, c->pq->PQerrorMessage(c->conn));
    else if ((rc > 0) != c->writing) {
        c->writing = rc > 0;
        watch(c, CANDOR_LOAD_READABLE | (rc > 0 ? CANDOR_LOAD_WRITABLE : 0));
    }
}

static void name_of(uint32_t statement, char out[16])
{
    snprintf(out, 16, "candor%u", statement);
}

static void log_in(struct postgres *c)
{
    const struct postgres_target *t = c->shared;
    c->connected = true;
    if (c->pq->PQsetnonblocking(c->conn, 1) || !c->pq->PQenterPipelineMode(c->conn)) {
        lose(c, c->pq->PQerrorMessage(c->conn));
        return;
    }
    watch(c, CANDOR_LOAD_READABLE);
    if (t->target->create && !c->gone) {
        sent(c, NULL, c->pq->PQsendQueryParams(c->conn, t->create, 0, NULL, NULL, NULL, NULL, 0));
        c->login++;
    }
    for (uint32_t i = 0; i < t->statements && !c->gone; i++) {
        char name[16];
        name_of(i, name);
        sent(c, NULL, c->pq->PQsendPrepare(c->conn, name, t->sql[i], 0, NULL));
        c->login++;
    }
    flush(c);
}

static uint32_t statement_of(const struct postgres_target *t, const struct candor_load_request *r)
{
    bool all = r->field == CANDOR_LOAD_ALL_FIELDS;
    switch (r->action) {
    case CANDOR_LOAD_READ:
        return all ? READ_ALL : READ_ONE + (uint32_t)r->field;
    case CANDOR_LOAD_UPDATE:
        return all ? UPDATE_ALL : READ_ONE + t->fields + (uint32_t)r->field;
    case CANDOR_LOAD_INSERT:
        return INSERT;
    default:
        return SCAN;
    }
}

static void issue(void *connection, struct candor_load_request *r)
{
    struct postgres *c = connection;
    const struct postgres_target *t = c->shared;
    static _Thread_local const char *values[1001];
    static _Thread_local int lengths[1001], binary[1001];
    char name[16], most[16];
    int n = 1;
    values[0] = r->key.at, lengths[0] = (int)r->key.len, binary[0] = 1;
    if (r->action == CANDOR_LOAD_SCAN) {
        lengths[1] = snprintf(most, sizeof most, "%u", r->scan_length);
        values[1] = most, binary[1] = 0;
        n = 2;
    }
    for (uint32_t f = 0; f < t->fields && (r->action == CANDOR_LOAD_UPDATE || r->action == CANDOR_LOAD_INSERT); f++)
        if (r->field == CANDOR_LOAD_ALL_FIELDS || r->field == (int32_t)f)
            values[n] = r->values[f].at, lengths[n] = (int)r->values[f].len, binary[n++] = 1;
    name_of(statement_of(t, r), name);
    sent(c, r, c->pq->PQsendQueryPrepared(c->conn, name, n, values, lengths, binary, 0));
}

/* ---- what comes ---- */

static void give_row(struct postgres *c, struct waiting *w, const PGresult *result)
{
    struct candor_load_request *r = w->request;
    int rows = c->pq->PQntuples(result), columns = c->pq->PQnfields(result);
    if (r->action == CANDOR_LOAD_READ && !rows) {
        w->result = CANDOR_LOAD_REFUSED;
        w->has_problem = true;
        snprintf(w->problem, sizeof w->problem, "there is no record with the key of the request; fill the table with --phase load");
    }
    for (int i = 0; r->action == CANDOR_LOAD_READ && rows && i < columns; i++)
        c->host->value(c->connection, r, r->field == CANDOR_LOAD_ALL_FIELDS ? (uint32_t)i : (uint32_t)r->field,
                       c->pq->PQgetvalue(result, 0, i), (size_t)c->pq->PQgetlength(result, 0, i));
}

static void take_result(struct postgres *c, struct waiting *w, const PGresult *result)
{
    ExecStatusType status = c->pq->PQresultStatus(result);
    if (status == PGRES_TUPLES_OK && w->request) {
        give_row(c, w, result);
    } else if (status == PGRES_COMMAND_OK && w->request && w->request->action == CANDOR_LOAD_UPDATE &&
               !strcmp(c->pq->PQcmdTuples((PGresult *)result), "0")) {
        w->result = CANDOR_LOAD_REFUSED;
        w->has_problem = true;
        snprintf(w->problem, sizeof w->problem, "there is no record with the key of the request; fill the table with --phase load");
    } else if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK && !w->has_problem) {
        const char *text = c->pq->PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
        w->result = CANDOR_LOAD_REFUSED;
        w->has_problem = true;
        snprintf(w->problem, sizeof w->problem, "the server answered: %s", text ? text : "an error");
    }
}

/* The synchronization point after a request has come. */
static void complete(struct postgres *c)
{
    struct waiting *w = c->first;
    c->first = w->next;
    if (!c->first)
        c->last = &c->first;
    if (w->request)
        c->host->done(c->connection, w->request, w->result, 0, w->has_problem ? w->problem : NULL);
    else if (w->has_problem)
        lose(c, w->problem);
    else if (!--c->login)
        c->host->ready(c->connection);
    w->next = c->spare;
    c->spare = w;
}

static void take_results(struct postgres *c)
{
    int empty = 0; /* a NULL separates the results of two statements; two of them mean that nothing is left */
    while (c->first && !c->gone && empty < 2 && !c->pq->PQisBusy(c->conn)) {
        PGresult *result = c->pq->PQgetResult(c->conn);
        empty = result ? 0 : empty + 1;
        if (!result)
            continue;
        if (c->pq->PQresultStatus(result) == PGRES_PIPELINE_SYNC)
            complete(c);
        else
            take_result(c, c->first, result);
        c->pq->PQclear(result);
    }
}

static void poll_connect(struct postgres *c)
{
    switch (c->pq->PQconnectPoll(c->conn)) {
    case PGRES_POLLING_READING:
        watch(c, CANDOR_LOAD_READABLE);
        break;
    case PGRES_POLLING_WRITING:
        watch(c, CANDOR_LOAD_WRITABLE);
        break;
    case PGRES_POLLING_OK:
        log_in(c);
        break;
    default:
        lose(c, c->pq->PQerrorMessage(c->conn));
    }
}

static void event(void *connection, uint32_t events)
{
    struct postgres *c = connection;
    if (c->gone)
        return;
    if (!c->connected) {
        poll_connect(c);
        return;
    }
    if (events & CANDOR_LOAD_READABLE && !c->pq->PQconsumeInput(c->conn)) {
        take_results(c);
        lose(c, c->pq->PQerrorMessage(c->conn));
        return;
    }
    flush(c);
    take_results(c);
    flush(c);
}

static void disconnect(void *connection)
{
    struct postgres *c = connection;
    struct waiting *lists[] = {c->first, c->spare};
    for (int i = 0; i < 2; i++)
        for (struct waiting *w = lists[i], *next; w; w = next) {
            next = w->next;
            free(w);
        }
    c->pq->PQfinish(c->conn);
    free(c);
}

static void *connect_target(void *target, const struct candor_load_host *host, struct candor_load_connection *connection)
{
    struct postgres_target *t = target;
    struct postgres *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (struct postgres){.shared = t, .pq = &t->pq, .host = host, .connection = connection, .last = &c->first};
    /* The later password replaces that of the URL. libpq ignores an empty one. */
    const char *const names[] = {"dbname", "password", NULL}, *const values[] = {t->target->url, t->target->password, NULL};
    if (!(c->conn = t->pq.PQconnectStartParams(names, values, 1))) {
        free(c);
        return NULL;
    }
    if (t->pq.PQstatus(c->conn) == CONNECTION_BAD)
        lose(c, t->pq.PQerrorMessage(c->conn));
    else
        watch(c, CANDOR_LOAD_WRITABLE); /* as libpq asks for before the first PQconnectPoll */
    return c;
}

/* ---- statements ---- */

static void put_fields(struct buffer *b, uint32_t fields, const char *format)
{
    for (uint32_t f = 0; f < fields; f++) {
        buffer_text(b, f ? ", " : "");
        buffer_printf(b, format, f, f + 2);
    }
}

static void put_statement(struct buffer *b, const struct postgres_target *t, uint32_t number)
{
    const char *table = t->target->table;
    uint32_t one = number < READ_ONE ? 0 : (number - READ_ONE) % t->fields;
    switch (number) {
    case READ_ALL:
    case SCAN:
        buffer_text(b, "SELECT ");
        put_fields(b, t->fields, "field%u");
        buffer_printf(b, number == SCAN ? " FROM %s WHERE ycsb_key >= $1 ORDER BY ycsb_key LIMIT $2" : " FROM %s WHERE ycsb_key = $1",
                      table);
        break;
    case UPDATE_ALL:
        buffer_printf(b, "UPDATE %s SET ", table);
        put_fields(b, t->fields, "field%u = $%u");
        buffer_text(b, " WHERE ycsb_key = $1");
        break;
    case INSERT:
        buffer_printf(b, "INSERT INTO %s VALUES ($1", table);
        for (uint32_t f = 0; f < t->fields; f++)
            buffer_printf(b, ", $%u", f + 2);
        buffer_text(b, ") ON CONFLICT (ycsb_key) DO UPDATE SET ");
        put_fields(b, t->fields, "field%u = $%u");
        break;
    default:
        if (number < READ_ONE + t->fields)
            buffer_printf(b, "SELECT field%u FROM %s WHERE ycsb_key = $1", one, table);
        else
            buffer_printf(b, "UPDATE %s SET field%u = $2 WHERE ycsb_key = $1", table, one);
    }
    buffer_u8(b, 0);
}

static int make_statements(struct postgres_target *t)
{
    struct buffer b;
    t->statements = t->fields ? READ_ONE + 2 * t->fields : 0;
    t->sql = calloc(t->statements + 1, sizeof *t->sql);
    buffer_init(&b, 1 << 20);
    for (uint32_t i = 0; t->sql && i < t->statements; i++) {
        buffer_reset(&b);
        put_statement(&b, t, i);
        t->sql[i] = b.failed ? NULL : strdup((char *)b.data);
    }
    buffer_reset(&b);
    buffer_printf(&b, "CREATE TABLE IF NOT EXISTS %s (ycsb_key text PRIMARY KEY, ", t->fields ? t->target->table : "");
    put_fields(&b, t->fields, "field%u text");
    buffer_text(&b, ")");
    buffer_u8(&b, 0);
    t->create = b.failed ? NULL : strdup((char *)b.data);
    bool good = t->sql && t->create && (!t->statements || t->sql[t->statements - 1]);
    buffer_deinit(&b);
    return good ? 0 : -ENOMEM;
}

static void close_target(void *target)
{
    struct postgres_target *t = target;
    for (uint32_t i = 0; t->sql && i < t->statements; i++)
        free(t->sql[i]);
    free(t->sql);
    free(t->create);
    free(t);
}

static void *open_target(const struct candor_load_target *target, char *message, size_t size)
{
    struct postgres_target *t = calloc(1, sizeof *t);
    struct error e = {"no memory for the driver"};
    if (t) {
        t->target = target;
        t->fields = target->fields;
        if (!libpq_load(&t->pq, &e) && !make_statements(t))
            return t;
        close_target(t);
    }
    snprintf(message, size, "%s", e.text);
    return NULL;
}

const struct candor_load_driver driver_postgres = {
    .version = CANDOR_LOAD_DRIVER_VERSION,
    .name = "postgresql",
    .actions = 1 << CANDOR_LOAD_READ | 1 << CANDOR_LOAD_UPDATE | 1 << CANDOR_LOAD_INSERT | 1 << CANDOR_LOAD_SCAN,
    .open = open_target,
    .close = close_target,
    .connect = connect_target,
    .disconnect = disconnect,
    .issue = issue,
    .flush = flush,
    .event = event,
};
