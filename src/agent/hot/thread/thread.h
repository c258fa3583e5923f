/* One profiled thread: the data that its handler needs, in memory that is mapped before the first clock starts and never
 * unmapped, so that a late signal still finds it.
 *
 * Life: trigger/threads.c claims a slot, fills it, raises `generation` to an odd number and sets the clock. The handler samples
 * while the generation in its signal is the slot's. Disarming makes the generation even again, waits for `inside` to fall to 0
 * and ends the clock. The collector drains the queue and frees the slot. */
#ifndef CANDOR_AGENT_HOT_THREAD_THREAD_H
#define CANDOR_AGENT_HOT_THREAD_THREAD_H

#include "agent/hot/thread/turn.h"
#include "base/agreed/reasons.h"
#include "candor/queue/record.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { THREADS_MAX = 1 << 15, THREAD_NAME_MAX = 128, THREAD_IDS_MAX = 1 << 22, THREAD_COOKIE_SETTING = 16 };
_Static_assert(THREADS_MAX <= 1 << THREAD_COOKIE_SETTING, "a slot's index fits below the setting");

enum thread_slot { SLOT_FREE, SLOT_LIVE, SLOT_ENDED };

/* The count of a perf event, from the kernel: if there are more events than the processor has counters, it counts them in turn. */
struct event_reading {
    uint64_t count, enabled_ns, running_ns;
};

/* The count for all of the time. */
static inline uint64_t event_reading_scaled(const struct event_reading *r)
{
    if (!r->running_ns || r->running_ns >= r->enabled_ns)
        return r->count;
    return (uint64_t)((double)r->count * ((double)r->enabled_ns / (double)r->running_ns));
}

/* The purpose of a thread: the JVM has some of its own. */
enum thread_role {
    ROLE_OTHER,
    ROLE_COMPILER,
    ROLE_VM,         /* runs the JVM's operations */
    ROLE_COLLECTOR,  /* helps with those that collect garbage */
    ROLE_CONCURRENT, /* collects garbage beside the program */
    THREAD_ROLES
};

/* The clock of a slot. Written by trigger/ under its lock, before the clock can expire or when no handler is inside any more; so a handler
 * that is inside reads it plainly. The atomic members may change beside a handler, or are read by those that are not inside: relaxed, each
 * is a number by itself. (Calibration does the same without the lock, with a slot that only it has.) */
struct thread_clock {
    _Atomic int fd;         /* perf event, -1 = none */
    _Atomic uintptr_t ring; /* of the event: the kernel's part of the stacks (hot/kernel.h); 0 = none */
    timer_t timer;
    bool has_timer, lacks_clock, ring_refused;
    int perf_error; /* negative errno: a perf event was refused, a timer stands in for it; 0 = as the recording's clock */
    uint64_t cpu_at_arming, cpu_at_start; /* of the thread's CPU clock, ns */
    uint64_t cpu_at_setting;              /* the same, when the clock was last set: clocks by lot are set again and again */
    uint64_t expiries_at_setting;
    uint64_t own_pace_ns; /* instead of the common pace (handler.h); 0 = none */
    uint64_t blind_ns;    /* CPU time after arming in which the clock cannot fire */
};

/* Of a clock by lot (trigger/lot.h). Written as the clock is, on the agent's thread; books read it there, too. late_ns is what a late
 * signal takes: acquire and release, as the two below it go with it. */
struct thread_lot {
    double stands_for;        /* 1 / the chance with which it was drawn; 0 = it has its clock for certain */
    uint32_t window;          /* its number, below 2^LOT_WINDOW_BITS; 0 = it has its clock for certain */
    bool waits;               /* it was not drawn */
    uint64_t cpu_at_draw;     /* of its CPU clock, at the last draw */
    uint64_t waited_ns;       /* CPU time of windows in which it was not drawn, that are over */
    double use_ns;            /* CPU time per window, of late */
    _Atomic uint64_t late_ns; /* what an expiry of the window before stands for, if its signal is still on its way; 0 = it is not awaited */
    double late_stands_for;   /* the same of that window */
    uint32_t late_window;
};
enum { LOT_WINDOW_BITS = 24 };

/* What scans have seen of the thread. Written by threads_scan on the agent's thread, under the lock of trigger/threads.c, which the agent's
 * thread itself needs not to read it. */
struct thread_scan {
    uint64_t cpu_seen;                     /* at the last scan; the first is from the arming */
    uint64_t cpu_at_expiry, expiries_seen; /* at the last scan that found expiries, and how many */
    uint32_t scans;                        /* that saw it */
    bool blocks, has_blocked;              /* the clock's signal: at the last scan, ever */
    bool is_revived;
};

/* How it ended. Written once, under the same lock, before the slot becomes SLOT_ENDED: by the thread itself if it announces its end, else
 * by a scan or by the end of the recording. */
struct thread_end {
    _Atomic uint64_t cpu;           /* 0 while it lives */
    _Atomic uint64_t java_until_ns; /* by the monotonic clock; 0 = not yet */
    struct event_reading events;    /* for a clock that counts something other than CPU time */
};

/* Whether a handler may begin, and whether one is at work. Written by the thread itself, in its handlers of clocks and of faults. A handler
 * raises `inside` and then reads the generation, who disarms writes the generation and then reads `inside`: sequentially consistent,
 * so one of them sees the other. */
struct thread_gate {
    _Atomic uint32_t inside;  /* a handler runs */
    _Atomic uint32_t nested;  /* expiries that came meanwhile; relaxed, only this thread's handlers count them */
    _Atomic uint32_t setting; /* how often a clock by lot was taken away, sequentially consistent as the generation */
    _Atomic uint32_t held;    /* by a fault of the program's (hot/fault/traps.h): nobody may start the clock; scans end what lasts */
    struct turn turn;
};

