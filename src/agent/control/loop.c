#include "agent/control/loop.h"

#include "agent/control/options.h"
#include "agent/control/peers.h"
#include "agent/control/requests.h"
#include "agent/control/socket.h"
#include "agent/hot/thread/turn.h"
#include "base/agreed/control_protocol.h"
#include "base/libc.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum {
    FINISH_TIMEOUT_S = 10,
    LATE_IDLE_S = 300, /* a late agent ends after this time without a request; its client may wait minutes for the JDK's recorder */
    PEER_PERIOD_NS = 100 * NS_PER_MS,
    ACCEPT_PAUSE_NS = 100 * NS_PER_MS, /* after a failed accept: the process may have no descriptor left */
    STACK_BYTES = 512 * 1024
};

/* A recording that another thread has requested, and for which it waits. */
struct start {
    const struct collect_options *options;
    bool done;
    int rc;
    struct error error;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool alive; /* the thread exists */
    bool open;  /* and it accepts errands */
    bool late, finish;
    bool java_is_over;
    const struct hooks *hooks;
    struct start *start;
    uint32_t incarnation; /* how often the thread was started */
    int wake, listener;
} loop = {.lock = LIBC_ERRORCHECK_MUTEX, .changed = PTHREAD_COND_INITIALIZER};

static const struct hooks no_hooks;

static const struct hooks *hooks_now(void)
{
    pthread_mutex_lock(&loop.lock);
    const struct hooks *hooks = loop.hooks;
    pthread_mutex_unlock(&loop.lock);
    return hooks;
}

static int refuse_ending(struct error *e)
{
    return error_set(e, -ESHUTDOWN, "the JVM is ending");
}

static void carry_out_start(struct start *s, bool ending)
{
    s->rc = ending ? refuse_ending(&s->error) : requests_start(s->options, hooks_now(), loop.late, &s->error);
}

/* Reports the end of the start. Call it with the lock held. The waiting thread sees rc after the lock is released. */
static void start_is_done(void)
{
    loop.start->done = true;
    loop.start = NULL;
}

/* Closes the loop for errands. Call it with the lock held. No start can be requested from here on. A start that was requested while the
 * last recording stopped is refused. */
static void close_errands(void)
{
    loop.open = false;
    if (loop.start) {
        loop.start->rc = refuse_ending(&loop.start->error);
        start_is_done();
    }
}

static void take_errands(void)
{
    uint64_t drained;
    if (read(loop.wake, &drained, sizeof drained) < 0)
        return;
    pthread_mutex_lock(&loop.lock);
    struct start *start = loop.start;
    bool finish = loop.finish;
    pthread_mutex_unlock(&loop.lock);
    if (start)
        carry_out_start(start, finish);
    if (finish)
        requests_stop_all(hooks_now());
    pthread_mutex_lock(&loop.lock);
    if (start)
        start_is_done();
    if (finish)
        close_errands();
    pthread_cond_broadcast(&loop.changed);
    pthread_mutex_unlock(&loop.lock);
}

static void serve(struct peers *peers)
{
    for (struct socket_peer *peer; (peer = peers_next(peers));) {
        struct buffer answer;
        buffer_init(&answer, 1 << 16);
        requests_answer(peer->request, &(struct asker){peer->passed, peer->client}, hooks_now(), loop.late, &answer);
        socket_answer(peer, (const char *)answer.data, answer.len);
        buffer_deinit(&answer);
    }
}

static void tick(void)
{
    struct error e;
    uint32_t over;
    if (collect_running())
        collect_tick();
    while ((over = collect_over()))
        requests_stop(over, hooks_now(), NULL, NULL, &e);
}

/* Whether a late agent must leave, because its recording is over or has never begun. */
static bool should_leave(bool has_recorded, bool was_idle)
{
    pthread_mutex_lock(&loop.lock);
    bool done = loop.late && (has_recorded || was_idle) && !collect_running() && !loop.start && !loop.finish;
    if (done)
        loop.open = false;
    bool leave = !loop.open;
    pthread_mutex_unlock(&loop.lock);
    return leave;
}

