#include "load/connection.h"

#include "load/child.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static void note_errno(struct connection *c, const char *what, int error)
{
    char text[200];
    snprintf(text, sizeof text, "%s: %s", what, strerror(error));
    outcome_problem(c->outcome, text);
}

static void close_socket(struct connection *c)
{
    tls_session_free(c->tls);
    c->tls = NULL;
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
    c->state = CONNECTION_CLOSED;
}

static enum connection_step ended(struct connection *c, struct connection_end *end, enum outcome_kind kind, int status)
{
    *end = (struct connection_end){kind, status};
    c->has_request = false;
    return CONNECTION_ENDED;
}

static enum connection_step failed(struct connection *c, struct connection_end *end, enum outcome_kind kind)
{
    close_socket(c);
    return c->has_request ? ended(c, end, kind, 0) : CONNECTION_WAITS;
}

/* Opens a socket. Returns 0 or an errno. */
static int open_socket(struct connection *c)
{
    const struct addrinfo *a = c->target->address;
    int one = 1;
    c->fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (c->fd < 0)
        return errno;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    __atomic_fetch_add(&c->outcome->connects, 1, __ATOMIC_RELAXED);
    if (connect(c->fd, a->ai_addr, a->ai_addrlen) && errno != EINPROGRESS)
        return errno;
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = c};
    if (epoll_ctl(c->epoll, EPOLL_CTL_ADD, c->fd, &event))
        return errno;
    c->state = CONNECTION_CONNECTING;
    c->reused = false;
    return 0;
}

static enum connection_step try_open(struct connection *c, struct connection_end *end)
{
    int error = open_socket(c);
    if (!error)
        return CONNECTION_WAITS;
    note_errno(c, "cannot connect", error);
    return failed(c, end, OUTCOME_NO_CONNECT);
}

void connection_open(struct connection *c)
{
    struct connection_end end;
    if (c->target->kind == TARGET_HTTP && c->state == CONNECTION_CLOSED)
        try_open(c, &end);
}

static ssize_t put(struct connection *c, const void *bytes, size_t n)
{
    if (c->tls)
        return tls_write(c->tls, bytes, n);
    ssize_t done = send(c->fd, bytes, n, MSG_NOSIGNAL);
    return done < 0 ? -errno : done;
}

static ssize_t get(struct connection *c, void *bytes, size_t n)
{
    if (c->tls)
        return tls_read(c->tls, bytes, n);
    ssize_t done = recv(c->fd, bytes, n, 0);
    return done < 0 ? -errno : done;
}

/* Handles a connection that broke during a request. If the connection had been idle before, the server may have closed it just when the
 * request was sent. In that case the request is sent once more on a new connection, and its time continues. */
static enum connection_step broke(struct connection *c, struct connection_end *end, const char *what)
{
    bool again = c->has_request && c->reused && !c->retried && c->response.state == RESPONSE_STATUS_LINE && !c->response.line_len;
    close_socket(c);
    if (!again) {
        if (c->has_request)
            outcome_problem(c->outcome, what);
        return failed(c, end, OUTCOME_BROKEN);
    }
    c->retried = true;
    __atomic_fetch_add(&c->outcome->reconnects, 1, __ATOMIC_RELAXED);
    return try_open(c, end);
}

static enum connection_step send_request(struct connection *c, struct connection_end *end)
{
    const struct mix_type *type = &c->mix->types[c->request.type];
    if (c->state == CONNECTION_IDLE) {
        c->sent = 0;
        c->state = CONNECTION_BUSY;
        response_start(&c->response, !strcmp(type->method, "HEAD"));
    }
    while (c->sent < type->len) {
        ssize_t n = put(c, type->bytes + c->sent, type->len - c->sent);
        if (n == -EAGAIN)
            return CONNECTION_WAITS;
        if (n <= 0)
            return broke(c, end, "the connection broke while a request was sent");
        c->sent += (size_t)n;
    }
    return CONNECTION_WAITS;
}

