/* The clocks that make a running thread sample itself, from best to last resort:
 *
 *   sigtrap   perf_event_open, free-running, delivered as SIGTRAP by the kernel (Linux 6.1)       exact
 *   signal    the same, delivered through the event's file descriptor as a standard signal        exact
 *   timer     timer_create on the thread's CPU clock                                             scheduler tick
 *   itimer    setitimer(ITIMER_PROF), one for the whole process                                  scheduler tick
 *
 * The first two can count an event of a thread instead of its CPU time (event_counter.h). Then all nanoseconds below, and in
 * hot/thread/thread.h and hot/signal/handler.h, are numbers of that event: intervals, periods, weights.
 *
 * Choosing tries each on the calling thread. One recording at a time uses a clock: clock_start installs the handler,
 * arm and disarm set and stop one thread's clock, clock_stop restores what was there before. None is called from a
 * handler; all calls come under the lock of trigger/threads.c. */
#ifndef CANDOR_AGENT_TRIGGER_CLOCKS_CLOCK_H
#define CANDOR_AGENT_TRIGGER_CLOCKS_CLOCK_H

#include "agent/hot/thread/thread.h"
#include "agent/trigger/clocks/event_counter.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum clock_kind {
    CLOCK_AUTO,
    CLOCK_SIGTRAP,
    CLOCK_SIGNAL,
    CLOCK_TIMER,
    CLOCK_ITIMER,
    CLOCK_KINDS,
    CLOCK_NONE /* threads have their slots, and nothing expires: for a recording without the event cpu; not to be chosen */
};
extern const char *const clock_names[CLOCK_KINDS];

struct clock {
    enum clock_kind kind;
    int signal;
    bool kernel;          /* samples due in kernel mode are seen */
    bool kernel_stacks;   /* the kernel's part of the stacks is to be had */
    int stacks_error;     /* why it is not, of a clock that could give it: negative errno */
    bool has_kernel_rule; /* perf: kernel mode had to be excluded if not `kernel` */
    uint64_t interval_ns;
    char reason[256];             /* why not a better one; empty when it is the best */
    struct event_counter counter; /* without a name: CPU time */
};

/* Whether the clock counts something else than CPU time. */
static inline bool clock_counts(const struct clock *c)
{
    return c->counter.name[0] != 0;
}

/* Whether the clock is one of perf's, which the kernel stops and sets again at each context switch. */
static inline bool clock_is_perf(const struct clock *c)
{
    return c->kind == CLOCK_SIGTRAP || c->kind == CLOCK_SIGNAL;
}

enum { CLOCK_INTERVAL_MIN_NS = 100000 };

/* Picks the wanted clock, or with CLOCK_AUTO the best that works here. */
int clock_choose(struct clock *out, enum clock_kind wanted, uint64_t interval_ns, struct error *e);
/* The same among the clocks that can count that event. */
int clock_choose_counting(struct clock *out, enum clock_kind wanted, const struct event_counter *counter, uint64_t interval,
                          struct error *e);
int clock_start(const struct clock *clock, struct error *e);
/* The slot's tid, uid and generation are set. 0 or a negative errno. The first expiry comes after blind_ns, which this sets
 * as well as cpu_at_setting, and a part of the interval that is uniform in (0, interval]. A thread that gets no perf event
 * (there may be no descriptor left, and the last quarter of them is the program's) gets a timer; its perf_error says why. */
int clock_arm(struct sampled_thread *t);
/* The same for a slot that does not belong to the registry, so its lock is not taken. If the event cannot be opened, no timer
 * replaces it. */
int clock_arm_exactly(struct sampled_thread *t);
/* The interval that is wanted has changed: by it suppressed expiries are told. The pace stays. */
void clock_set_interval(uint64_t interval_ns);
/* Sets the interval that each thread's clock adopts at its next expiry. A clock whose samples are costly may adopt a longer one. */
void clock_set_pace(uint64_t pace_ns);
/* Whether threads may have this clock by lot (lot.h): it costs something at a context switch, sees the kernel's time, and begins at
 * once. */
bool clock_may_be_drawn(void);
/* Ends the expiries of t; a signal may still be on its way. Also for threads that are gone. */
void clock_disarm(struct sampled_thread *t);
/* The same for the calling thread, whose perf event goes on counting: its descriptor, which is the caller's now; -1 for
 * other clocks. */
int clock_mute(struct sampled_thread *t);
/* Restarts the clock of an armed thread whose first expiry was lost. It expires after an interval. */
void clock_revive(const struct sampled_thread *t);
/* From now on the stacks of an armed thread include the kernel's frames, if the clock can provide them. */
void clock_want_kernel_stacks(struct sampled_thread *t);
/* CPU time the armed thread has used since arming, also when it is gone (perf clocks); 0 when unknown. */
uint64_t clock_count(const struct sampled_thread *t);
/* The count of an armed thread's clock since arming, if it does not count CPU time; all 0 if unknown. */
struct event_reading clock_reading(const struct sampled_thread *t);
uint64_t clock_event_count(int fd);
/* The handler that has replaced ours for a signal of this clock, as signals_taker returns it, and that signal; 0 = none. */
uintptr_t clock_taker(int *signal);
/* Whether the program now uses the process's timer, on which this clock depends, for itself. */
bool clock_timer_is_taken(void);
/* The signal of the thread's expiries. */
int clock_signal(const struct sampled_thread *t);
/* Ends the expiries if the clock is the one of the whole process (itimer). */
void clock_mute_process(void);
/* Restores the program's actions for the signals used so far, except SIGTRAP: that handler stays and passes on what comes. False
 * while a signal is still pending in a thread: call again later. */
bool clock_stop(void);

/* The CPU clock of any thread of this process; 0 when it is gone. */
uint64_t clock_thread_cpu(int tid);
uint64_t clock_process_cpu(void);

#endif
