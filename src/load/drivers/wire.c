#include "load/drivers/wire.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "load/reach.h"

enum { SCRATCH = 64 << 10, OUT_MAX = 256 << 20 };

static int open_target(struct wire_target *t, const struct candor_load_target *target, const char *default_port, bool tls, const char *alpn,
                       struct error *e)
{
    *t = (struct wire_target){.target = target};
    int rc = reach_host(target->host, *target->port ? target->port : default_port, &t->addresses, &t->address, e);
    if (!rc && tls)
        rc = tls_new(&t->tls, target->host, target->insecure, e);
    if (!rc && tls && alpn)
        rc = tls_offer(t->tls, alpn, e);
    if (rc)
        wire_close(t);
    return rc;
}

void *wire_new(size_t size, const struct candor_load_target *target, const char *default_port, bool tls, const char *alpn, char *message,
               size_t message_size)
{
    struct wire_target *t = calloc(1, size);
    struct error e = {"no memory for the driver"};
    if (t && !open_target(t, target, default_port, tls, alpn, &e))
        return t;
    free(t);
    snprintf(message, message_size, "%s", e.text);
    return NULL;
}

void wire_close(struct wire_target *t)
{
    if (t->addresses)
        freeaddrinfo(t->addresses);
    t->addresses = NULL;
    tls_free(t->tls);
    t->tls = NULL;
}

void *wire_connect(const struct wire_protocol *protocol, const struct wire_target *t, const struct candor_load_host *host,
                   struct candor_load_connection *c)
{
    int one = 1;
    struct wire *w = calloc(1, protocol->size);
    if (!w)
        return NULL;
    w->protocol = protocol, w->shared = t, w->host = host, w->connection = c;
    buffer_init(&w->out, OUT_MAX);
    w->fd = socket(t->address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (w->fd >= 0)
        setsockopt(w->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (w->fd < 0 || (connect(w->fd, t->address->ai_addr, t->address->ai_addrlen) && errno != EINPROGRESS)) {
        int error = errno;
        wire_disconnect(w);
        errno = error;
        return NULL;
    }
    host->watch(c, w->fd, CANDOR_LOAD_READABLE | CANDOR_LOAD_WRITABLE | CANDOR_LOAD_EDGE);
    return w;
}

void wire_disconnect(void *wire)
{
    struct wire *w = wire;
    if (w->protocol->end)
        w->protocol->end(w);
    tls_session_free(w->tls);
    if (w->fd >= 0)
        close(w->fd);
    buffer_deinit(&w->out);
    free(w->pending);
    free(w);
}

void wire_lose(struct wire *w, const char *why)
{
    if (w->state == WIRE_GONE)
        return;
    w->state = WIRE_GONE;
    w->host->lost(w->connection, why);
}

static void lose_errno(struct wire *w, const char *what, int error)
{
    char text[200];
    snprintf(text, sizeof text, "%s: %s", what, strerror(error));
    wire_lose(w, text);
}

/* Advances to an open connection. Returns whether it is open. */
static bool advance(struct wire *w)
{
    struct error e;
    if (w->state == WIRE_CONNECTING) {
        int error = 0;
        socklen_t size = sizeof error, peer_size = sizeof(struct sockaddr_storage);
        struct sockaddr_storage peer;
        getsockopt(w->fd, SOL_SOCKET, SO_ERROR, &error, &size);
        if (!error && getpeername(w->fd, (struct sockaddr *)&peer, &peer_size))
            return false;
        if (!error && w->shared->tls && !(w->tls = tls_session_new(w->shared->tls, w->fd)))
            error = ENOMEM;
        if (error) {
            lose_errno(w, "cannot connect", error);
            return false;
        }
        w->state = w->tls ? WIRE_HANDSHAKE : WIRE_OPEN;
    }
    if (w->state == WIRE_HANDSHAKE) {
        int rc = tls_handshake(w->tls, &e);
        if (rc == -EAGAIN)
            return false;
        if (rc) {
            wire_lose(w, e.text);
            return false;
        }
        w->state = WIRE_OPEN;
    }
    int rc = w->protocol->begin(w);
    if (rc)
        lose_errno(w, "cannot begin a session", -rc);
    return !rc && w->state == WIRE_OPEN;
}

/* Moves what is not sent to the front, so that a connection whose buffer never becomes empty does not reach the buffer's limit. */
static void drop_sent(struct wire *w)
{
    size_t left = w->out.len - w->sent;
    if (w->sent < left)
        return; /* so that each byte is moved at most once for each byte sent */
    memmove(w->out.data, w->out.data + w->sent, left);
    w->out.len = left;
    w->sent = 0;
}

void wire_flush(void *wire)
{
    struct wire *w = wire;
    if (w->state != WIRE_OPEN)
        return;
    if (w->out.failed) {
        wire_lose(w, "no memory for requests in progress");
        return;
    }
    while (w->sent < w->out.len) {
        ssize_t n;
        if (w->tls)
            n = tls_write(w->tls, w->out.data + w->sent, w->out.len - w->sent);
        else if ((n = send(w->fd, w->out.data + w->sent, w->out.len - w->sent, MSG_NOSIGNAL)) < 0)
            n = -errno;
        if (n == -EAGAIN) {
            drop_sent(w);
            return;
        }
        if (n <= 0 && n != -EINTR) {
            wire_lose(w, "the connection broke while a request was sent");
            return;
        }
        w->sent += n > 0 ? (size_t)n : 0;
    }
    buffer_reset(&w->out);
    w->sent = 0;
}

void wire_event(void *wire, uint32_t events)
{
    static _Thread_local uint8_t scratch[SCRATCH];
    struct wire *w = wire;
    struct error e;
    if (w->state == WIRE_GONE || (w->state != WIRE_OPEN && !advance(w)))
        return;
    wire_flush(w);
    while (w->state == WIRE_OPEN) {
        ssize_t n = w->tls ? tls_read(w->tls, scratch, SCRATCH) : recv(w->fd, scratch, SCRATCH, 0);
        if (n < 0 && !w->tls)
            n = -errno;
        if (n == -EAGAIN)
            break;
        if (n == -EINTR)
            continue;
        if (n <= 0)
            wire_lose(w, n ? "the connection broke" : "the server closed the connection");
        else if (w->protocol->feed(w, scratch, (size_t)n, &e))
            wire_lose(w, e.text);
        else if (!w->tls && n < SCRATCH && !(events & CANDOR_LOAD_HANGUP))
            break; /* the socket is empty: an edge follows when it is not */
    }
    wire_flush(w);
}

bool wire_push(struct wire *w, struct candor_load_request *r)
{
    if (w->pending_count == w->pending_cap) {
        uint32_t cap = w->pending_cap ? w->pending_cap * 2 : 16;
        struct candor_load_request **grown = malloc(cap * sizeof *grown);
        if (!grown)
            return false;
        for (uint32_t i = 0; i < w->pending_count; i++)
            grown[i] = w->pending[(w->pending_first + i) % w->pending_cap];
        free(w->pending);
        w->pending = grown;
        w->pending_cap = cap;
        w->pending_first = 0;
    }
    w->pending[(w->pending_first + w->pending_count++) % w->pending_cap] = r;
    return true;
}

struct candor_load_request *wire_first(const struct wire *w)
{
    return w->pending[w->pending_first];
}

struct candor_load_request *wire_pop(struct wire *w)
{
    struct candor_load_request *r = w->pending[w->pending_first];
    w->pending_first = (w->pending_first + 1) % w->pending_cap;
    w->pending_count--;
    return r;
}