/* Returns how long to wait for something to do; NULL: forever. */
static const struct timespec *patience(bool has_peers, bool listens, struct timespec *out)
{
    *out = (struct timespec){.tv_sec = LATE_IDLE_S};
    if (collect_running()) {
        uint64_t ns = collect_patience_ns();
        *out = (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
    } else if (has_peers || !listens) {
        *out = (struct timespec){.tv_nsec = PEER_PERIOD_NS};
    } else if (!loop.late) {
        return NULL;
    }
    return out;
}

/* The data that the thread keeps from one round to the next. */
struct rounds {
    struct peers peers;
    uint64_t accept_again;
    bool has_recorded, came;
};

/* Waits for events. The kernel refuses more entries than RLIMIT_NOFILE, which may be 0 by now. In that case the function only waits. */
static int watch(struct pollfd *fds, nfds_t count, const struct timespec *patience)
{
    struct timespec period = {.tv_nsec = PEER_PERIOD_NS};
    int ready = ppoll(fds, count, patience, NULL);
    if (ready < 0 && errno == EINVAL) {
        for (nfds_t i = 0; i < count; i++)
            fds[i].revents = 0;
        nanosleep(&period, NULL);
    }
    return ready;
}

/* Waits for an errand, a client or the next tick. Returns false if nothing came. */
static bool wait_and_serve(struct peers *peers, uint64_t *accept_again)
{
    bool listens = clock_monotonic_ns() >= *accept_again, has_peers = peers_any(peers);
    struct pollfd fds[2 + PEERS_MAX] = {{.fd = loop.wake, .events = POLLIN}, {.fd = listens ? loop.listener : -1, .events = POLLIN}};
    struct timespec wait;
    nfds_t count = 2 + peers_watch(peers, fds + 2);
    bool came = watch(fds, count, patience(has_peers, listens, &wait)) > 0;
    take_errands();
    if (fds[1].revents && peers_accept(peers, loop.listener))
        *accept_again = clock_monotonic_ns() + ACCEPT_PAUSE_NS;
    serve(peers);
    return came || has_peers || !listens;
}

/* The socket goes before any connection is closed. So a client whose request was not answered finds no socket, and knows that the agent has
 * left without carrying it out. */
static void leave(struct peers *peers)
{
    socket_unlisten(loop.listener);
    peers_hang_up(peers);
    pthread_mutex_lock(&loop.lock);
    close(loop.wake);
    loop.wake = loop.listener = -1;
    loop.alive = false;
    pthread_cond_broadcast(&loop.changed);
    pthread_mutex_unlock(&loop.lock);
}

static void go_round(void *argument)
{
    struct rounds *r = argument;
    r->came = wait_and_serve(&r->peers, &r->accept_again);
    r->has_recorded = r->has_recorded || collect_running();
    tick();
}

/* Sleeps forever. A fault in the C library may have left its locks taken. If this thread ended, it might wait for them forever, so it
 * sleeps instead. */
static _Noreturn void park(void)
{
    socket_unlisten(loop.listener);
    pthread_mutex_lock(&loop.lock);
    loop.alive = loop.open = false;
    pthread_cond_broadcast(&loop.changed);
    pthread_mutex_unlock(&loop.lock);
    for (;;)
        pause();
}

/* Continues after a fault made the thread leave a round in the middle. No client may wait for the result of that round, and later requests
 * get the reason. */
static void recover(struct turn *turn, struct rounds *r)
{
    pthread_mutex_unlock(&loop.lock); /* fails if this thread does not hold the lock, which does no harm */
    collect_abandon(turn);
    pthread_mutex_lock(&loop.lock);
    if (loop.start) {
        loop.start->rc = error_set(&loop.start->error, -EFAULT, "the agent has ended itself after a fault of its own");
        start_is_done();
    }
    if (loop.finish)
        loop.open = false;
    pthread_cond_broadcast(&loop.changed);
    pthread_mutex_unlock(&loop.lock);
    if (turn_first_fault().elsewhere)
        park();
    peers_hang_up(&r->peers);
    r->has_recorded = false;
    r->came = true;
}

static void *run(void *unused)
{
    static struct rounds rounds;
    struct turn *turn = turn_of_own_thread();
    memset(&rounds, 0, sizeof rounds);
    peers_init(&rounds.peers);
    pthread_setname_np(pthread_self(), CONTROL_THREAD);
    do {
        if (!turn_take(turn, go_round, &rounds))
            recover(turn, &rounds);
    } while (!should_leave(rounds.has_recorded, !rounds.came));
    leave(&rounds.peers);
    return NULL;
}

static int start_thread(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, old;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    /* Block all signals except those of our own faults. */
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGFPE);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int rc = pthread_create(&thread, &attributes, run, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    return -rc;
}

/* Waits for an agent that is about to leave, so that there is never a second thread. */
static bool wait_until_left(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += FINISH_TIMEOUT_S;
    int rc = 0;
    while (loop.alive && !loop.open && !rc)
        rc = pthread_cond_timedwait(&loop.changed, &loop.lock, &until);
    return !rc;
}

/* Opens the loop with the lock held. If the agent was loaded with the JVM and begins a recording itself, the loop needs no control socket:
 * the result is 1, with *e, if there is none. */
static int open_locked(const struct hooks *hooks, bool late, bool starts, struct error *e)
{
    if (!wait_until_left())
        return error_set(e, -EBUSY, "the agent is still ending its last recording; try again");
    if (loop.java_is_over)
        return refuse_ending(e);
    if (loop.open)
        return 0;
    int listener = socket_listen(e);
    if (listener == -EALREADY || (listener < 0 && (late || !starts)))
        return listener;
    loop.listener = listener;
    loop.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    loop.hooks = hooks;
    loop.late = late;
    loop.finish = false;
    loop.alive = loop.open = true;
    loop.incarnation++;
    int rc = loop.wake < 0 ? -errno : start_thread();
    if (rc) {
        socket_unlisten(listener);
        if (loop.wake >= 0)
            close(loop.wake);
        loop.alive = loop.open = false;
        return error_set(e, rc, "cannot start the agent's thread: %s", strerror(-rc));
    }
    return listener < 0;
}

static void wake(void)
{
    uint64_t one = 1;
    ssize_t n = write(loop.wake, &one, sizeof one);
    (void)n; /* the write fails only while the thread is already awake */
}

/* Opens the loop and waits until no other thread's start is in progress. A late agent may leave meanwhile, and is then opened again. */
static int open_for_start(const struct hooks *hooks, bool late, struct error *e)
{
    for (;;) {
        int rc = open_locked(hooks, late, true, e);
        if (rc < 0)
            return rc;
        while (loop.start && loop.open)
            pthread_cond_wait(&loop.changed, &loop.lock);
        if (loop.open)
            return rc;
    }
}

static int start_locked(const struct collect_options *options, struct error *e)
{
    struct start s = {.options = options};
    loop.start = &s;
    wake();
    while (!s.done)
        pthread_cond_wait(&loop.changed, &loop.lock);
    if (s.rc && e)
        *e = s.error;
    return s.rc;
}

int loop_open(const struct hooks *hooks, bool late, const struct collect_options *options, struct error *e)
{
    pthread_mutex_lock(&loop.lock);
    int rc = options ? open_for_start(hooks, late, e) : open_locked(hooks, late, false, e);
    /* Under one lock, so that the agent's thread cannot leave in between. */
    int refused = rc >= 0 && options ? start_locked(options, e) : 0;
    rc = refused ? refused : rc;
    pthread_mutex_unlock(&loop.lock);
    return rc;
}

void loop_let_go(void)
{
    pthread_mutex_unlock(&loop.lock); /* fails if this thread does not hold the lock, which does no harm */
}

void loop_finish(bool java_is_ending)
{
    struct timespec until;
    pthread_mutex_lock(&loop.lock);
    loop.java_is_over = loop.java_is_over || java_is_ending;
    if (loop.open) {
        if (java_is_ending)
            loop.hooks = &no_hooks;
        loop.finish = true;
        wake();
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += FINISH_TIMEOUT_S + (time_t)(collect_walks_ns() / NS_PER_S);
        /* Another thread's start may open the loop again before this thread sees that the agent's thread has left. */
        uint32_t incarnation = loop.incarnation;
        while (loop.alive && loop.incarnation == incarnation && !pthread_cond_timedwait(&loop.changed, &loop.lock, &until))
            ;
    }
    pthread_mutex_unlock(&loop.lock);
}
