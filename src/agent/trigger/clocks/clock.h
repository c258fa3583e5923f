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
 * clock_choose tries each clock on the calling thread. One recording at a time uses a clock: clock_start installs the handler, arm and
 * disarm set and stop one thread's clock, clock_stop restores what was there before. Handlers call none of these functions. All calls are
 * made under the lock of trigger/threads.c. */
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
    CLOCK_NONE /* threads have slots but no clock, for a recording without the event cpu; cannot be chosen */
};
extern const char *const clock_names[CLOCK_KINDS];

struct clock {
    enum clock_kind kind;
    int signal;
    bool kernel;          /* samples in kernel mode are possible */
    bool kernel_stacks;   /* the clock can provide the kernel's part of the stacks */
    int stacks_error;     /* why it cannot, although this clock normally can: negative errno */
    bool has_kernel_rule; /* perf: if `kernel` is not set, the event was opened with kernel mode excluded */
    uint64_t interval_ns;
    char reason[256];             /* why no better clock was chosen; empty if it is the best */
    struct event_counter counter; /* without a name: CPU time */
};

/* Whether the clock counts events in place of CPU time. */
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

/* Chooses the wanted clock, or with CLOCK_AUTO the best that works here. Returns 0 or a negative errno. */
int clock_choose(struct clock *out, enum clock_kind wanted, uint64_t interval_ns, struct error *e);
/* Does the same among the clocks that can count that event. */
int clock_choose_counting(struct clock *out, enum clock_kind wanted, const struct event_counter *counter, uint64_t interval,
                          struct error *e);
int clock_start(const struct clock *clock, struct error *e);
/* Sets the clock of a slot whose tid, uid and generation are set. Returns 0 or a negative errno. The first expiry comes after blind_ns and
 * a part of the interval that is uniform in (0, interval]. The function sets blind_ns and cpu_at_setting. A thread that gets no perf event
 * (there may be no descriptor left, and the last quarter of them is reserved for the program) gets a timer; its perf_error gives the
 * reason. */
int clock_arm(struct sampled_thread *t);
/* Does the same for a slot outside the registry, so the registry's lock is not taken. If the event cannot be opened, no timer replaces
 * it. */
int clock_arm_exactly(struct sampled_thread *t);
/* Sets the interval that is wanted. Expiries are counted as suppressed by comparison with it. The pace does not change. */
void clock_set_interval(uint64_t interval_ns);
/* Sets the interval that each thread's clock adopts at its next expiry. A clock whose samples are slow may adopt a longer one. */
void clock_set_pace(uint64_t pace_ns);
/* Whether threads may have this clock by lot (lot.h): it has a cost at a context switch, measures the kernel's time, and begins at once. */
bool clock_may_be_drawn(void);
/* Whether threads can lose their clocks while the process goes on. */
bool clock_may_be_taken(void);
/* Ends the expiries of t. A signal may still be on its way. The thread may have ended. */
void clock_disarm(struct sampled_thread *t);
/* Ends the expiries of the calling thread, whose perf event continues to count. Returns the event's descriptor, which the caller takes
 * over; -1 for other clocks. */
int clock_mute(struct sampled_thread *t);
/* Restarts the clock of an armed thread whose first expiry was lost. It expires after an interval. */
void clock_revive(const struct sampled_thread *t);
/* Adds the kernel's frames to the stacks of an armed thread from now on, if the clock can provide them. */
void clock_want_kernel_stacks(struct sampled_thread *t);
/* Returns the CPU time that the armed thread has used since arming, also after its end (perf clocks); 0 if unknown. */
uint64_t clock_count(const struct sampled_thread *t);
/* Returns the count of an armed thread's clock since arming, if it does not count CPU time; all 0 if unknown. */
struct event_reading clock_reading(const struct sampled_thread *t);
uint64_t clock_event_count(int fd);
/* Returns the handler that has replaced ours for a signal of this clock, as signals_taker returns it, and sets *signal; 0 = none. */
uintptr_t clock_taker(int *signal);
/* Whether the program itself now uses the process's timer on which this clock depends. */
bool clock_timer_is_taken(void);
/* Returns the signal of the thread's expiries. */
int clock_signal(const struct sampled_thread *t);
/* Ends the expiries if the clock is the one of the whole process (itimer). */
void clock_mute_process(void);
/* Restores the program's actions for the signals used so far, except SIGTRAP: that handler stays and passes signals on. Returns false while
 * a signal is still pending in a thread: then call it again later. */
bool clock_stop(void);

/* Returns the CPU clock of any thread of this process; 0 if the thread is gone. */
uint64_t clock_thread_cpu(int tid);
uint64_t clock_process_cpu(void);

#endif
