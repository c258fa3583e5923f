/* One connection of the generator. It carries one request at a time to its target: a server, a program or the mock. Only its worker uses
 * it. A connection of a driver (link.h) carries several; there, each of these is the place of one request. */
#ifndef CANDOR_LOAD_CONNECTION_H
#define CANDOR_LOAD_CONNECTION_H

#include "candor/load_driver.h"
#include "load/mock.h"
#include "load/outcome.h"
#include "load/response.h"
#include "load/tls.h"
#include "load/url.h"
#include "load/workload/workload.h"

#include <netdb.h>
#include <stdbool.h>
#include <stdint.h>

enum target_kind { TARGET_HTTP, TARGET_COMMAND, TARGET_MOCK, TARGET_DRIVER };

/* The target of all connections. */
struct target {
    enum target_kind kind;
    struct url url;
    struct addrinfo *addresses; /* the addresses of the host's name */
    struct addrinfo *address;   /* the address that answered */
    struct tls *tls;            /* NULL = plain text */
    char **command;
    struct mock mock;
    bool keep_alive;
    const struct candor_load_driver *driver;
    void *driver_target;
    struct workload *workload; /* of records; NULL = the requests of the mix */
};

enum connection_state { CONNECTION_CLOSED, CONNECTION_CONNECTING, CONNECTION_HANDSHAKE, CONNECTION_IDLE, CONNECTION_BUSY };

struct connection {
    struct connection *next, *before; /* neighbors in its worker's list of free or of busy connections */
    const struct target *target;
    const struct mix *mix;
    struct outcome *outcome;
    int epoll;
    int fd; /* socket or pidfd; -1 */
    int pid;
    enum connection_state state;
    bool has_request, reused, retried;
    struct tls_session *tls;
    struct outcome_request request;
    size_t sent;      /* bytes of the request */
    uint64_t done_at; /* for the mock */
    uint64_t free_since;
    /* For drivers: the connection is `link`, and this is a place for one of its requests. */
    struct link *link;
    struct connection *next_place, *next_halfway;
    bool issued;
    struct operation operation;
    struct response response;
};

/* The result of a step of a connection. */
enum connection_step { CONNECTION_WAITS, CONNECTION_ENDED };

struct connection_end {
    enum outcome_kind kind;
    int status;
};

/* Opens a socket before the first request. A failure is reported when the socket is used. */
void connection_open(struct connection *c);
/* Sends c->request. Returns CONNECTION_ENDED if it failed at once. */
enum connection_step connection_start(struct connection *c, struct connection_end *end);
/* Handles an event that was reported for the connection's descriptor. `scratch` is a buffer for reading. */
enum connection_step connection_event(struct connection *c, char *scratch, size_t size, struct connection_end *end);
/* Aborts the request, and closes the connection. */
void connection_abort(struct connection *c);

#endif
