#include "load/worker.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "load/link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { SCRATCH = 64 << 10, EVENTS = 64 };
#define LOOK_AROUND   100000000u /* ns: an interrupt is noticed within this time */
#define BACK_OFF      10000000u  /* ns: the delay before a connection that failed sends again in throughput mode */
#define OPEN_PATIENCE (5 * NS_PER_S)

/* ---- lists ---- */

static void append(struct worker_list *list, struct connection *c)
{
    c->next = NULL;
    c->before = list->last;
    *(list->last ? &list->last->next : &list->first) = c;
    list->last = c;
}

static void unlink_from(struct worker_list *list, struct connection *c)
{
    *(c->before ? &c->before->next : &list->first) = c->next;
    *(c->next ? &c->next->before : &list->last) = c->before;
}

/* ---- storage ---- */

static void finish_link(void *worker, struct connection *c, const struct connection_end *end);

/* Divides the places among the links, in turn, so that requests use all links. */
static int init_links(struct worker *w)
{
    const struct target *target = &w->run->config->target;
    w->links = calloc(w->link_count, sizeof *w->links);
    if (!w->links)
        return -ENOMEM;
    for (uint32_t i = 0; i < w->link_count; i++)
        w->links[i] = (struct link){.driver = target->driver,
                                    .target = target->driver_target,
                                    .workload = target->workload,
                                    .outcome = w->run->outcome,
                                    .epoll = w->epoll,
                                    .fd = -1,
                                    .at_once = w->run->config->places == 1,
                                    .finish = finish_link,
                                    .context = w};
    for (uint32_t i = 0; i < w->count; i++) {
        struct connection *c = &w->connections[i];
        c->link = &w->links[i % w->link_count];
        c->next_place = c->link->places;
        c->link->places = c;
        if (target->workload && operation_init(&c->operation, target->workload))
            return -ENOMEM;
    }
    return 0;
}

int worker_init(struct worker *w, struct run *run, uint32_t connections)
{
    bool driven = run->config->target.kind == TARGET_DRIVER;
    *w = (struct worker){.run = run,
                         .count = connections * (driven ? run->config->places : 1),
                         .link_count = driven ? connections : 0,
                         .epoll = epoll_create1(EPOLL_CLOEXEC)};
    w->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    w->connections = calloc(w->count, sizeof *w->connections);
    w->scratch = malloc(SCRATCH);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = NULL};
    if (!w->connections || !w->scratch)
        return -ENOMEM;
    if (w->epoll < 0 || w->timer < 0 || epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->timer, &event))
        return -errno;
    for (uint32_t i = 0; i < w->count; i++) {
        struct connection *c = &w->connections[i];
        c->target = &run->config->target;
        c->mix = &run->config->mix;
        c->outcome = run->outcome;
        c->epoll = w->epoll;
        c->fd = -1;
        append(&w->free, c);
    }
    return driven ? init_links(w) : 0;
}

void worker_deinit(struct worker *w)
{
    for (uint32_t i = 0; w->links && i < w->link_count; i++)
        link_close(&w->links[i]);
    for (uint32_t i = 0; w->connections && i < w->count; i++) {
        connection_abort(&w->connections[i]);
        operation_deinit(&w->connections[i].operation);
    }
    if (w->epoll >= 0)
        close(w->epoll);
    if (w->timer >= 0)
        close(w->timer);
    free(w->links);
    free(w->connections);
    free(w->scratch);
}

/* ---- time ---- */

static uint64_t now(struct worker *w)
{
    return w->run->config->virtual_time ? w->now : clock_monotonic_ns();
}

static uint64_t end_of(const struct run *run)
{
    return __atomic_load_n(&run->end, __ATOMIC_RELAXED); /* relaxed: if the new value is seen late, the run only ends slightly later */
}

/* ---- one request ---- */

static bool scheduled(const struct run *run)
{
    return run->config->mode != LOAD_THROUGHPUT;
}

static void finish(struct worker *w, struct connection *c, const struct connection_end *end, uint64_t at)
{
    struct run *run = w->run;
    uint64_t since = scheduled(run) ? c->request.intended : c->request.sent;
    unlink_from(&w->busy, c);
    append(&w->free, c);
    c->free_since = at + (scheduled(run) ? 0 : run->config->think);
    if (!scheduled(run) && end->kind != OUTCOME_ANSWERED && end->kind != OUTCOME_REFUSED)
        c->free_since = at + BACK_OFF;
    __atomic_fetch_sub(&run->in_flight, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&run->finished, 1, __ATOMIC_RELAXED);
    if (since >= run->measured)
        outcome_record(run->outcome, &c->request, end->kind, end->status, at);
    else
        __atomic_fetch_add(&run->warm_up_requests, 1, __ATOMIC_RELAXED);
}

