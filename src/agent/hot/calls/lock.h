/* Records waits for locks. The JVM's callbacks for contended monitors, and the hook around park (trigger/hooks/parks.h), call this code on
 * the waiting thread. It notes the owner of the lock before the wait, and the duration after the wait. If the wait is drawn
 * (hot/calls/lock_draw.h), it becomes one record in the thread's lane (hot/thread/lane.h), with the stack from the thread's last Java frame
 * on.
 *
 *     0        when the wait began, CLOCK_MONOTONIC ns
 *     1        how long it took, ns
 *     2        weight: the ns of waiting that it stands for
 *     3        enum lock_kind in bits 0-7; in bit 8, whether it is recorded for its length, not drawn; words of the owner's context in bits
 *              16-31
 *     4        address of the monitor, or of the object that the thread was parked for; 0 = unknown
 *     5        the owner's slot: its uid in bits 0-31, 0 = unknown; its index in bits 32-63
 *     6        the owner's id, java.lang.Thread's; 0 = unknown
 *     7        a parked thread's deadline, as the C library got it, ns; 0 = none
 *     8..      frames, leaf first, as in hot/record.h
 *     ..       the class of the lock's object: "Ljava/util/Map;" or "java/util/Map", 8 bytes a word, filled up with 0
 *     ..       of a virtual thread, as in hot/record.h
 *     ..       the thread's context, as in hot/context.h
 *     ..n-2    the context that the owner had when the wait began
 *     n-1      outcome in bits 0-15, words of the context in bits 16-31, of the virtual thread in bits 32-47, of the class in bits 48-63
 *
 * A thread is not inside its lane while it waits. A virtual thread that waits without a carrier is in hot/calls/virtual_waits.h meanwhile;
 * its wait is counted and recorded in the lane of the carrier to which it returns. The functions are wait-free. */
#ifndef CANDOR_AGENT_HOT_CALLS_LOCK_H
#define CANDOR_AGENT_HOT_CALLS_LOCK_H

#include "agent/hot/calls/lock_draw.h"
#include "agent/hot/calls/lock_owner.h"
#include "agent/hot/calls/virtual_waits.h"
#include "agent/hot/context.h"
#include "agent/hot/record.h"
#include "agent/hot/thread/lane.h"
#include "agent/hot/thread/thread.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum lock_kind { LOCK_MONITOR, LOCK_PARK, LOCK_KINDS };

/* Each group has its own rate and threshold. Idle threads park very often, and these parks must not displace the waits of threads that
 * contend. */
enum lock_group { LOCK_GROUP_MONITOR, LOCK_GROUP_SYNCHRONIZER, LOCK_GROUP_OTHER, LOCK_GROUPS };

enum {
    LOCK_HEAD = 8,
    LOCK_IS_WHOLE = 1 << 8, /* in word 3, like the next constant */
    LOCK_IS_OF_SYNCHRONIZER = 1 << 9,
    LOCK_OWNER_CONTEXT_SHIFT = 16,
    LOCK_VIRTUAL_SHIFT = 1, /* a key of hot/calls/virtual_waits.h is a thread's id, shifted by this, and below it enum lock_kind */
    LOCK_WORDS_MAX = LOCK_HEAD + FRAMES_MAX + 1 + LANE_CLASS_WORDS_MAX + RECORD_VIRTUAL_MAX + 2 * CONTEXT_WORDS_MAX + 1
};

/* A wait that has ended. Its thread keeps it here until the record is written. */
struct lock_wait {
    uint32_t generation; /* the slot's generation when the wait began */
    enum lock_kind kind;
    bool is_whole;
    uint64_t since, ns, weight, deadline;
    struct lock_target target;
};

/* Reads the context that the owner of a lock has at present, if it has a slot. A context that changes all the time is counted as lost. Any
 * thread may call it. */
void lock_owner_context(const struct lock_owner *owner, struct context_words *out);

/* A park that goes on. Its thread keeps it here until the end of the park. */
struct lock_park {
    struct sampled_thread *thread;
    struct lock_lane *lane;
    uint32_t generation;
};

