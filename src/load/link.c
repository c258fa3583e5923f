#include "load/link.h"

#include "base/time_units.h"
#include "base/text/units.h"
#include "load/workload/workload.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* ---- the functions that drivers call ---- */

static void on_watch(struct candor_load_connection *c, int fd, uint32_t events)
{
    struct link *l = (struct link *)c;
    uint32_t wanted = EPOLLRDHUP | (events & CANDOR_LOAD_READABLE ? EPOLLIN : 0) | (events & CANDOR_LOAD_WRITABLE ? EPOLLOUT : 0) |
                      (events & CANDOR_LOAD_EDGE ? EPOLLET : 0);
    struct epoll_event event = {.events = wanted, .data.ptr = l};
    if (l->fd >= 0 && l->fd != fd)
        epoll_ctl(l->epoll, EPOLL_CTL_DEL, l->fd, NULL);
    l->fd = fd;
    /* A driver's library may have closed the descriptor and opened another with the same number. */
    if (epoll_ctl(l->epoll, EPOLL_CTL_MOD, fd, &event) && (errno != ENOENT || epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &event))) {
        snprintf(l->why, sizeof l->why, "cannot wait for the connection: %s", strerror(errno));
        l->lost = true;
    }
}

static void issue(struct link *l, struct connection *c)
{
    c->issued = true;
    l->unflushed = true;
    l->driver->issue(l->side, &c->operation.request);
}

static void on_ready(struct candor_load_connection *connection)
{
    struct link *l = (struct link *)connection;
    l->state = LINK_READY;
    l->fresh = true;
}

static void on_lost(struct candor_load_connection *c, const char *why)
{
    struct link *l = (struct link *)c;
    if (!l->lost)
        snprintf(l->why, sizeof l->why, "%s", why);
    l->lost = true;
}

static struct connection *place_of(struct candor_load_request *r)
{
    return (struct connection *)((char *)r - offsetof(struct connection, operation.request));
}

static void on_value(struct candor_load_connection *connection, struct candor_load_request *r, uint32_t field, const void *bytes, size_t n)
{
    struct link *l = (struct link *)connection;
    __atomic_fetch_add(&l->outcome->bytes, n, __ATOMIC_RELAXED);
    if (l->workload)
        workload_check(l->workload, &place_of(r)->operation, field, bytes, n);
}

static void on_problem(struct candor_load_connection *c, const char *problem)
{
    outcome_problem(((struct link *)c)->outcome, problem);
}

static void end(struct link *l, struct connection *c, enum outcome_kind kind, int status);

static void on_again(struct candor_load_connection *connection, struct candor_load_request *r)
{
    struct link *l = (struct link *)connection;
    struct connection *c = place_of(r);
    if (c->retried) {
        outcome_problem(l->outcome, "the server closed two connections before it had begun with a request");
        end(l, c, OUTCOME_BROKEN, 0);
        return;
    }
    c->retried = true;
    c->issued = false;
    __atomic_fetch_add(&l->outcome->reconnects, 1, __ATOMIC_RELAXED);
}

static void end(struct link *l, struct connection *c, enum outcome_kind kind, int status)
{
    struct connection_end ended = {kind, status};
    c->has_request = c->issued = false;
    if (l->workload)
        workload_end(l->workload, &c->operation);
    l->finish(l->context, c, &ended);
}

static void on_done(struct candor_load_connection *connection, struct candor_load_request *r, enum candor_load_result result, int status,
                    const char *problem)
{
    static const enum outcome_kind kinds[] = {OUTCOME_ANSWERED, OUTCOME_REFUSED, OUTCOME_BROKEN};
    struct link *l = (struct link *)connection;
    struct connection *c = place_of(r);
    enum outcome_kind kind = kinds[result];
    if (kind == OUTCOME_ANSWERED && l->workload && operation_modify(&c->operation)) {
        c->next_halfway = l->halfway;
        l->halfway = c;
        return;
    }
    if (problem)
        outcome_problem(l->outcome, problem);
    if (kind == OUTCOME_ANSWERED && c->operation.wrong) {
        outcome_problem(l->outcome, "a record that was read has another value than the one that was written");
        kind = OUTCOME_WRONG;
    }
    end(l, c, kind, status);
}

static const struct candor_load_host host = {on_watch, on_ready, on_lost, on_value, on_problem, on_again, on_done};

/* ---- what workers call ---- */

static void disconnect(struct link *l)
{
    if (l->side) {
        if (l->fd >= 0)
            epoll_ctl(l->epoll, EPOLL_CTL_DEL, l->fd, NULL);
        l->driver->disconnect(l->side);
    }
    l->side = NULL;
    l->fd = -1;
    l->halfway = NULL;
    l->lost = l->unflushed = l->fresh = false;
    l->state = LINK_CLOSED;
}