static void finish_link(void *worker, struct connection *c, const struct connection_end *end)
{
    struct worker *w = worker;
    finish(w, c, end, now(w));
}

static void start_on_link(struct worker *w, struct connection *c, uint64_t n)
{
    struct link *l = c->link;
    if (l->workload)
        workload_begin(l->workload, &c->operation, run_number(w->run, n), c->request.type);
    else
        c->operation.request = (struct candor_load_request){
            .action = CANDOR_LOAD_CALL, .field = CANDOR_LOAD_ALL_FIELDS, .call = &c->mix->types[c->request.type].call};
    link_start(l, c);
    if (l->unflushed && !l->listed) {
        l->listed = true;
        l->next_unflushed = w->unflushed;
        w->unflushed = l;
    }
}

static void flush_links(struct worker *w)
{
    struct link *l = w->unflushed;
    for (w->unflushed = NULL; l; l = l->next_unflushed) {
        l->listed = false;
        link_flush(l);
    }
}

static void start(struct worker *w, uint64_t n, uint64_t intended, uint64_t at)
{
    struct connection *c = w->free.first;
    struct connection_end end;
    unlink_from(&w->free, c);
    append(&w->busy, c);
    c->request.type = mix_choose(c->mix, run_number(w->run, n));
    c->request.intended = intended;
    c->request.ready = c->free_since > intended ? c->free_since : intended;
    c->request.sent = at;
    __atomic_fetch_add(&w->run->in_flight, 1, __ATOMIC_RELAXED);
    if (c->link)
        start_on_link(w, c, n);
    else if (connection_start(c, &end) == CONNECTION_ENDED)
        finish(w, c, &end, now(w));
    else if (c->target->kind == TARGET_MOCK)
        c->done_at = mock_done(&w->run->mock, at);
}

/* Whether the run has a limit of requests, and all are claimed. */
static bool all_claimed(const struct run *run)
{
    return run->most && __atomic_load_n(&run->next, __ATOMIC_RELAXED) >= run->most;
}

