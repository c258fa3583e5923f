/* Counts and samples the virtual threads that leave their carriers, for the event wall. The JVM calls this code on the carrier when a
 * virtual thread leaves, and when it has returned. Each time without a carrier is counted exactly. Some of the threads that leave are
 * drawn, with the same probability for all, before anything is known about how long they will stay away. For those the stack is walked,
 * which stays as it is until the thread returns, and one record is left in the carrier's lane (hot/thread/lane.h):
 *
 *     0        its id
 *     1        when it began, CLOCK_MONOTONIC ns
 *     2        probability with which it was drawn, in units of 2^-32
 *     3        state (enum jfr_thread_state): what the thread waits for
 *     4..      frames, leaf first, as in hot/record.h
 *     ..       its id again, and its name, and its context, as in hot/record.h
 *     n-1      record_last
 *
 * The collector draws from these threads in its rounds (collect/wall/unmounted.h). The functions are wait-free and preserve errno. */
#ifndef CANDOR_AGENT_HOT_CALLS_UNMOUNTS_H
#define CANDOR_AGENT_HOT_CALLS_UNMOUNTS_H

#include "agent/hot/calls/virtual_waits.h"
#include "agent/hot/record.h"
#include "agent/hot/thread/lane.h"
#include "agent/hot/thread/thread.h"

#include <stdbool.h>
#include <stdint.h>

enum { UNMOUNT_HEAD = 4, UNMOUNT_WORDS_MAX = UNMOUNT_HEAD + FRAMES_MAX + 1 + RECORD_VIRTUAL_MAX + CONTEXT_WORDS_MAX + 1 };

/* After so many draws the probability is halved, until the collector sets it anew: many threads may leave between two of its rounds. */
enum { UNMOUNT_DRAWS = 2000 };

#define UNMOUNT_CERTAIN (UINT64_C(1) << 32)

/* What the virtual thread says that it does when it leaves. */
enum unmount_way { UNMOUNT_PARKS, UNMOUNT_YIELDS, UNMOUNT_OTHERWISE };

/* Sums over all times without a carrier. The time until now is returned_at - left_at + (left - returned) x now: the sums of moments may
 * overflow, their difference does not. */
struct unmount_sums {
    uint64_t left, returned;       /* numbers */
    uint64_t left_at, returned_at; /* sums of moments, ns */
};

struct unmount_lane {
    struct lane lane;
    uint64_t random;
    /* Written by the thread, read by the collector. Odd while the sums change, which belong together. */
    _Atomic uint32_t version;
    _Atomic uint64_t left, returned, left_at, returned_at;
};

struct unmount_config {
    _Atomic bool on;
    _Atomic uint32_t beginning;   /* how often the event has begun */
    _Atomic uint64_t probability; /* of a draw, in units of 2^-32 */
    _Atomic uint64_t drawn;       /* since the collector has set the probability */
    _Atomic uint64_t refused;     /* times that were not counted, because the table was full or the carrier was unknown */
    _Atomic uint64_t lost;        /* drawn threads whose record had no room */
    /* Of threads that returned to a carrier without a lane, as in struct unmount_sums. The number is added first and read last: a sum
     * without its number would look like a very long time. */
    _Atomic uint64_t returned, returned_at;
};
extern struct unmount_config unmount_config;

/* Called on the carrier. thread_id: of the virtual thread. */
void unmount_left(uintptr_t java_thread, int64_t thread_id, enum unmount_way way);
/* stayed: the thread could not leave. */
void unmount_returned(int64_t thread_id, bool stayed);

/* Whether the virtual thread that left its carrier then is still without one. Only the collector calls it. */
bool unmount_goes_on(uint64_t thread_id, uint64_t since);

/* The virtual threads without a carrier, by id. Only `since` and `beginning` of each are used. */
extern struct virtual_waits unmount_waits;

extern struct lane_table unmount_lanes;
void unmount_lane_open(const struct sampled_thread *t, struct candor_pool *pool);
/* Reads the sums of a lane. Returns false if they change at the moment. */
bool unmount_lane_sums(const struct unmount_lane *lane, struct unmount_sums *sums);

#endif
