#include "server/request/stop.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void end_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
}

static void die_of(int which)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, which);
    signal(which, SIG_DFL);
    raise(which);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
}

static void *run(void *context)
{
    struct stop *s = context;
    const struct timespec patience = {.tv_sec = STOP_PATIENCE_S};
    sigset_t ends, all;
    int which;
    end_signals(&ends);
    all = ends;
    sigaddset(&all, SIGHUP);
    while (sigwait(&all, &which) || which == SIGHUP)
        stop_reload(s);
    s->tell(which == SIGINT ? "ending: SIGINT" : "ending: SIGTERM");
    atomic_store_explicit(&s->asked, true, memory_order_relaxed);
    sem_post(&s->wake);
    do
        which = sigtimedwait(&ends, NULL, &patience);
    while (which < 0 && errno == EINTR);
    if (which > 0) {
        s->tell("a second signal: ending at once; what was acknowledged is on the disk");
        die_of(which);
    }
    s->tell("work is still running: ending without it; what was acknowledged is on the disk");
    _exit(0);
}

int stop_start(struct stop *s, void (*tell)(const char *text), struct error *e)
{
    sigset_t ends;
    *s = (struct stop){.tell = tell};
    end_signals(&ends);
    sigaddset(&ends, SIGHUP);
    sem_init(&s->wake, 0, 0);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    int rc = pthread_create(&s->thread, NULL, run, s);
    return rc ? error_set(e, -rc, "cannot start a thread: %s", strerror(rc)) : 0;
}

void stop_reload(struct stop *s)
{
    atomic_store_explicit(&s->reload, true, memory_order_relaxed);
    sem_post(&s->wake);
}

enum stop_request stop_wait(struct stop *s, unsigned seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += seconds;
    while (sem_clockwait(&s->wake, CLOCK_MONOTONIC, &until))
        if (errno != EINTR)
            return STOP_NOTHING;
    if (atomic_load_explicit(&s->asked, memory_order_relaxed))
        return STOP_END;
    return atomic_exchange_explicit(&s->reload, false, memory_order_relaxed) ? STOP_RELOAD : STOP_NOTHING;
}

void stop_end(struct stop *s)
{
    pthread_cancel(s->thread);
    pthread_join(s->thread, NULL);
    sem_destroy(&s->wake);
}
