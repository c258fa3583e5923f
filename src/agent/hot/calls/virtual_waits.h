/* The waits of virtual threads that have left their carriers. Such a wait begins on one thread and may end on another, so it is in no
 * thread's lane. It is kept here by a key, which is made from the id of the virtual thread, from the moment at which the wait begins until
 * it ends.
 *
 *   virtual_waits_init                            the agent's thread
 *   [ virtual_waits_add -> virtual_waits_take ]*  the carriers, for any number of virtual threads at once
 *   virtual_waits_claim                           the agent's thread: takes waits that still go on
 *   virtual_waits_deinit                          the agent's thread
 *
 * All calls for one key, except virtual_waits_peek and virtual_waits_claim, come one after the other, because a virtual thread is in one
 * place at a time. Each wait is taken once, by its thread or by the agent's. Memory is used in proportion to the waits that go on at the
 * same time, not to those that are over: about 64 bytes for each, in steps of 4,096 waits and more. The functions are wait-free, except
 * init and deinit; handlers do not call them. */
#ifndef CANDOR_AGENT_HOT_CALLS_VIRTUAL_WAITS_H
#define CANDOR_AGENT_HOT_CALLS_VIRTUAL_WAITS_H

#include "agent/hot/calls/lock_owner.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct virtual_wait {
    uint64_t since;     /* CLOCK_MONOTONIC, ns */
    uint32_t kind;      /* enum lock_kind */
    uint32_t beginning; /* lock_config.beginning when the wait began: a wait from an earlier recording does not count */
    struct lock_target target;
};

/* The most waits that fit. A wait is refused a little earlier if its places are taken. */
enum { VIRTUAL_WAITS_MAX = 1396736 };

/* A table. A static one is zero, and empty. */
struct virtual_waits {
    _Atomic uint64_t *keys; /* 0 = free */
    struct virtual_wait *waits;
    _Atomic uint32_t levels; /* the levels that have been used */
};

/* Reserves address space. The memory is never unmapped, because a call may be late. Returns 0 or a negative errno. */
int virtual_waits_init(struct virtual_waits *t);
/* Gives the memory back, and forgets all waits. */
void virtual_waits_deinit(struct virtual_waits *t);

/* Whether a wait has been noted in the table. */
static inline bool virtual_waits_is_used(const struct virtual_waits *t)
{
    return atomic_load(&t->levels);
}

/* Notes a wait that begins, in place of an earlier one that was never taken. Returns false if there is no room. */
bool virtual_waits_add(struct virtual_waits *t, uint64_t key, const struct virtual_wait *wait);
/* Takes the wait with this key. Returns false if there is none. */
bool virtual_waits_take(struct virtual_waits *t, uint64_t key, struct virtual_wait *wait);
/* Reads it only. It may end at any moment, so another wait may have taken its place while it was read: `since` shows this. */
bool virtual_waits_peek(const struct virtual_waits *t, uint64_t key, struct virtual_wait *wait);

/* Takes the next wait that goes on, in no particular order. *place: 0 for the first call; the function advances it. Returns false when all
 * places were looked at. A wait that begins meanwhile may be missed. */
bool virtual_waits_claim(struct virtual_waits *t, uint32_t *place, uint64_t *key, struct virtual_wait *wait);

#endif
