/* A driver for `candor load --driver FILE.so`: how requests reach a store or a service that Candor does not know.
 *
 * The library exports one function:
 *
 *     const struct candor_load_driver *candor_load_driver(void);
 *
 * Calling sequence. open once; for each connection connect, then issue for each request, event whenever the descriptor is ready, and
 * disconnect; close at the end. No function may block, except open. The functions of one connection are called by one thread at a time.
 * Connections of different threads are used at the same time, so what they share needs a lock, or must not change after open.
 *
 * A driver reports to Candor through the functions of struct candor_load_host, from inside its own functions only. It may have any number
 * of requests in progress on a connection (the user sets the limit with --in-flight), and end them in any order.
 *
 * The examples directory has a complete driver: examples/load_driver.c. */
#ifndef CANDOR_LOAD_DRIVER_H
#define CANDOR_LOAD_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CANDOR_LOAD_DRIVER_VERSION 1

struct candor_load_bytes {
    const void *at;
    size_t len;
};

/* Where to connect, and what the records look like. All of it stays valid until close. */
struct candor_load_target {
    const char *url;             /* as the user wrote it */
    const char *scheme;          /* of the URL */
    const char *host, *port;     /* port: "" if the URL has none */
    const char *path;            /* from '/' on; "" if the URL has none */
    const char *user, *password; /* "" if there are none; percent-encoding is resolved */
    bool insecure;               /* accept any certificate */
    bool create;                 /* the first connection may create the table; later ones find false */
    const char *table;           /* the name of the table, or a prefix of the keys */
    uint32_t fields;             /* fields of a record, named field0, field1, ...; 0 without a workload of records */
};

enum candor_load_action {
    CANDOR_LOAD_CALL,   /* a request that the user wrote: `call` */
    CANDOR_LOAD_READ,   /* one field of the record `key`, or all of them */
    CANDOR_LOAD_UPDATE, /* one field, or all of them */
    CANDOR_LOAD_INSERT, /* all fields; a record with this key may exist, and is replaced */
    CANDOR_LOAD_SCAN    /* up to `scan_length` records in the order of their keys, from `key` on */
};

/* A request of --requests or --request-file. */
struct candor_load_call {
    const char *name, *method, *path;
    const char *headers; /* lines "Name: value\r\n" */
    struct candor_load_bytes body;
};

enum { CANDOR_LOAD_ALL_FIELDS = -1 };

/* A request in progress. It is Candor's; a driver may keep the pointer until it has called done, and may write to `mark` and `data`. */
struct candor_load_request {
    enum candor_load_action action;
    struct candor_load_bytes key; /* terminated by a zero that `len` does not include */
    int32_t field;                /* the only field to read or write, or CANDOR_LOAD_ALL_FIELDS */
    /* For writes: the values of all fields, even if only one is to be written. They stay valid until done. */
    const struct candor_load_bytes *values;
    uint32_t scan_length;
    const struct candor_load_call *call;
    uint64_t mark;
    void *data;
};

enum candor_load_result {
    CANDOR_LOAD_ANSWERED, /* it did what it should */
    CANDOR_LOAD_REFUSED,  /* the answer is an error, or there is no such record */
    CANDOR_LOAD_BROKEN    /* no answer, or not a valid one */
};

struct candor_load_connection; /* Candor's side of a connection */

enum { CANDOR_LOAD_READABLE = 1, CANDOR_LOAD_WRITABLE = 2, CANDOR_LOAD_EDGE = 4, CANDOR_LOAD_HANGUP = 8 };

/* What a driver calls. */
struct candor_load_host {
    /* From now on `event` is called when fd is ready. A second call replaces the first, also with another fd. With CANDOR_LOAD_EDGE, only
     * when it becomes ready, so the driver must read and write until it would block. */
    void (*watch)(struct candor_load_connection *c, int fd, uint32_t events);
    /* The connection can issue requests: it is connected, logged in, and has prepared what it needs. Candor issues those that wait when the
     * driver's function has returned. */
    void (*ready)(struct candor_load_connection *c);
    /* The connection cannot be used any more; why: half a sentence. Candor ends the requests in progress, calls disconnect when the
     * driver's function has returned, and connects again for the next request. */
    void (*lost)(struct candor_load_connection *c, const char *why);
    /* A field that was read, of the record with the request's key. Candor compares it with what was written. Optional. */
    void (*value)(struct candor_load_connection *c, struct candor_load_request *r, uint32_t field, const void *bytes, size_t n);
    /* Notes a problem that does not end a request; the first of a run is shown. problem: half a sentence. */
    void (*problem)(struct candor_load_connection *c, const char *problem);
    /* The server has not begun with the request, and this connection takes no more. Candor issues the request once more when the connection
     * is lost and a new one is ready; its time continues. */
    void (*again)(struct candor_load_connection *c, struct candor_load_request *r);
    /* The request has ended. status: a status like those of HTTP, or 0; problem: half a sentence, or NULL. The request is not the driver's
     * any more. */
    void (*done)(struct candor_load_connection *c, struct candor_load_request *r, enum candor_load_result result, int status,
                 const char *problem);
};

struct candor_load_driver {
    uint32_t version; /* CANDOR_LOAD_DRIVER_VERSION */
    const char *name;
    uint32_t actions; /* the sum of 1 << CANDOR_LOAD_..., of the actions that it can do */
    /* Returns the driver's data for this target, or NULL with a message of at most `size` bytes. */
    void *(*open)(const struct candor_load_target *target, char *message, size_t size);
    void (*close)(void *target);
    /* Begins to connect. Returns the driver's data for this connection, or NULL with errno. */
    void *(*connect)(void *target, const struct candor_load_host *host, struct candor_load_connection *c);
    void (*disconnect)(void *connection);
    /* Sends a request, or puts it where flush sends it. */
    void (*issue)(void *connection, struct candor_load_request *r);
    /* Called after one or more requests were issued. May be NULL. */
    void (*flush)(void *connection);
    /* The descriptor is ready. events: the sum of CANDOR_LOAD_READABLE, CANDOR_LOAD_WRITABLE, and CANDOR_LOAD_HANGUP (the peer has
     * closed its side). */
    void (*event)(void *connection, uint32_t events);
};

#endif
