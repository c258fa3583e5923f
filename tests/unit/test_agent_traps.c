/* The SIGTRAP clock gives way to a program that puts another handler on SIGTRAP, and to a JVM that may be about to crash.
 * tier: default
 * timeout: 120 */
#include "../tap.h"
#include "session.h"

#include "agent/collect/collect.h"
#include "agent/hot/fault/traps.h"
#include "agent/hot/signal/action.h"
#include "agent/trigger/threads.h"
#include "profile/load/load_jfr.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000000 };

static char file[64];
static _Atomic bool done;
static _Atomic int strays;

/* Arms itself, as Java threads do. */
static void *burn_sampled(void *unused)
{
    threads_java_begin(0, 0, "busy");
    while (!done)
        burn(MS);
    threads_java_end();
    return NULL;
}

static uint64_t samples(void)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < threads_limit(); i++)
        n += counter_get(&sampled_threads[i].counts.samples);
    return n;
}

static bool grows(uint64_t (*count)(void))
{
    uint64_t before = count();
    for (int i = 0; i < 2000 && count() == before; i++)
        burn(5 * MS);
    return count() > before;
}

/* Signals that are already on their way may still come. After that there must be none, for at least 20 intervals of the calling thread. */
static bool stands_still(uint64_t (*count)(void))
{
    for (int i = 0; i < 100; i++) {
        uint64_t before = count();
        burn(20 * MS);
        if (count() == before)
            return true;
    }
    return false;
}

/* A recording in which the calling thread and another one are sampled. */
static bool start_busy(pthread_t *other)
{
    done = false;
    bool good = session_start(file, CLOCK_SIGTRAP, MS);
    pthread_create(other, NULL, burn_sampled, NULL);
    threads_java_begin(0, 0, "main");
    return good;
}

static void test_hold(void)
{
    struct traps_held held;
    pthread_t thread;
    bool good = start_busy(&thread);
    tap_ok(good && grows(samples), "two threads are sampled");
    traps_hold(&held, 0);
    tap_ok(stands_still(samples), "and no longer, while the JVM looks at a fault");
    traps_let_go(&held);
    tap_ok(grows(samples), "and again, when it was none");
    traps_hold(&held, 0);
    for (int i = 0; i < 20; i++)
        traps_look();
    tap_ok(stands_still(samples), "a fault that the JVM looks at for long holds them as well");
    traps_look();
    tap_ok(grows(samples), "but not for ever: it may have left its handler by a jump");
    traps_let_go(&held);
    traps_hold(&held, 0);
    tap_ok(stands_still(samples), "the next fault holds them again");
    traps_let_go(&held);
    tap_ok(grows(samples), "until it is over");
    done = true;
    pthread_join(thread, NULL);
    tap_ok(session_stop(), "the recording stops");
}

static void count_stray(int signal)
{
    strays++;
}

static uint64_t strays_now(void)
{
    return (uint64_t)strays;
}

static bool has_warning(const struct profile *p)
{
    for (uint32_t i = 0; i < p->problem_count; i++)
        if (strstr(profile_text(p, p->problems[i].text), "SIGTRAP"))
            return true;
    return false;
}

static void test_taken(void)
{
    struct sigaction other = {.sa_handler = count_stray}, before;
    struct kernel_action ours, taken;
    struct profile p;
    pthread_t thread;
    bool good = start_busy(&thread);
    collect_tick();
    good = good && grows(samples);
    sigaction(SIGTRAP, &other, &before);
    tap_ok(good && grows(samples) && !strays, "another handler that the C library sets gets no trap of ours");
    sigaction(SIGTRAP, &before, NULL);
    action_exchange(SIGTRAP, NULL, &ours);
    taken = ours;
    taken.handler.plain = count_stray;
    action_exchange(SIGTRAP, &taken, NULL);
    tap_ok(good && grows(strays_now), "one that is set by the system call gets the traps that were meant for ours");
    collect_tick();
    tap_ok(stands_still(strays_now), "until the collector looks");
    good = session_stop();
    done = true;
    pthread_join(thread, NULL);
    action_exchange(SIGTRAP, &ours, NULL);
    profile_init(&p);
    good = !profile_load_jfr(&p, file, &session_error) && good;
    tap_ok(good && has_warning(&p), "the recording says so");
    profile_deinit(&p);
    tap_ok(session_start(file, CLOCK_SIGTRAP, MS) && session_stop(), "the next recording begins as ever");
}

int main(void)
{
    struct clock c;
    snprintf(file, sizeof file, "/tmp/candor-traps-%d.jfr", (int)getpid());
    if (clock_choose(&c, CLOCK_SIGTRAP, MS, &session_error))
        tap_skip("%s", session_error.text);
    else {
        test_hold();
        test_taken();
    }
    unlink(file);
    return tap_done();
}
