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

/* A perf event's count, as the kernel reports it. If there are more events than the processor has counters, the kernel counts them in
 * turn. */
struct event_reading {
    uint64_t count, enabled_ns, running_ns;
};

/* Returns the count, scaled to the whole time. */
static inline uint64_t event_reading_scaled(const struct event_reading *r)
{
    if (!r->running_ns || r->running_ns >= r->enabled_ns)
        return r->count;
    return (uint64_t)((double)r->count * ((double)r->enabled_ns / (double)r->running_ns));
}

/* The purpose of a thread. Some threads belong to the JVM itself. */
enum thread_role {
    ROLE_OTHER,
    ROLE_COMPILER,
    ROLE_VM,         /* runs the JVM's operations */
    ROLE_COLLECTOR,  /* helps the threads that collect garbage */
    ROLE_CONCURRENT, /* collects garbage while the program runs */
    THREAD_ROLES
};

/* The clock of a slot. trigger/ writes it under its lock, before the clock can expire or when no handler is inside any more. Therefore a
 * handler that is inside reads it with plain loads. The atomic members may change while a handler is inside, or are read by threads that
 * are not inside. Relaxed order suffices, because no other memory depends on them. (Calibration does the same without the lock, with a slot
 * that only it has.) */
struct thread_clock {
    _Atomic int fd;         /* perf event, -1 = none */
    _Atomic uintptr_t ring; /* the event's ring, with the kernel's part of the stacks (hot/kernel.h); 0 = none */
    int timer;              /* the kernel's id (clock.c) */
    bool has_timer, lacks_clock, ring_refused;
    bool had_timer, had_none; /* the registry has counted the thread: clocks by lot are refused again and again */
    int perf_error;           /* negative errno: a perf event was refused, and a timer replaces it; 0 = the clock is the recording's */
    uint64_t cpu_at_arming, cpu_at_start; /* the thread's CPU clock at these times, ns */
    uint64_t cpu_at_setting;              /* the same when the clock was last set: clocks by lot are set again and again */
    uint64_t expiries_at_setting;
    uint64_t own_pace_ns; /* used in place of the common pace (handler.h); 0 = none */
    uint64_t blind_ns;    /* CPU time after arming in which the clock cannot fire */
};

/* The state of a clock by lot (trigger/lot.h). It is written like the clock, on the agent's thread, where the books also read it. A late
 * signal takes late_ns. This uses acquire and release order, because the two members below late_ns belong to it. */
struct thread_lot {
    double stands_for;        /* 1 / the probability with which the thread was drawn; 0 = it has its clock for certain */
    uint32_t window;          /* lot_window() of the window's number and chance; 0 = the thread has its clock for certain */
    bool waits;               /* the thread was not drawn */
    uint64_t cpu_at_draw;     /* the thread's CPU clock at the last draw */
    uint64_t waited_ns;       /* CPU time of past windows in which the thread was not drawn */
    double use_ns;            /* CPU time from one draw of all threads to the next, recently */
    uint64_t cpu_at_use;      /* the thread's CPU clock at the last such draw, */
    uint64_t switches;        /* and how often the thread had been switched in until then; 0 = not known yet */
    bool is_calm;             /* and that this was far from restless */
    uint8_t unread;           /* at so many draws more the number is not read */
    bool restless;            /* the thread has draws of its own (lot_draw_restless), */
    uint8_t turn, drawn_turn; /* of which it is at this one of LOT_TURNS, and drawn at that one */
    _Atomic uint64_t late_ns; /* what an expiry of the previous window stands for, while its signal is on its way; 0 = none is expected */
    double late_stands_for;   /* stands_for of the previous window */
    uint32_t late_window;
};
enum { LOT_WINDOW_BITS = 24, LOT_CHANCE_BITS = 4, LOT_CHANCE_PARTS = 32 };

