/* The signal handlers: one for each way in which a clock can deliver an expiry. Each finds its thread's slot, weighs the expiry, walks the
 * stack and appends one record to the thread's queue. A handler is wait-free, and preserves errno. It passes a signal that is not ours to
 * the program's handler (hot/signal/chain.h).
 *
 * Stack: the thread's alternate stack if it has one with room, a spare one if that has no room (hot/signal/room.h), otherwise the thread's
 * own. Our frames take at most 4 KiB. The kernel adds two frames (for the signal, and for a load that faults) of 1 to 3 KiB each, depending
 * on the processor's registers, and a third if a trap waits, blocked, when a load faults. If AsyncGetCallTrace is used, it takes what the
 * JVM takes: 16 KiB were seen. */
#ifndef CANDOR_AGENT_HOT_SIGNAL_HANDLER_H
#define CANDOR_AGENT_HOT_SIGNAL_HANDLER_H

#include "agent/hot/thread/thread.h"
#include "agent/hot/walk/agct.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum { FIRST_REDRAW = 2, REDRAW_EVERY = 16, PERIOD_MIN_NS = 75000 };

/* The state that all handlers of a recording share. It is written before the first clock starts, except for the atomic members. */
struct handler_config {
    _Atomic uint64_t interval_ns; /* the shortest interval that a recording requested */
    _Atomic uint64_t pace_ns;     /* the interval of each thread's clock from its next expiry on: interval_ns or longer */
    enum walker walker;           /* never WALKER_AUTO */
    bool measures;                /* perf events that see the kernel: weights are measured by the thread's CPU clock */
    bool counts;                  /* perf events that do not count CPU time: weights come from their own counts */
    bool traps;                   /* the clock is delivered as SIGTRAP */
    bool carrier_frames;          /* the carrier's frames follow the frames of a virtual thread */
    bool compilations;            /* a record says which compilation contains its pc */
    bool redraws;                 /* perf events: a new period every REDRAW_EVERY expiries, the first after FIRST_REDRAW */
    bool stops_first;             /* perf events: the kernel stops them at their first expiry; the handler starts them again */
    _Atomic int held;             /* the number of faults that hold all clocks (hot/fault/traps.h): while it is not 0, no clock may start */
    _Atomic bool timer_is_taken;  /* the program itself uses the process's timer (trigger/hooks/claims.h) */
    _Atomic uint64_t process_cpu_ns; /* process CPU time at the last expiry of the process-wide timer */
};
extern struct handler_config handler_config;

void handler_on_sigtrap(int signal, siginfo_t *info, void *context);
void handler_on_perf_signal(int signal, siginfo_t *info, void *context);
void handler_on_thread_timer(int signal, siginfo_t *info, void *context);
void handler_on_process_timer(int signal, siginfo_t *info, void *context);
/* Handles the collector's request for a sample of a running thread (event wall). The request is a queued signal whose value is the address
 * of handler_config. */
void handler_on_request(int signal, siginfo_t *info, void *context);

/* Returns a pseudo-random number from `state` (xorshift64*), which must not be 0. */
uint64_t handler_random(uint64_t *state);
/* Returns the interval that the thread's clock must have. */
static inline uint64_t handler_pace(const struct sampled_thread *t)
{
    /* Relaxed, because no other memory depends on this number. */
    return t->clock.own_pace_ns ? t->clock.own_pace_ns : atomic_load_explicit(&handler_config.pace_ns, memory_order_relaxed);
}

/* Draws a period, uniform between half and one and a half of the interval, which is its mean. The clock therefore does not stay in step
 * with periodic work of the program (docs/internals/sampling-math.md). */
uint64_t handler_draw_period(uint64_t *state, uint64_t interval_ns);

#endif
