/* One connection: what has come, the request that is being answered, and what is left to send. It never waits: each function does what can
 * be done at once and returns what the connection wants next.
 *
 *     HANDSHAKE -> HEAD -> BODY -> ANSWER -> HEAD ...        one request after the other, in the order in which they came
 *                                     '----> LINGER          the last answer was given: what still comes is dropped
 *
 * Work that may take long is done in between, in state WORK: the connection then belongs to a worker, who calls connection_work, until the
 * loop calls connection_worked. All else is for the loop's thread. */
#ifndef CANDOR_SERVER_FRONT_CONNECTION_H
#define CANDOR_SERVER_FRONT_CONNECTION_H

#include "base/buffer.h"
#include "server/front/places.h"
#include "server/front/transport.h"
#include "server/front/workers.h"
#include "server/request/context.h"

enum want {
    WANT_NOTHING, /* what it wanted before */
    WANT_READ,
    WANT_WRITE,
    WANT_TURN, /* it could go on at once, but others come first */
    WANT_WORK,
    WANT_CLOSE,
    WANT_GO_ON, /* (within connection.c) */
};

struct request;

struct connection {
    struct job job;                /* the first member: a worker gets this */
    struct connection *next, **at; /* in the loop's list */
    struct server *server;
    struct place *place;
    struct transport transport;
    enum { CONNECTION_HANDSHAKE, CONNECTION_HEAD, CONNECTION_BODY, CONNECTION_ANSWER, CONNECTION_LINGER, CONNECTION_WORK } state;
    enum { TASK_HANDSHAKE, TASK_BEGIN, TASK_BODY, TASK_DROP } task; /* in state WORK */
    int result;                                                     /* of the handshake */
    bool reset;                                                     /* what was not sent yet is dropped */
    uint64_t since_ns;       /* of this state; in HEAD: of the head's first byte, or of the last request */
    uint64_t progress_ns;    /* when bytes last came or went */
    struct buffer in;        /* what has come; no memory while it is empty */
    size_t seen;             /* of a head that is not complete */
    struct request *request; /* NULL between two requests */
};

/* Takes over the descriptor and the place. NULL: no memory; both remain the caller's. */
struct connection *connection_new(struct server *s, int fd, struct place *place, gnutls_certificate_credentials_t keys);
/* The place remains the caller's. Not in state WORK. */
void connection_free(struct connection *c);

/* The connection is ready, or new. */
enum want connection_go(struct connection *c);
/* The workers' lane for the connection's work. */
enum lane connection_lane(const struct connection *c);
/* Does a worker's part of the work. */
void connection_work(struct connection *c);
/* Call it when the worker has done its part. */
enum want connection_worked(struct connection *c);
/* Call it about every second: closes the connection if it has waited too long. stopping: also closes it if no answer is due. */
enum want connection_tick(struct connection *c, uint64_t now_ns, bool stopping);

#endif
