#include "server/front/loop.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "server/front/connection.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 256, ACCEPTS = 64, TICK_MS = 1000, STOP_TICK_MS = 50 };

struct loop {
    struct server *server;
    struct transport_keys *keys;                 /* NULL = no TLS */
    _Atomic(struct transport_keys *) newer_keys; /* NULL, or keys for new connections. Exchanged with acquire and release, so that what they
                                                  * refer to is seen */
    int epoll, wake;
    int listeners[SERVER_ADDRESSES_MAX];
    uint32_t listener_count;
    bool resting; /* the listeners are not in epoll until the next tick */
    struct connection *connections;
    uint32_t count;
    struct places places;
    struct workers *workers;
    pthread_t thread;
    atomic_bool stopping; /* set by loop_stop, read by the loop's thread; it orders no other memory access */
    pthread_mutex_t lock; /* protects `done` */
    struct job *done;     /* jobs that workers have done, in no order */
};

static void poke(struct loop *l)
{
    uint64_t one = 1;
    ssize_t n = write(l->wake, &one, sizeof one); /* fails only if it is set already */
    (void)n;
}

/* ---- connections ---- */

static void submit_streams(struct loop *l, struct connection *c)
{
    for (struct work *w; (w = connection_next_work(c));)
        workers_submit(l->workers, connection_lane(w), &w->job);
}

/* Closes a connection and submits the remaining work of its streams; the connection stays until that is done. */
static void end(struct loop *l, struct connection *c)
{
    struct connection **at = c->at, *next = c->next;
    struct place *place = c->place;
    if (!connection_free(c)) {
        submit_streams(l, c);
        return;
    }
    *at = next;
    if (next)
        next->at = at;
    places_give(&l->places, place);
    l->count--;
    counters_connection(&l->server->counters, CONNECTION_CLOSED);
}

/* Waits for events of a connection. Each call allows one event, so that none is reported while a worker has the connection. */
static void wait_for(struct loop *l, struct connection *c, uint32_t events)
{
    struct epoll_event event = {.events = events | EPOLLONESHOT, .data.ptr = c};
    if (epoll_ctl(l->epoll, EPOLL_CTL_MOD, c->transport.fd, &event))
        end(l, c);
}

static void apply(struct loop *l, struct connection *c, enum want want)
{
    submit_streams(l, c);
    switch (want) {
    case WANT_READ:
        wait_for(l, c, EPOLLIN);
        break;
    case WANT_WRITE:
        wait_for(l, c, EPOLLOUT);
        break;
    case WANT_TURN: /* almost always, one of the two is ready at once; otherwise the connection must wait anyway */
        wait_for(l, c, EPOLLIN | EPOLLOUT);
        break;
    case WANT_WORK:
        workers_submit(l->workers, connection_lane(&c->work), &c->work.job);
        break;
    case WANT_CLOSE:
        end(l, c);
        break;
    default:
        break;
    }
}

/* ---- accepting ---- */

/* Answers a client that exceeds a limit. The client may not see the answer, because nothing here waits for the client. */
static void refuse(struct loop *l, int fd)
{
    static const char answer[] = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: 33\r\n"
                                 "Retry-After: 10\r\nConnection: close\r\n\r\n{\"error\": \"too many connections\"}";
    char dropped[4096];
    if (!l->keys) {
        send(fd, answer, sizeof answer - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
        shutdown(fd, SHUT_WR);
        while (recv(fd, dropped, sizeof dropped, MSG_DONTWAIT) == (ssize_t)sizeof dropped)
            ;
    }
    close(fd);
}

static void add(struct loop *l, int fd, const struct sockaddr *peer)
{
    struct counters *counters = &l->server->counters;
    struct server_limits *o = &l->server->limits;
    struct epoll_event event = {.events = EPOLLONESHOT};
    bool full = l->count >= o->connections;
    struct place *place = full ? NULL : places_take(&l->places, peer, (uint32_t)o->connections_of_one);
    if (!place) {
        counters_connection(counters, full ? CONNECTION_TOO_MANY : CONNECTION_TOO_MANY_OF_ONE);
        refuse(l, fd);
        return;
    }
    struct connection *c = connection_new(l->server, fd, place, peer, l->keys);
    event.data.ptr = c;
    if (!c || epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &event)) {
        places_give(&l->places, place);
        if (c)
            connection_free(c);
        else
            close(fd);
        return;
    }
    c->next = l->connections;
    c->at = &l->connections;
    if (c->next)
        c->next->at = &c->next;
    l->connections = c;
    l->count++;
    counters_connection(counters, CONNECTION_ACCEPTED);
    apply(l, c, connection_go(c));
}

static int watch(struct loop *l, int *fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = fd};
    return epoll_ctl(l->epoll, EPOLL_CTL_ADD, *fd, &event) && errno != EEXIST ? -errno : 0;
}

static int watch_listeners(struct loop *l)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < l->listener_count; i++)
        rc = watch(l, &l->listeners[i]);
    return rc;
}

/* Accepts nothing until the next tick; otherwise epoll would report the listeners again at once. */
static void rest(struct loop *l)
{
    for (uint32_t i = 0; i < l->listener_count; i++)
        epoll_ctl(l->epoll, EPOLL_CTL_DEL, l->listeners[i], NULL);
    l->resting = true;
}

static void close_listeners(struct loop *l)
{
    while (l->listener_count)
        close(l->listeners[--l->listener_count]);
}

