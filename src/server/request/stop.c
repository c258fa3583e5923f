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
    sigset_t ends;
    int which;
    end_signals(&ends);
    while (sigwait(&ends, &which))
        ;
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
    sem_init(&s->wake, 0, 0);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    int rc = pthread_create(&s->thread, NULL, run, s);
    return rc ? error_set(e, -rc, "cannot start a thread: %s", strerror(rc)) : 0;
}

bool stop_wait(struct stop *s, unsigned seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += seconds;
    while (sem_clockwait(&s->wake, CLOCK_MONOTONIC, &until))
        if (errno != EINTR)
            return false;
    return true;
}

void stop_end(struct stop *s)
{
    pthread_cancel(s->thread);
    pthread_join(s->thread, NULL);
    sem_destroy(&s->wake);
}