/* Claims the next request if it is due. Otherwise *due is the time at which it will be. */
static bool claim(struct worker *w, uint64_t at, uint64_t *n, uint64_t *intended, uint64_t *due)
{
    struct run *run = w->run;
    if (all_claimed(run)) {
        *due = UINT64_MAX;
        return false;
    }
    if (!scheduled(run)) {
        uint64_t least = at > run->start ? at : run->start; /* a request before the start would count as one of the warm-up */
        *intended = *due = w->free.first->free_since > least ? w->free.first->free_since : least;
        if (*due > at)
            return false;
        *n = __atomic_fetch_add(&run->next, 1, __ATOMIC_RELAXED);
        return !run->most || *n < run->most;
    }
    *n = __atomic_load_n(&run->next, __ATOMIC_RELAXED);
    do {
        if (all_claimed(run))
            return false;
        uint64_t offset = schedule_due(&run->config->schedule, run_number(run, *n));
        *intended = *due = offset == UINT64_MAX ? UINT64_MAX : run->start + offset;
        if (*due > at || *due >= end_of(run))
            return false;
        /* Relaxed: it is only a number; no other data depends on it. */
    } while (!__atomic_compare_exchange_n(&run->next, n, *n + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return true;
}

/* Sends all requests that are due, as long as there are free connections. Returns the time at which the next one is due. */
static uint64_t send_due(struct worker *w)
{
    uint64_t n, intended, due = UINT64_MAX, at = now(w);
    while (w->free.first && at < end_of(w->run) + (scheduled(w->run) ? w->run->config->drain : 0)) {
        if (!claim(w, at, &n, &intended, &due))
            return due;
        start(w, n, intended, at);
        at = now(w);
    }
    return UINT64_MAX;
}

static void complete_mocks(struct worker *w)
{
    struct connection_end end = {OUTCOME_ANSWERED, 0};
    uint64_t at = now(w);
    for (struct connection *c = w->busy.first, *next; c; c = next) {
        next = c->next;
        if (c->done_at <= at)
            finish(w, c, &end, at);
    }
}

static void give_up(struct worker *w, struct connection *c, enum outcome_kind kind, uint64_t at)
{
    struct connection_end end = {kind, 0};
    if (!c->link)
        connection_abort(c);
    else if (kind == OUTCOME_IN_FLIGHT)
        link_forget(c->link, c);
    else
        link_abort(c->link, c);
    finish(w, c, &end, at);
}

static void expire(struct worker *w)
{
    uint64_t at = now(w), timeout = w->run->config->timeout;
    while (w->busy.first && w->busy.first->request.sent + timeout <= at)
        give_up(w, w->busy.first, OUTCOME_TIMEOUT, at);
}

/* ---- waiting ---- */

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t next_moment(struct worker *w, uint64_t due)
{
    const struct load_config *config = w->run->config;
    uint64_t end = end_of(w->run), until = due;
    uint64_t at = now(w);
    until = earlier(until, at < end ? end : end + config->drain);
    if (w->busy.first)
        until = earlier(until, w->busy.first->request.sent + config->timeout);
    if (config->target.kind == TARGET_MOCK)
        for (struct connection *c = w->busy.first; c; c = c->next)
            until = earlier(until, c->done_at);
    return until;
}

static void arm(struct worker *w, uint64_t until, uint64_t at)
{
    if (w->armed > at && w->armed <= until)
        return; /* at worst the timer expires too early, and is then set again */
    struct itimerspec when = {.it_value = {(time_t)(until / NS_PER_S), (long)(until % NS_PER_S)}};
    timerfd_settime(w->timer, TFD_TIMER_ABSTIME, &when, NULL);
    w->armed = until;
}

static void wait_until(struct worker *w, uint64_t until)
{
    struct epoll_event events[EVENTS];
    struct connection_end end;
    uint64_t at = now(w);
    bool ask_again = w->run->config->spin || until <= at;
    if (!ask_again)
        arm(w, earlier(until, at + LOOK_AROUND), at);
    int n = epoll_wait(w->epoll, events, EVENTS, ask_again ? 0 : -1);
    for (int i = 0; i < n; i++) {
        struct connection *c = events[i].data.ptr;
        if (c && w->links)
            link_event(events[i].data.ptr, events[i].events);
        else if (c && connection_event(c, w->scratch, SCRATCH, &end) == CONNECTION_ENDED)
            finish(w, c, &end, now(w));
    }
}

/* Whether a request is left that was due before the end. */
static bool has_due(const struct run *run)
{
    uint64_t offset = scheduled(run) && !all_claimed(run)
                          ? schedule_due(&run->config->schedule, run_number(run, __atomic_load_n(&run->next, __ATOMIC_RELAXED)))
                          : UINT64_MAX;
    return offset != UINT64_MAX && run->start + offset < end_of(run);
}

static bool over(struct worker *w)
{
    uint64_t at = now(w), end = end_of(w->run);
    if (at < end && all_claimed(w->run) && __atomic_load_n(&w->run->finished, __ATOMIC_RELAXED) >= w->run->most) {
        __atomic_store_n(&w->run->end, at, __ATOMIC_RELAXED);
        return true;
    }
    return at >= end && (at >= end + w->run->config->drain || (!w->busy.first && !has_due(w->run)));
}

void worker_connect(struct worker *w)
{
    uint64_t patience = clock_monotonic_ns() + OPEN_PATIENCE;
    enum target_kind kind = w->run->config->target.kind;
    if (kind != TARGET_HTTP && kind != TARGET_DRIVER)
        return;
    for (uint32_t i = 0; i < w->link_count; i++)
        link_open(&w->links[i]);
    for (uint32_t i = 0; i < w->count; i++)
        connection_open(&w->connections[i]);
    for (uint32_t opening = 1; opening && clock_monotonic_ns() < patience;) {
        wait_until(w, clock_monotonic_ns() + LOOK_AROUND);
        opening = 0;
        for (uint32_t i = 0; i < w->link_count; i++)
            opening += w->links[i].state == LINK_OPENING;
        for (uint32_t i = 0; i < w->count; i++)
            opening += w->connections[i].state == CONNECTION_CONNECTING || w->connections[i].state == CONNECTION_HANDSHAKE;
    }
}

void worker_run(struct worker *w)
{
    struct run *run = w->run;
    bool mock = run->config->target.kind == TARGET_MOCK;
    while (!over(w)) {
        if (mock)
            complete_mocks(w);
        expire(w);
        uint64_t due = send_due(w);
        flush_links(w);
        uint64_t until = next_moment(w, due);
        if (!run->config->virtual_time) {
            wait_until(w, until);
        } else {
            w->now = until;
            run->on_time(run, until);
        }
    }
    uint64_t at = now(w);
    if (mock)
        complete_mocks(w);
    while (w->busy.first)
        give_up(w, w->busy.first, OUTCOME_IN_FLIGHT, at);
    uint64_t latest = __atomic_load_n(&run->stopped, __ATOMIC_RELAXED);
    while (latest < at && !__atomic_compare_exchange_n(&run->stopped, &latest, at, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}
