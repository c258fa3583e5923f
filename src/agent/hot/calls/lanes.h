/* The lanes (hot/thread/lane.h) of all events whose work is done on the program's threads: a table with a row for each such event. If no
 * recording has an event, the functions here have no effect on the lanes of that event.
 *
 * trigger/threads.c calls lanes_open before a slot is armed, and lanes_close when the slot is freed. Whatever disarms a slot calls
 * lanes_are_inside. lanes_turn may be called from a signal handler. */
#ifndef CANDOR_AGENT_HOT_CALLS_LANES_H
#define CANDOR_AGENT_HOT_CALLS_LANES_H

#include "agent/hot/thread/lane.h"

#include <stdbool.h>

void lanes_open(const struct sampled_thread *t, struct candor_pool *pool);
/* Opens the lanes of an armed slot whose tables were created after the slot was armed. */
void lanes_open_missing(const struct sampled_thread *t, struct candor_pool *pool);
void lanes_close(const struct sampled_thread *t);
/* Whether the thread is inside one of its lanes. */
bool lanes_are_inside(const struct sampled_thread *t);
/* Returns the turn that the thread has taken in one of its lanes, or NULL. */
struct turn *lanes_turn(const struct sampled_thread *t);

#endif