/* Puts a window's number, from 1 on, and the chance with which it was drawn, in 32nds up to a half, into one word for its samples. */
static inline uint32_t lot_window(uint32_t number, uint32_t parts)
{
    return (number << LOT_CHANCE_BITS | (parts - 1)) & ((1U << LOT_WINDOW_BITS) - 1);
}

static inline uint32_t lot_window_number(uint32_t window)
{
    return window >> LOT_CHANCE_BITS;
}

/* Returns the chance in percent; 0 = no window. */
static inline uint32_t lot_window_percent(uint32_t window)
{
    return window ? ((window & ((1U << LOT_CHANCE_BITS) - 1)) + 1) * 100 / LOT_CHANCE_PARTS : 0;
}

/* What scans have seen of the thread. threads_scan writes it on the agent's thread, under the lock of trigger/threads.c. The agent's thread
 * can read it without that lock. */
struct thread_scan {
    uint64_t cpu_seen;                     /* the thread's CPU clock at the last scan, or at the arming before the first scan */
    uint64_t cpu_at_expiry, expiries_seen; /* the CPU clock and the number of expiries, at the last scan that found new expiries */
    uint32_t scans;                        /* number of scans that saw the thread */
    bool blocks, has_blocked;              /* whether the thread blocks the clock's signal: at the last scan, ever */
    bool is_revived;
};

/* How the thread ended. It is written once, under the same lock, before the slot becomes SLOT_ENDED. The thread itself writes it if it
 * reports its end, and otherwise a scan, or the end of the recording. */
struct thread_end {
    _Atomic uint64_t cpu;           /* 0 while the thread lives */
    _Atomic uint64_t java_until_ns; /* when the thread ceased to be a Java thread, by the monotonic clock; 0 = not yet */
    struct event_reading events;    /* for a clock that does not count CPU time */
};

/* Whether a handler may begin, and whether one is at work. The thread itself writes it, in its handlers of clocks and of faults. A handler
 * raises `inside` and then reads the generation. The thread that disarms writes the generation and then reads `inside`. Both are
 * sequentially consistent, so one of them sees the other's write. */
struct thread_gate {
    _Atomic uint32_t inside;  /* a handler runs */
    _Atomic uint32_t nested;  /* expiries while a handler ran; relaxed, because only this thread's handlers count them */
    _Atomic uint32_t setting; /* how often a clock by lot was taken away; sequentially consistent like the generation */
    _Atomic uint32_t held;    /* a fault of the program holds the clock (hot/fault/traps.h): nobody may start it; scans end long holds */
    struct turn turn;
};

/* What the handler remembers from one expiry to the next. trigger/clocks/ writes it before the clock is set, and then only the handler,
 * with plain stores. Scans read base_ns meanwhile, and an older value does no harm. */
struct thread_handler {
    uint64_t period_ns;           /* the clock's present period */
    uint64_t base_ns;             /* the mean of the periods that are drawn */
    uint64_t pace_ns;             /* the pace (handler.h) when base_ns was set */
    uint64_t sample_ns;           /* CPU time that a sample takes in the handler, on average */
    uint64_t next_weight_ns;      /* the weight of the next expiry; 0 = the measured weight */
    uint64_t last_cpu_ns;         /* the thread's CPU clock at its last sample */
    uint64_t last_count;          /* the same for a clock that does not count CPU time */
    uint32_t until_redraw;        /* expiries until a new period is drawn */
    _Atomic bool in_first_period; /* set when the clock is set, until a handler has seen its first expiry */
    uint64_t random;
    uintptr_t vm_thread; /* for a compiler thread: its JavaThread*; 0 = not known yet */
};

/* Counts of expiries and requests. Only the handler writes them (counter_add). The collector reads them with relaxed order, because no
 * other memory depends on them. */