/* What the handler remembers from one expiry to the next. Written by trigger/clocks/ before the clock is set, then plainly by the handler
 * alone; scans read base_ns meanwhile, and do not mind an older one. */
struct thread_handler {
    uint64_t period_ns;           /* of the clock now */
    uint64_t base_ns;             /* what its periods are drawn around */
    uint64_t pace_ns;             /* the pace (handler.h) when that was set */
    uint64_t sample_ns;           /* CPU time that a sample takes in the handler, on average */
    uint64_t next_weight_ns;      /* of the next expiry, 0 = as it comes */
    uint64_t last_cpu_ns;         /* the thread's CPU clock at its last sample */
    uint64_t last_count;          /* the same of a clock that counts something else */
    uint32_t until_redraw;        /* expiries until a new period is drawn */
    _Atomic bool in_first_period; /* set as the clock is, until a handler has seen its first expiry */
    uint64_t random;
    uintptr_t vm_thread; /* of a compiler thread: its JavaThread*, 0 = not known yet */
};

/* What became of expiries and requests. Written by the handler alone (counter_add); the collector reads them, relaxed, as each is a number
 * by itself. */
struct thread_counts {
    _Atomic uint64_t expiry_ns, expiries, samples;
    _Atomic uint64_t lost_ns[LOSS_COUNT], lost[LOSS_COUNT];
    _Atomic uint64_t suppressed_ns[SUPPRESSION_COUNT], slow[SUPPRESSION_COUNT]; /* expiries of clocks that are slower than asked */
    _Atomic uint64_t lent_ns;    /* of expiry_ns: what stands for threads that were not drawn (trigger/lot.h) */
    _Atomic uint64_t handler_ns; /* the CPU time of all samples in the handler, by some of them */
    _Atomic uint64_t answers, answer_ns, unanswered[LOSS_COUNT], unanswered_ns[LOSS_COUNT]; /* to requests of the event wall */
};

/* What the collector asks of the thread. Written by the collector alone, except that the handler takes what was asked and leaves 0: relaxed
 * exchanges and additions, as no other memory goes with these numbers. */
struct thread_collector {
    uint32_t settled; /* batches of its samples before which its name was read again */
    /* Of the event wall: wall-clock time that the thread's next sample stands for, in which it ran, and in which it waited for a
     * processor. */
    _Atomic uint64_t asked_running_ns, asked_ready_ns;
};

struct sampled_thread {
    struct candor_queue queue; /* producer: the thread's handler; consumer: the collector */

    /* Whose slot it is. Written by trigger/threads.c under its lock; the atomic members may change while the slot is in use. */
    _Atomic uint32_t slot;       /* enum thread_slot */
    _Atomic uint32_t generation; /* odd while armed; sequentially consistent, as `inside` of the gate and of lanes is */
    _Atomic uintptr_t java_thread;
    struct {
        _Atomic uintptr_t pointer; /* frame_thread_pointer, once the thread has asked for its slot */
    } self;                        /* written by the thread itself; relaxed, it alone has this pointer */
    int64_t java_id;
    uint32_t index;        /* in the table */
    uint32_t uid;          /* never reused within a recording */
    _Atomic uint32_t role; /* enum thread_role */
    int tid;
    _Atomic uint64_t java_since_ns; /* by the monotonic clock; 0 = it never was one of Java's */
    char java_name[THREAD_NAME_MAX], os_name[16];

    /* The rest has a struct for each writer. */
    struct thread_clock clock;
    struct thread_lot lot;
    struct thread_scan scan;
    struct thread_end end;
    struct thread_gate gate;
    struct thread_handler handler;
    struct thread_counts counts;
    struct thread_collector collector;
};

/* Everything that a thread reads after a wait, when it is not in the cache. */
_Static_assert(offsetof(struct sampled_thread, slot) / 64 == offsetof(struct sampled_thread, uid) / 64, "these lie in one cache line");

/* The table, and the slot of each thread id plus one (0 = none), for signals that carry no pointer. */
extern struct sampled_thread *sampled_threads;
extern _Atomic uint32_t *thread_slot_of_tid;

/* Slots ever used lie below. Written under the lock of trigger/threads.c. */
extern _Atomic uint32_t sampled_threads_used;
/* The calling thread's slot, or NULL. For handlers, too. */
struct sampled_thread *thread_of_caller(void);
/* The same for calls from the JVM, which are frequent: a Java thread asks the kernel for its id only once. Not for handlers, because
 * they may run in a child process that shares the memory. */
struct sampled_thread *thread_of_java_caller(void);

/* 0 or a negative errno. */
int thread_table_init(void);
void thread_table_deinit(void);

/* What a signal carries to find its thread: the slot's generation, which setting of its clock it is, and the slot's index. Sequentially
 * consistent, as `inside` of the gate is. */
static inline uint64_t thread_cookie(const struct sampled_thread *t)
{
    uint64_t setting = atomic_load(&t->gate.setting) & 0xffff;
    return (uint64_t)atomic_load(&t->generation) << 32 | setting << THREAD_COOKIE_SETTING | t->index;
}

static inline uint32_t thread_cookie_generation(uint64_t cookie)
{
    return (uint32_t)(cookie >> 32);
}

static inline uint32_t thread_cookie_index(uint64_t cookie)
{
    return (uint32_t)cookie & ((1u << THREAD_COOKIE_SETTING) - 1);
}

/* The handler is the only writer of these counters, so a plain load and store make an increment. */
static inline void counter_add(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n, memory_order_relaxed);
}

static inline uint64_t counter_get(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

#endif
