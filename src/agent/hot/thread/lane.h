/* Lanes: the working state of a sampled thread while the JVM or a hook has called the agent on it. A signal may interrupt this work, and
 * the signal's handler puts a record into the thread's queue, which may have only one producer. Therefore each lane has its own queue and
 * turn. A table of lanes, one for each slot (hot/thread/thread.h), belongs to its event: each lane is a struct that begins with a struct
 * lane.
 *
 *   lane_table_init                       the agent's thread, before the first slot is armed
 *   lane_open, lane_close                 trigger/threads.c, when a slot is about to be armed, and is freed (hot/calls/lanes.h)
 *   lane_enter, turn_take, lane_leave     the thread
 *   lane_is_inside                        a thread that disarms a slot: waits until its thread is in no lane
 *   lane_table_deinit                     the agent's thread, when all are closed
 *
 * Life of a lane: it belongs to its thread's slot, and follows the slot's generation. The memory is never unmapped, because a call may be
 * late. Producer: the thread; consumer: the collector. Wait-free; lane_enter, lane_leave, lane_of and lane_turn may be called from a signal
 * handler. */
#ifndef CANDOR_AGENT_HOT_THREAD_LANE_H
#define CANDOR_AGENT_HOT_THREAD_LANE_H

#include "agent/hot/thread/thread.h"
#include "agent/hot/thread/turn.h"
#include "candor/queue/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LANE_CLASS_WORDS_MAX = 128 }; /* longer names are cut at this length */

struct lane {
    struct candor_queue queue;
    struct turn turn;
    _Atomic uint32_t inside; /* 1 while the thread is inside */
};

struct lane_table {
    size_t lane_bytes; /* size of the event's struct */
    void *lanes;       /* indexed by slot; NULL = not mapped yet */
    bool in_use;
};

/* Creates the table. All lanes are zero after the first call, and after a call that follows a deinit. Returns 0 or a negative errno. */
int lane_table_init(struct lane_table *table);
void lane_table_deinit(struct lane_table *table);

/* Returns the slot's lane, or NULL if there is no table; the other functions here then have no effect. It does not read the slot, which may
 * not be in the cache. */
static inline void *lane_of(const struct lane_table *table, const struct sampled_thread *t)
{
    return table->in_use ? (char *)table->lanes + (size_t)(t - sampled_threads) * table->lane_bytes : NULL;
}
/* Opens the slot's lane: its queue is empty, and no turn is taken. The event's own members keep their values. Returns NULL if there is no
 * table. */
void *lane_open(const struct lane_table *table, const struct sampled_thread *t, struct candor_pool *pool);
void lane_close(const struct lane_table *table, const struct sampled_thread *t);

/* Makes the calling thread enter the lane, unless it is already inside. Returns false if the slot has another generation by now, and
 * nothing may be written. In either case call lane_leave, after counting any loss. */
bool lane_enter(struct lane *lane, const struct sampled_thread *t, uint32_t generation);
void lane_leave(struct lane *lane);
bool lane_is_inside(const struct lane_table *table, const struct sampled_thread *t);

/* Returns the turn that this thread has taken in its lane, or NULL. The handler of a fault calls it. */
struct turn *lane_turn(const struct lane_table *table, const struct sampled_thread *t);

/* Puts a class's name or signature into the open record, 8 bytes a word, filled up with 0. Returns the number of words. */
uint64_t lane_put_class(struct lane *lane, const char *name);

#endif