/* Returns the listener of an event, or NULL. */
static const int *listener_of(const struct loop *l, const void *what)
{
    for (uint32_t i = 0; i < l->listener_count; i++)
        if (what == &l->listeners[i])
            return &l->listeners[i];
    return NULL;
}

/* Accepts some connections. A listener is level-triggered, so the next round accepts the rest. */
static void accept_some(struct loop *l, int listener)
{
    for (int i = 0; i < ACCEPTS; i++) {
        struct sockaddr_storage peer = {0};
        socklen_t n = sizeof peer;
        int fd = accept4(listener, (struct sockaddr *)&peer, &n, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            add(l, fd, (struct sockaddr *)&peer);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            rest(l);
            return;
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

/* ---- the thread ---- */

static void on_done(void *context, struct job *job)
{
    struct loop *l = context;
    pthread_mutex_lock(&l->lock);
    bool first = !l->done;
    job->next = l->done;
    l->done = job;
    pthread_mutex_unlock(&l->lock);
    if (first)
        poke(l);
}

static void run_job(struct job *job)
{
    connection_work((struct work *)(void *)job);
}

static void take_done(struct loop *l)
{
    pthread_mutex_lock(&l->lock);
    struct job *job = l->done;
    l->done = NULL;
    pthread_mutex_unlock(&l->lock);
    while (job) {
        struct work *w = (struct work *)(void *)job;
        struct connection *c = w->connection; /* w may be gone after connection_worked, which ends streams */
        job = job->next;
        apply(l, c, connection_worked(w));
    }
}

static void take_events(struct loop *l, const struct epoll_event *events, int n)
{
    uint64_t pokes;
    for (int i = 0; i < n; i++) {
        void *what = events[i].data.ptr;
        const int *listener = listener_of(l, what);
        if (listener)
            accept_some(l, *listener);
        else if (what == &l->wake)
            (void)!read(l->wake, &pokes, sizeof pokes);
        else
            apply(l, what, connection_go(what));
    }
}

static void take_keys(struct loop *l)
{
    struct transport_keys *keys = atomic_exchange_explicit(&l->newer_keys, NULL, memory_order_acq_rel);
    if (!keys)
        return;
    transport_put_keys(l->keys);
    l->keys = keys;
}

static void tick(struct loop *l, bool stopping)
{
    uint64_t now = clock_monotonic_ns();
    for (struct connection *c = l->connections, *next; c; c = next) {
        next = c->next;
        apply(l, c, connection_tick(c, now, stopping));
    }
    if (l->resting && !stopping)
        l->resting = watch_listeners(l) != 0;
}

static void *run(void *context)
{
    struct loop *l = context;
    struct epoll_event events[EVENTS];
    uint64_t ticked = 0;
    bool stopping = false;
    while (!stopping || l->count) {
        int wait_ms = stopping ? STOP_TICK_MS : TICK_MS;
        int n = epoll_wait(l->epoll, events, EVENTS, wait_ms);
        take_keys(l);
        take_events(l, events, n);
        take_done(l); /* after the events, so that none of them belongs to a connection that ends here */
        if (!stopping && atomic_load_explicit(&l->stopping, memory_order_relaxed)) {
            stopping = true;
            ticked = 0;
            close_listeners(l);
        }
        uint64_t now = clock_monotonic_ns();
        if (now - ticked >= (uint64_t)wait_ms * NS_PER_MS) {
            ticked = now;
            tick(l, stopping);
        }
    }
    return NULL;
}

/* ---- start and end ---- */

static void discard(struct loop *l)
{
    workers_stop(l->workers);
    transport_put_keys(l->keys);
    transport_put_keys(l->newer_keys);
    if (l->epoll >= 0)
        close(l->epoll);
    if (l->wake >= 0)
        close(l->wake);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

int loop_start(struct loop **out, struct server *s, const int *listeners, struct transport_keys *keys, struct error *e)
{
    struct loop *l = calloc(1, sizeof *l);
    if (!l) {
        transport_put_keys(keys);
        return error_set(e, -ENOMEM, "out of memory");
    }
    *l = (struct loop){.server = s, .keys = keys, .listener_count = s->options->address_count};
    memcpy(l->listeners, listeners, l->listener_count * sizeof *listeners);
    pthread_mutex_init(&l->lock, NULL);
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    l->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int rc = l->epoll < 0 || l->wake < 0 ? -errno : watch(l, &l->wake);
    rc = rc ? rc : watch_listeners(l);
    if (rc)
        error_set(e, rc, "cannot wait for connections: %s", strerror(-rc));
    rc = rc ? rc : workers_start(&l->workers, run_job, on_done, l, e);
    if (!rc && (rc = -pthread_create(&l->thread, NULL, run, l)))
        error_set(e, rc, "cannot start a thread: %s", strerror(-rc));
    if (rc) {
        discard(l);
        return rc;
    }
    *out = l;
    return 0;
}

void loop_use_keys(struct loop *l, struct transport_keys *keys)
{
    transport_put_keys(atomic_exchange_explicit(&l->newer_keys, keys, memory_order_acq_rel));
    poke(l);
}

void loop_stop(struct loop *l)
{
    if (!l)
        return;
    atomic_store_explicit(&l->stopping, true, memory_order_relaxed);
    poke(l);
    pthread_join(l->thread, NULL);
    discard(l);
}
