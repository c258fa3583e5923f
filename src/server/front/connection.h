/* One connection: received bytes, the request that is being answered, and bytes to send. It never waits. Each function does what can be
 * done at once, and returns what the connection wants next.
 *
 *     HANDSHAKE -> HEAD -> BODY -> ANSWER -> HEAD ...        one request after the other, in the order in which they were received
 *                   |                 '----> LINGER          the last answer was sent: bytes that are still received are dropped
 *                   '---> HTTP2 -----------> LINGER          many requests at once (http2.h)
 *
 * Work that may take long is done in between, in state WORK. In this state the connection belongs to a worker, which calls connection_work,
 * until the loop calls connection_worked. With HTTP/2, each stream has work of its own, and the connection stays with the loop. If it ends
 * while streams are with workers, it waits for them in state ENDED. Only the loop's thread may call the other functions. */
#ifndef CANDOR_SERVER_FRONT_CONNECTION_H
#define CANDOR_SERVER_FRONT_CONNECTION_H

#include "base/buffer.h"
#include "server/front/places.h"
#include "server/front/transport.h"
#include "server/front/want.h"
#include "server/front/work.h"
#include "server/request/context.h"

#include <netinet/in.h>

struct request;
struct http2;

struct connection {
    struct work work;
    struct connection *next, **at; /* neighbors in the loop's list */
    struct server *server;
    struct place *place;
    char address[INET6_ADDRSTRLEN]; /* of the client, for the log */
    struct transport transport;
    enum {
        CONNECTION_HANDSHAKE,
        CONNECTION_HEAD,
        CONNECTION_BODY,
        CONNECTION_ANSWER,
        CONNECTION_LINGER,
        CONNECTION_WORK,
        CONNECTION_HTTP2,
        CONNECTION_ENDED,
    } state;
    int result;              /* result of the handshake */
    bool begun;              /* the connection has had a request, so no HTTP/2 can begin */
    bool reset;              /* when the connection is closed, drop bytes that were not sent yet */
    uint64_t since_ns;       /* when this state began; in HEAD: time of the head's first byte, or of the last request's end */
    uint64_t progress_ns;    /* when bytes were last received or sent */
    struct buffer in;        /* received bytes; takes no memory while it is empty */
    size_t seen;             /* bytes of an incomplete head that were searched */
    struct request *request; /* NULL between two requests */
    struct http2 *http2;     /* NULL = HTTP/1.1 */
};

/* Makes a connection. Takes over the descriptor and the place. Returns NULL if there is no memory; both then remain the caller's. */
struct connection *connection_new(struct server *s, int fd, struct place *place, const struct sockaddr *peer, struct transport_keys *keys);
/* Closes the connection. The place remains the caller's. Returns false if streams are still with workers; then the connection stays, and
 * connection_worked returns WANT_CLOSE when the last of them is back. Do not call it in state WORK. */
bool connection_free(struct connection *c);

/* Goes on. Call it when the connection is new, or ready for what it wanted. */
enum want connection_go(struct connection *c);
/* Takes the next work of a stream that is to be submitted. Call it after each function that returns an enum want, until it returns NULL. */
struct work *connection_next_work(struct connection *c);
/* Closes the connection if it has waited too long. Call it about every second. stopping: also close the connection if no answer is
 * pending. */
enum want connection_tick(struct connection *c, uint64_t now_ns, bool stopping);

/* Returns the workers' lane for work of a connection. */
enum lane connection_lane(const struct work *w);
/* Does a worker's part of the work. */
void connection_work(struct work *w);
/* Goes on after a worker has done its part. */
enum want connection_worked(struct work *w);

#endif
