/* A connection of a driver (candor/load_driver.h), with places for requests in progress. It opens the connection when the first request
 * needs it, holds requests back until the connection is ready, and ends them when it is lost. Only its worker uses it. */
#ifndef CANDOR_LOAD_LINK_H
#define CANDOR_LOAD_LINK_H

#include "base/error.h"
#include "candor/load_driver.h"
#include "load/connection.h"

enum link_state { LINK_CLOSED, LINK_OPENING, LINK_READY };

struct link {
    const struct candor_load_driver *driver;
    void *target; /* the driver's */
    void *side;   /* the driver's side of the connection; NULL = closed */
    enum link_state state;
    int epoll, fd;
    bool fresh;     /* ready since the driver's function began: requests that waited are issued when it has returned */
    bool lost;      /* disconnect when the driver's function has returned */
    bool unflushed; /* requests were issued */
    bool at_once;   /* flush after each request */
    char why[200];  /* the reason for `lost` */
    bool listed;    /* in the worker's list of links to flush */
    struct link *next_unflushed;
    struct connection *places;  /* by next_place */
    struct connection *halfway; /* by next_halfway: the read of a read-modify-write has ended, and the write must be issued */
    struct workload *workload;  /* or NULL */
    struct outcome *outcome;
    void (*finish)(void *context, struct connection *c, const struct connection_end *end);
    void *context;
};

/* Begins to connect, if the link is closed. */
void link_open(struct link *l);
/* Sends the request of c, now or when the link is ready. May call `finish`. */
void link_start(struct link *l, struct connection *c);
/* Sends what was issued. */
void link_flush(struct link *l);
/* Handles an event of epoll. */
void link_event(struct link *l, uint32_t events);
/* Gives up the request of c: closes the connection, and ends the other requests in progress on it as broken. */
void link_abort(struct link *l, struct connection *c);
/* For the end of a run: forgets the request of c; closes the connection, whatever is in progress. */
void link_forget(struct link *l, struct connection *c);
void link_close(struct link *l);
/* Opens a connection, waits until it is ready, and closes it. Returns 0, or a negative code with e. */
int link_probe(const struct candor_load_driver *driver, void *target, const char *url, struct error *e);

#endif