/* Advances a connection from the connected socket: the handshake, then the request if there is one. */
static enum connection_step advance(struct connection *c, struct connection_end *end)
{
    if (c->state == CONNECTION_CONNECTING) {
        int error = 0;
        socklen_t size = sizeof error;
        struct sockaddr_storage peer;
        socklen_t peer_size = sizeof peer;
        getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &size);
        if (!error && getpeername(c->fd, (struct sockaddr *)&peer, &peer_size))
            return CONNECTION_WAITS;
        if (error) {
            note_errno(c, "cannot connect", error);
            return failed(c, end, OUTCOME_NO_CONNECT);
        }
        if (c->target->tls && !(c->tls = tls_session_new(c->target->tls, c->fd)))
            return failed(c, end, OUTCOME_NO_CONNECT);
        c->state = c->tls ? CONNECTION_HANDSHAKE : CONNECTION_IDLE;
    }
    if (c->state == CONNECTION_HANDSHAKE) {
        struct error e;
        int rc = tls_handshake(c->tls, &e);
        if (rc == -EAGAIN)
            return CONNECTION_WAITS;
        if (rc) {
            outcome_problem(c->outcome, e.text);
            return failed(c, end, OUTCOME_NO_CONNECT);
        }
        c->state = CONNECTION_IDLE;
    }
    return c->has_request ? send_request(c, end) : CONNECTION_WAITS;
}

static enum connection_step answered(struct connection *c, struct connection_end *end, bool rest)
{
    __atomic_fetch_add(&c->outcome->bytes, c->response.body, __ATOMIC_RELAXED);
    if (!c->response.keep_alive || !c->target->keep_alive || rest)
        close_socket(c);
    else
        c->state = CONNECTION_IDLE;
    c->reused = true;
    return ended(c, end, c->response.status < 400 ? OUTCOME_ANSWERED : OUTCOME_REFUSED, c->response.status);
}

static enum connection_step receive(struct connection *c, char *scratch, size_t size, struct connection_end *end)
{
    for (;;) {
        ssize_t n = get(c, scratch, size);
        if (n == -EAGAIN || n == -EINTR)
            return CONNECTION_WAITS;
        if (!c->has_request) /* closed while idle, or bytes without a request */
            return failed(c, end, OUTCOME_BROKEN);
        if (n < 0)
            return broke(c, end, "the connection broke");
        size_t taken = 0;
        if (n == 0) {
            if (c->response.state == RESPONSE_STATUS_LINE && !c->response.line_len)
                return broke(c, end, "the server closed the connection without an answer");
            response_close(&c->response);
        } else {
            taken = response_feed(&c->response, scratch, (size_t)n);
        }
        if (c->response.state == RESPONSE_DONE)
            return answered(c, end, n == 0 || taken < (size_t)n);
        if (c->response.state == RESPONSE_BROKEN) {
            outcome_problem(c->outcome, c->response.problem);
            return failed(c, end, OUTCOME_BROKEN);
        }
    }
}

enum connection_step connection_start(struct connection *c, struct connection_end *end)
{
    c->has_request = true;
    c->retried = false;
    if (c->target->kind == TARGET_MOCK)
        return CONNECTION_WAITS; /* its worker calls the mock */
    if (c->target->kind == TARGET_COMMAND) {
        int error = child_start(c->target->command, &c->pid, &c->fd);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
        if (!error && !epoll_ctl(c->epoll, EPOLL_CTL_ADD, c->fd, &event))
            return CONNECTION_WAITS;
        note_errno(c, "cannot run the command", error ? error : errno);
        connection_abort(c);
        return ended(c, end, OUTCOME_NO_CONNECT, 0);
    }
    if (c->state == CONNECTION_CLOSED)
        return try_open(c, end);
    return c->state == CONNECTION_IDLE ? send_request(c, end) : CONNECTION_WAITS;
}

enum connection_step connection_event(struct connection *c, char *scratch, size_t size, struct connection_end *end)
{
    if (c->target->kind == TARGET_COMMAND) {
        int status;
        if (c->fd < 0 || !child_ended(c->pid, &status))
            return CONNECTION_WAITS;
        close_socket(c);
        c->pid = 0;
        if (status)
            outcome_problem(c->outcome, "the command ended with a status other than 0");
        return ended(c, end, status ? OUTCOME_REFUSED : OUTCOME_ANSWERED, 0);
    }
    if (c->state == CONNECTION_CLOSED)
        return CONNECTION_WAITS;
    if (c->state != CONNECTION_BUSY || c->sent < c->mix->types[c->request.type].len) {
        if (c->state == CONNECTION_IDLE && !c->has_request)
            return receive(c, scratch, size, end);
        if (advance(c, end) == CONNECTION_ENDED)
            return CONNECTION_ENDED;
    }
    return c->state == CONNECTION_BUSY ? receive(c, scratch, size, end) : CONNECTION_WAITS;
}

void connection_abort(struct connection *c)
{
    if (c->pid)
        child_kill(c->pid);
    c->pid = 0;
    c->has_request = false;
    close_socket(c);
}
