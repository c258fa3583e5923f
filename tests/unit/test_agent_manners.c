/* The agent as a guest, in a process without a JVM: it interrupts no system call that would not have been interrupted without it, and
 * after a recording it returns the memory that the recording took.
 * tier: default
 * timeout: 120
 * sanitize: no
 *
 * Since Linux 6.11 a SIGTRAP comes when its thread has returned from the kernel, so it interrupts no call. Before, it can interrupt calls,
 * as the signal of an event does: handlers restart the calls that can be restarted, but not nanosleep, poll and epoll_wait. The test notes
 * how often this happens. */
#include "../tap.h"
#include "session.h"

#include "agent/collect/collect.h"
#include "base/time_units.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { INTERVAL = NS_PER_MS / 10, THREADS = 4, CALLS = 2000, WORK_NS = NS_PER_MS / 4, ROUNDS = 3, MAPPED_MOST = 1 << 20 };

static char file[64];
static _Atomic int left, interrupted, broken;

static void note(int rc)
{
    if (rc < 0 && errno == EINTR)
        interrupted++;
}

/* Each call begins and ends near an expiry as often as elsewhere. */
static void *call(void *unused)
{
    struct timespec nap = {.tv_nsec = NS_PER_MS / 20};
    struct epoll_event event;
    int pipes[2] = {-1, -1}, epoll = epoll_create1(0);
    broken += pipe(pipes) || epoll < 0;
    struct pollfd fd = {.fd = pipes[0], .events = POLLIN};
    for (int i = 0; i < CALLS; i++) {
        uint64_t end = own_cpu() + WORK_NS;
        while (own_cpu() < end)
            ;
        note(i % 3 == 0 ? nanosleep(&nap, NULL) : i % 3 == 1 ? poll(&fd, 1, 1) : epoll_wait(epoll, &event, 1, 1));
    }
    close(epoll);
    close(pipes[0]);
    close(pipes[1]);
    left--;
    return NULL;
}

static void run(void)
{
    pthread_t threads[THREADS];
    struct timespec pause = {.tv_nsec = COLLECT_PERIOD_MS * NS_PER_MS};
    left = THREADS;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, call, NULL);
    while (left) {
        nanosleep(&pause, NULL);
        collect_tick();
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static bool is_since_6_11(void)
{
    struct utsname system;
    unsigned major, minor;
    return !uname(&system) && sscanf(system.release, "%u.%u", &major, &minor) == 2 && (major > 6 || (major == 6 && minor >= 11));
}

static void test_calls(enum clock_kind kind)
{
    struct collect_status status;
    const char *what = clock_names[kind];
    interrupted = 0;
    if (!tap_ok(session_start(file, kind, INTERVAL), "%s: starts", what))
        return;
    run();
    collect_status(0, &status);
    tap_ok(session_stop(), "%s: stops", what);
    tap_ok(status.samples > 100 && !broken, "%s: %llu samples", what, (unsigned long long)status.samples);
    if (kind == CLOCK_SIGTRAP && is_since_6_11())
        tap_ok(interrupted == 0, "%s: of %d calls %d were interrupted", what, THREADS * CALLS, interrupted);
    else
        tap_note("%s: of %d calls %d were interrupted", what, THREADS * CALLS, interrupted);
}

struct memory {
    long mapped, resident; /* bytes of mappings without a file */
};

static struct memory memory(void)
{
    struct memory m = {0};
    char line[512];
    FILE *f = fopen("/proc/self/smaps", "r");
    bool anonymous = false;
    while (f && fgets(line, sizeof line, f)) {
        unsigned long low, high, inode;
        long kib;
        if (sscanf(line, "%lx-%lx %*s %*s %*s %lu", &low, &high, &inode) == 3) {
            anonymous = !inode;
            m.mapped += anonymous ? (long)(high - low) : 0;
        } else if (anonymous && sscanf(line, "Rss: %ld", &kib) == 1) {
            m.resident += 1024 * kib;
        }
    }
    if (f)
        fclose(f);
    return m;
}

/* The first recording may leave memory that the C library keeps for the next. */
static void test_memory(void)
{
    struct memory before = {0}, after;
    for (int i = 0; i < ROUNDS; i++) {
        if (i == 1)
            before = memory();
        if (!tap_ok(session_start(file, CLOCK_AUTO, INTERVAL), "recording %d", i))
            return;
        run();
        tap_ok(session_stop(), "it stops");
    }
    after = memory();
    tap_ok(after.mapped - before.mapped < MAPPED_MOST, "%ld KiB were mapped, %ld are", before.mapped >> 10, after.mapped >> 10);
    tap_ok(after.resident - before.resident < MAPPED_MOST, "%ld KiB of them were resident, %ld are", before.resident >> 10,
           after.resident >> 10);
}

int main(void)
{
    snprintf(file, sizeof file, "/tmp/candor-manners-%d.jfr", (int)getpid());
    for (enum clock_kind kind = CLOCK_SIGTRAP; kind <= CLOCK_TIMER; kind++) {
        struct clock c;
        if (clock_choose(&c, kind, INTERVAL, &session_error))
            tap_skip("%s: %s", clock_names[kind], session_error.text);
        else
            test_calls(kind);
    }
    test_memory();
    unlink(file);
    return tap_done();
}
