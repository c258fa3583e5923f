/* The common half of drivers whose protocol is bytes on a TCP connection, with or without TLS: connecting, buffered writing, reading, and
 * the order of requests in progress. A protocol adds what it sends first and how it reads answers.
 *
 * A connection's struct begins with struct wire. It belongs to one worker. */
#ifndef CANDOR_LOAD_DRIVERS_WIRE_H
#define CANDOR_LOAD_DRIVERS_WIRE_H

#include "base/buffer.h"
#include "base/error.h"
#include "candor/load_driver.h"
#include "load/tls.h"

#include <netdb.h>

struct wire;

struct wire_protocol {
    size_t size; /* of the connection's struct */
    /* The connection is open: writes what comes first. Calls w->host->ready when requests may follow, at once or from feed. Returns 0 or a
     * negative code. */
    int (*begin)(struct wire *w);
    /* Bytes have arrived. Returns 0, or a negative code with e: the connection is then given up. */
    int (*feed)(struct wire *w, const uint8_t *bytes, size_t n, struct error *e);
    /* Frees what begin and feed have made. May be NULL. */
    void (*end)(struct wire *w);
};

/* What connections to one target share. */
struct wire_target {
    const struct candor_load_target *target;
    struct addrinfo *addresses, *address; /* all of the host; the one that answered */
    struct tls *tls;                      /* NULL = plain text */
};

enum wire_state { WIRE_CONNECTING, WIRE_HANDSHAKE, WIRE_OPEN, WIRE_GONE };

struct wire {
    const struct wire_protocol *protocol;
    const struct wire_target *shared;
    const struct candor_load_host *host;
    struct candor_load_connection *connection;
    int fd;
    enum wire_state state;
    struct tls_session *tls;
    struct buffer out; /* not sent from `sent` on */
    size_t sent;
    /* Requests in the order in which they were issued; a ring. NULL stands for what the protocol sent by itself. */
    struct candor_load_request **pending;
    uint32_t pending_cap, pending_first, pending_count;
};

/* Makes a driver's data for a target: `size` bytes, which begin with a struct wire_target and are 0 after it. Finds the server's address.
 * alpn: the protocol's name for TLS, or NULL. Returns NULL with a message of at most `message_size` bytes. The caller calls wire_close,
 * and frees it. */
void *wire_new(size_t size, const struct candor_load_target *target, const char *default_port, bool tls, const char *alpn, char *message,
               size_t message_size);
void wire_close(struct wire_target *t);

/* Functions of struct candor_load_driver, with this protocol. */
void *wire_connect(const struct wire_protocol *protocol, const struct wire_target *t, const struct candor_load_host *host,
                   struct candor_load_connection *c);
void wire_disconnect(void *wire);
void wire_flush(void *wire);
void wire_event(void *wire, uint32_t events);

/* Appends to, and takes from, the requests in progress. wire_push returns false when out of memory. wire_pop and wire_first must not be
 * called when pending_count is 0. */
bool wire_push(struct wire *w, struct candor_load_request *r);
struct candor_load_request *wire_pop(struct wire *w);
struct candor_load_request *wire_first(const struct wire *w);
/* Gives the connection up. */
void wire_lose(struct wire *w, const char *why);

#endif