struct lock_lane {
    struct lane lane;
    /* The collector reads these members while a wait goes on. A wait is owned by the thread or collector that sets `since` to 0: the thread
     * when it has waited, or the collector when the recording ends. */
    _Atomic uint64_t since;                                     /* when the present wait began; 0 = there is none, or its beginning was not
                                                                 * seen */
    _Atomic uint64_t waits;                                     /* number of waits that have begun */
    _Atomic uint32_t kind;                                      /* enum lock_kind */
    _Atomic uint64_t waited_ns[LOCK_KINDS], waited[LOCK_KINDS]; /* all waits that have ended, recorded or not: their time and number */
    struct lock_wait wait;                                      /* the present wait; only the thread uses it */
    struct lock_draw draws[LOCK_GROUPS];
    uint64_t opened; /* when; CLOCK_MONOTONIC ns */
    _Atomic uint32_t
        beginning; /* lock_config.beginning at the thread's last call; if it differs now, `since`, `waits` and `opened` are outdated */
    struct context_words owner; /* of the owner, when the present wait began; only the thread uses it, and it comes last */
};

/* The state that all threads share. The collector writes it before it sets `on`, except for the atomic members. */
struct lock_config {
    _Atomic bool on;
    bool is_bounded; /* by the tokens */
    /* How often the event has begun, and when it last began (CLOCK_MONOTONIC, ns). Lanes outlive the event while other recordings continue,
     * so they compare these. */
    _Atomic uint32_t beginning;
    _Atomic uint64_t began_ns;
    struct lock_limit {
        _Atomic uint64_t threshold; /* ns; waits of at least this length are recorded, shorter ones are drawn */
        _Atomic int64_t tokens;     /* records that may be written until the collector's next turn */
        _Atomic uint64_t wanted;    /* records that should have been written */
    } limits[LOCK_GROUPS];
    _Atomic uint64_t lost[LOCK_LOSS_COUNT], lost_ns[LOCK_LOSS_COUNT]; /* waits that were not recorded, and their weight */
};
extern struct lock_config lock_config;

static inline enum lock_group lock_group_of(const struct lock_wait *wait)
{
    return wait->kind == LOCK_MONITOR ? LOCK_GROUP_MONITOR : wait->target.is_synchronizer ? LOCK_GROUP_SYNCHRONIZER : LOCK_GROUP_OTHER;
}

/* Called by the JVM's callbacks when the calling thread begins to wait for a monitor, and when it has acquired the monitor. If
 * lock_end_monitor returns true, the wait must be recorded: the function has filled *wait, and the caller asks the JVM for the class's
 * signature and calls lock_record. If it returns false, *wait is unchanged. All these functions preserve errno. */
void lock_begin_monitor(uintptr_t java_thread);
bool lock_end_monitor(struct lock_wait *wait);
/* Called by the hook when the calling thread begins to wait for a condition variable. Returns true if that is a park: then call
 * lock_end_park after it. deadline: NULL = none. */
bool lock_begin_park(const struct timespec *deadline, struct lock_park *park);
void lock_end_park(const struct lock_park *park);

/* Called on the carrier when a virtual thread begins to wait without it, and when the thread has returned to a carrier. kind: a wait for a
 * monitor, or a park; a park in which the thread only sleeps, or waits for a socket, does not count. lock_end_virtual works like
 * lock_end_monitor. lock_forget_virtual: the thread has not left its carrier after all. */
void lock_begin_virtual(uintptr_t java_thread, int64_t id, enum lock_kind kind);
bool lock_end_virtual(int64_t id, enum lock_kind kind, struct lock_wait *wait);
void lock_forget_virtual(int64_t id);

/* Writes the record of a wait. class_name: NULL = take it from the target's klass. thread_id: the id of the java.lang.Thread, or of
 * the virtual thread if the thread runs one; 0 = unknown. */
void lock_record(const struct lock_wait *wait, const char *class_name, int64_t thread_id);
/* Counts a wait that was not recorded or could not be recorded. Any thread may call it. */
void lock_lose(enum lock_loss why, uint64_t weight);
/* Writes a class's name as words of a record. Returns the number of words. It may be called for any Klass*. */
size_t lock_class_words(uintptr_t klass, uint64_t words[LANE_CLASS_WORDS_MAX]);

/* The waits of virtual threads without a carrier. */
extern struct virtual_waits lock_virtual_waits;
/* The lanes, each a struct lock_lane. */
extern struct lane_table lock_lanes;
void lock_lane_open(const struct sampled_thread *t, struct candor_pool *pool);

#endif
