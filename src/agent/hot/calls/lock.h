/* Waits for locks: the work of the JVM's callbacks for contended monitors, and of the hook around park (trigger/hooks/parks.h), on
 * the waiting thread. Before the wait it notes the owner of the lock; after the wait, its duration. A recorded wait
 * (hot/calls/lock_draw.h) goes with its stack, from the thread's last Java frame on, as one record into the thread's lane
 * (hot/thread/lane.h).
 *
 *     0        when the wait began, CLOCK_MONOTONIC ns
 *     1        how long it took, ns
 *     2        weight: the ns of waiting that it stands for
 *     3        enum lock_kind in bits 0-7; in bit 8, whether it is recorded for its length, not drawn
 *     4        address of the monitor, or of the object that the thread was parked for; 0 = unknown
 *     5        the owner's slot: its uid in bits 0-31, 0 = unknown; its index in bits 32-63
 *     6        the owner's id, java.lang.Thread's; 0 = unknown
 *     7        a parked thread's deadline, as the C library got it, ns; 0 = none
 *     8..      frames, leaf first, as in hot/record.h
 *     ..       the class of the lock's object: "Ljava/util/Map;" or "java/util/Map", 8 bytes a word, filled up with 0
 *     ..n-2    of a virtual thread, as in hot/record.h
 *     n-1      outcome in bits 0-15, words of the virtual thread in bits 32-47, of the class in bits 48-63
 *
 * A thread is not inside its lane while it waits. Wait-free. */
#ifndef CANDOR_AGENT_HOT_CALLS_LOCK_H
#define CANDOR_AGENT_HOT_CALLS_LOCK_H

#include "agent/hot/calls/lock_draw.h"
#include "agent/hot/calls/lock_owner.h"
#include "agent/hot/record.h"
#include "agent/hot/thread/lane.h"
#include "agent/hot/thread/thread.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum lock_kind { LOCK_MONITOR, LOCK_PARK, LOCK_KINDS };

/* Each has its own rate and threshold: parks of idle threads, of which there are many, must not displace waits of threads that
 * contend. */
enum lock_group { LOCK_GROUP_MONITOR, LOCK_GROUP_SYNCHRONIZER, LOCK_GROUP_OTHER, LOCK_GROUPS };

enum {
    LOCK_HEAD = 8,
    LOCK_IS_WHOLE = 1 << 8, /* in word 3, as the next */
    LOCK_IS_OF_SYNCHRONIZER = 1 << 9,
    LOCK_WORDS_MAX = LOCK_HEAD + FRAMES_MAX + 1 + LANE_CLASS_WORDS_MAX + RECORD_VIRTUAL_MAX + 1
};

/* A wait, as its thread carries it from its end to its record. */
struct lock_wait {
    uint32_t generation; /* of the slot, when it began */
    enum lock_kind kind;
    bool is_whole;
    uint64_t since, ns, weight, deadline;
    struct lock_target target;
};

/* A park, as its thread carries it from its beginning to its end. */
struct lock_park {
    struct sampled_thread *thread;
    struct lock_lane *lane;
    uint32_t generation;
};

struct lock_lane {
    struct lane lane;
    /* The collector looks at these while a wait goes on. The one that sets `since` to 0, the thread or, at the end, the
     * collector, owns the wait. */
    _Atomic uint64_t since;                                     /* 0 = it does not wait, or the beginning of the wait was not seen */
    _Atomic uint64_t waits;                                     /* that have begun */
    _Atomic uint32_t kind;                                      /* enum lock_kind */
    _Atomic uint64_t waited_ns[LOCK_KINDS], waited[LOCK_KINDS]; /* all waits that have ended, recorded or not */
    struct lock_wait wait;                                      /* the thread's, of the one that goes on */
    struct lock_draw draws[LOCK_GROUPS];
    uint64_t opened;            /* when; CLOCK_MONOTONIC ns */
    _Atomic uint32_t beginning; /* of the config, when the thread last came here: `since`, `waits` and `opened` are older otherwise */
};

/* Shared by all. The collector writes it before it sets `on`, except for the atomic members. */
struct lock_config {
    _Atomic bool on;
    bool is_bounded; /* by the tokens */
    /* Lanes outlive a recording where others go on: how often the event has begun, and when it last did, CLOCK_MONOTONIC ns. */
    _Atomic uint32_t beginning;
    _Atomic uint64_t began_ns;
    struct lock_limit {
        _Atomic uint64_t threshold; /* ns; waits as long as that are recorded, shorter ones drawn */
        _Atomic int64_t tokens;     /* records that may be made until the collector's next turn */
        _Atomic uint64_t wanted;    /* that were to be made */
    } limits[LOCK_GROUPS];
    _Atomic uint64_t lost[LOCK_LOSS_COUNT], lost_ns[LOCK_LOSS_COUNT]; /* the weights of those that were not */
};
extern struct lock_config lock_config;

static inline enum lock_group lock_group_of(const struct lock_wait *wait)
{
    return wait->kind == LOCK_MONITOR ? LOCK_GROUP_MONITOR : wait->target.is_synchronizer ? LOCK_GROUP_SYNCHRONIZER : LOCK_GROUP_OTHER;
}

/* For the JVM's callbacks: the calling thread begins to wait for a monitor, and has acquired it. If lock_end_monitor returns true,
 * the wait must be recorded: it has filled *wait, and the caller asks the JVM for the class's signature and calls lock_record. If
 * false, *wait is unchanged. All these functions preserve errno. */
void lock_begin_monitor(uintptr_t java_thread);
bool lock_end_monitor(struct lock_wait *wait);
/* For the hook: the calling thread begins to wait for a condition variable. True if that is a park: then call lock_end_park after it.
 * deadline: NULL = none. */
bool lock_begin_park(const struct timespec *deadline, struct lock_park *park);
void lock_end_park(const struct lock_park *park);

/* Writes the record of a wait. class_name: NULL = take it from the target's klass. thread_id: the id of the java.lang.Thread, or of
 * the virtual thread if the thread runs one; 0 = unknown. */
void lock_record(const struct lock_wait *wait, const char *class_name, int64_t thread_id);
/* Counts a wait that was not recorded, or could not be. Any thread. */
void lock_lose(enum lock_loss why, uint64_t weight);
/* A class's name as words of a record; returns how many. Callable for any Klass*. */
size_t lock_class_words(uintptr_t klass, uint64_t words[LANE_CLASS_WORDS_MAX]);

/* Of struct lock_lane. */
extern struct lane_table lock_lanes;
void lock_lane_open(const struct sampled_thread *t, struct candor_pool *pool);

#endif