/* Ends all requests of a link that was lost. */
static void end_all(struct link *l)
{
    enum outcome_kind kind = l->state == LINK_READY ? OUTCOME_BROKEN : OUTCOME_NO_CONNECT;
    bool had = false, left = false;
    disconnect(l);
    for (struct connection *c = l->places; c; c = c->next_place) {
        bool waits = kind == OUTCOME_BROKEN && !c->issued; /* for a new connection */
        if (!c->has_request)
            continue;
        had |= !waits;
        left |= waits;
        if (!waits)
            end(l, c, kind, 0);
    }
    if (had || kind == OUTCOME_NO_CONNECT)
        outcome_problem(l->outcome, l->why);
    if (left)
        link_open(l);
}

/* Sends the requests that have waited for the connection. */
static void send_waiting(struct link *l)
{
    l->fresh = false;
    for (struct connection *c = l->places; c && !l->lost; c = c->next_place)
        if (c->has_request && !c->issued)
            issue(l, c);
    if (!l->lost && l->driver->flush)
        l->driver->flush(l->side);
    l->unflushed = false;
}

/* To be called whenever a function of the driver has returned. */
static void settle(struct link *l)
{
    if (l->fresh && !l->lost)
        send_waiting(l);
    while (l->halfway && !l->lost) {
        struct connection *c = l->halfway;
        l->halfway = c->next_halfway;
        issue(l, c);
    }
    if (l->lost)
        end_all(l);
}

void link_open(struct link *l)
{
    if (l->state != LINK_CLOSED)
        return;
    l->state = LINK_OPENING;
    __atomic_fetch_add(&l->outcome->connects, 1, __ATOMIC_RELAXED);
    l->side = l->driver->connect(l->target, &host, (struct candor_load_connection *)l);
    if (!l->side && !l->lost) {
        snprintf(l->why, sizeof l->why, "cannot connect: %s", strerror(errno));
        l->lost = true;
    }
    settle(l);
}

void link_start(struct link *l, struct connection *c)
{
    c->issued = c->retried = false;
    c->has_request = true;
    if (l->state == LINK_CLOSED) {
        link_open(l);
        return;
    }
    if (l->state == LINK_READY)
        issue(l, c);
    if (l->at_once)
        link_flush(l);
    else
        settle(l);
}

void link_flush(struct link *l)
{
    while (l->unflushed && l->side && !l->lost) {
        l->unflushed = false;
        if (l->driver->flush)
            l->driver->flush(l->side);
        settle(l); /* may issue the write of a read-modify-write */
    }
    settle(l);
}

void link_event(struct link *l, uint32_t events)
{
    if (!l->side)
        return;
    uint32_t told = (events & (EPOLLIN | EPOLLERR | EPOLLHUP) ? CANDOR_LOAD_READABLE : 0) | (events & EPOLLOUT ? CANDOR_LOAD_WRITABLE : 0) |
                    (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR) ? CANDOR_LOAD_HANGUP : 0);
    l->driver->event(l->side, told);
    settle(l);
    link_flush(l);
}

void link_forget(struct link *l, struct connection *c)
{
    c->has_request = c->issued = false;
    if (l->workload)
        workload_end(l->workload, &c->operation);
}

void link_close(struct link *l)
{
    disconnect(l);
}

void link_abort(struct link *l, struct connection *c)
{
    link_forget(l, c);
    snprintf(l->why, sizeof l->why, "%s",
             l->state == LINK_READY ? "the connection was given up, because another request on it took too long" : "no connection in time");
    if (l->state != LINK_CLOSED)
        end_all(l);
}

/* ---- a first connection ---- */

static void no_finish(void *context, struct connection *c, const struct connection_end *end)
{
}

int link_probe(const struct candor_load_driver *driver, void *target, const char *url, struct error *e)
{
    enum { LOOK_MS = 100 };
    static struct outcome unused; /* a probe has no requests: only `connects` and the problem are written */
    struct link l = {.driver = driver, .target = target, .fd = -1, .finish = no_finish, .outcome = &unused};
    uint64_t until = clock_monotonic_ns() + 10 * NS_PER_S;
    l.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (l.epoll < 0)
        return error_set(e, -errno, "cannot wait for connections: %s", strerror(errno));
    link_open(&l);
    while (l.state == LINK_OPENING && clock_monotonic_ns() < until) {
        struct epoll_event event;
        if (epoll_wait(l.epoll, &event, 1, LOOK_MS) == 1)
            link_event(&l, event.events);
    }
    bool ready = l.state == LINK_READY;
    if (l.state == LINK_OPENING)
        snprintf(l.why, sizeof l.why, "no answer within 10 s");
    disconnect(&l);
    close(l.epoll);
    return ready ? 0 : error_set(e, -ECONNREFUSED, "%.150s: %s; check the address, the login and the server", url, l.why);
}
