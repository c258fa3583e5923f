/* The end of a recording on a machine that is slow to end it: the CPU time that the program uses meanwhile is in no account.
 * tier: quick
 * timeout: 60
 *
 * Bounds. The weights of a perf clock differ from a thread's CPU time by at most 1.5 intervals (test_agent_clock.c). Four are
 * allowed, and a tenth of what the program uses while the recording ends. */
#include "../tap.h"
#include "session.h"

#include "agent/trigger/threads.h"
#include "base/time_units.h"
#include "profile/load/load_jfr.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { INTERVAL = 5 * NS_PER_MS, SLOW = 50 * NS_PER_MS, TURNS = 6 };

void __wrap_clock_disarm(struct sampled_thread *t);
void __real_clock_disarm(struct sampled_thread *t);

static _Atomic bool done;
static uint64_t used_meanwhile; /* CPU time of the busy thread, while its clock is taken away */
static pthread_t busy;

static uint64_t cpu_of_busy(void)
{
    clockid_t id;
    struct timespec t = {0};
    pthread_getcpuclockid(busy, &id);
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

void __wrap_clock_disarm(struct sampled_thread *t)
{
    uint64_t before = cpu_of_busy();
    __real_clock_disarm(t);
    nanosleep(&(struct timespec){.tv_nsec = SLOW}, NULL);
    used_meanwhile += cpu_of_busy() - before;
}

static void *work(void *unused)
{
    while (!done)
        burn(NS_PER_MS);
    return unused;
}

static int64_t residual_of(const char *file)
{
    struct profile p;
    int64_t sum = 0;
    profile_init(&p);
    if (profile_load_jfr(&p, file, &session_error))
        tap_note("%s", session_error.text);
    for (uint32_t i = 0; i < p.book_count; i++)
        if (!strcmp(profile_text(&p, p.books[i].account), "residual"))
            sum += p.books[i].ns;
    profile_deinit(&p);
    return sum;
}

static void test_end(enum clock_kind kind, const char *file)
{
    struct clock c;
    if (clock_choose(&c, kind, INTERVAL, &session_error)) {
        tap_skip("%s: %s", clock_names[kind], session_error.text);
        return;
    }
    done = false;
    used_meanwhile = 0;
    pthread_create(&busy, NULL, work, NULL);
    bool good = session_start(file, kind, INTERVAL);
    for (int i = 0; i < TURNS; i++) {
        nanosleep(&(struct timespec){.tv_nsec = COLLECT_PERIOD_MS * NS_PER_MS}, NULL);
        collect_tick();
    }
    good = session_stop() && good;
    done = true;
    pthread_join(busy, NULL);
    int64_t residual = residual_of(file), most = 4 * (int64_t)INTERVAL + (int64_t)used_meanwhile / 10;
    tap_ok(good && used_meanwhile > 8 * (uint64_t)INTERVAL && llabs(residual) < most,
           "%s: %.1f ms are left over; the program used %.1f ms while the recording ended", clock_names[kind], (double)residual / NS_PER_MS,
           (double)used_meanwhile / NS_PER_MS);
}

int main(void)
{
    char file[64];
    snprintf(file, sizeof file, "/tmp/candor-slow-%d.jfr", (int)getpid());
    test_end(CLOCK_SIGTRAP, file);
    test_end(CLOCK_SIGNAL, file);
    unlink(file);
    return tap_done();
}