struct thread_counts {
    _Atomic uint64_t expiry_ns, expiries, samples;
    _Atomic uint64_t lost_ns[LOSS_COUNT], lost[LOSS_COUNT];
    _Atomic uint64_t suppressed_ns[SUPPRESSION_COUNT], slow[SUPPRESSION_COUNT]; /* expiries of clocks that are slower than requested */
    _Atomic uint64_t lent_ns;    /* the part of expiry_ns that stands for threads that were not drawn (trigger/lot.h) */
    _Atomic uint64_t handler_ns; /* the CPU time of all samples in the handler, estimated from some of them */
    _Atomic uint64_t answers, answer_ns, unanswered[LOSS_COUNT], unanswered_ns[LOSS_COUNT]; /* answers to requests of the event wall */
};

/* The collector's requests to the thread. Only the collector writes them, except that the handler takes a request and leaves 0. The
 * exchanges and additions are relaxed, because no other memory belongs to these numbers. */
struct thread_collector {
    uint32_t settled; /* number of batches of samples before which its name was read again */
    /* For the event wall: the wall-clock time that the thread's next sample stands for, in which the thread ran, and in which it waited for
     * a processor. */
    _Atomic uint64_t asked_running_ns, asked_ready_ns;
};

struct sampled_thread {
    struct candor_queue queue; /* producer: the thread's handler; consumer: the collector */

    /* The owner of the slot. trigger/threads.c writes it under its lock. The atomic members may change while the slot is in use. */
    _Atomic uint32_t slot;       /* enum thread_slot */
    _Atomic uint32_t generation; /* odd while armed; sequentially consistent, like `inside` of the gate and of lanes */
    _Atomic uintptr_t java_thread;
    struct {
        _Atomic uintptr_t pointer; /* frame_thread_pointer, after the thread has looked its slot up */
    } self;                        /* written by the thread itself; relaxed, because no other thread has this pointer */
    int64_t java_id;
    uint32_t index;        /* the slot's index in the table */
    uint32_t uid;          /* not reused within a recording, until there have been two billion threads */
    _Atomic uint32_t role; /* enum thread_role */
    int tid;
    _Atomic uint64_t java_since_ns; /* when it became a Java thread, by the monotonic clock; 0 = it never was one */
    char java_name[THREAD_NAME_MAX], os_name[16];

    /* The other members are grouped into one struct per writer. */
    struct thread_clock clock;
    struct thread_lot lot;
    struct thread_scan scan;
    struct thread_end end;
    struct thread_gate gate;
    struct thread_handler handler;
    struct thread_counts counts;
    struct thread_collector collector;
};

/* These are all the members that a thread reads after a wait, when they may not be in the cache. */
_Static_assert(offsetof(struct sampled_thread, slot) / 64 == offsetof(struct sampled_thread, uid) / 64, "these lie in one cache line");

/* Returns frame_thread_pointer of that thread; 0 until it was sampled or has looked up its slot. Relaxed, because it is only used for
 * guarded loads. */
static inline uintptr_t thread_pointer_of(const struct sampled_thread *t)
{
    return atomic_load_explicit(&t->self.pointer, memory_order_relaxed);
}

/* The table, and the slot of each thread id plus one (0 = none), for signals that carry no pointer. */
extern struct sampled_thread *sampled_threads;
extern _Atomic uint32_t *thread_slot_of_tid;

/* All slots that were ever used have a lower index. It is written under the lock of trigger/threads.c. */
extern _Atomic uint32_t sampled_threads_used;
/* Returns the calling thread's slot, or NULL. Handlers may call it, too. */
struct sampled_thread *thread_of_caller(void);
/* Does the same for calls from the JVM, which are frequent: a Java thread asks the kernel for its id only once. Handlers must not call it,
 * because they may run in a child process that shares the memory. */
struct sampled_thread *thread_of_java_caller(void);

/* Creates the table. Returns 0 or a negative errno. */
int thread_table_init(void);
void thread_table_deinit(void);

/* Returns the value by which a signal finds its thread: the slot's generation, the number of its clock's setting, and the slot's index. The
 * loads are sequentially consistent, like `inside` of the gate. */
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

/* Adds to a counter. The handler is the only writer of these counters, so a plain load and store suffice. */
static inline void counter_add(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n, memory_order_relaxed);
}

static inline uint64_t counter_get(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

#endif
