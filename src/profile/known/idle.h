/* Leaves idle threads out of a profile of wall-clock time, or of waits for locks. In a server most threads wait for work most of the time,
 * as they should, and hide those that wait for something else. */
#ifndef CANDOR_PROFILE_KNOWN_IDLE_H
#define CANDOR_PROFILE_KNOWN_IDLE_H

#include "profile/profile.h"

struct idle {
    uint64_t weight; /* of the samples that were left out */
    uint32_t samples;
    uint32_t threads; /* that have such samples */
};

/* Drops the samples of threads that wait, and
 *   - are a pool's workers between two tasks,
 *   - or event loops that wait for their connections,
 *   - or have nothing but the JDK's own code on the stack, which is whole: its reference handlers, cleaners and timers.
 * Of waits for locks only parks without an owner are idle: a worker may also wait for the lock of its queue.
 * As with a filter (profile/filter.h), weight + idle->weight is what the weight was. Returns 0 or -ENOMEM. */
int idle_drop(struct profile *p, struct idle *idle);

#endif
