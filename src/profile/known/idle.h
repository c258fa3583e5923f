/* Leaves idle threads out of a profile of wall-clock time. In a server most threads wait for work most of the time, as they should, and
 * hide those that wait for something else. */
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
 *   - or have nothing but the JDK's own code on the stack: its reference handlers, cleaners and timers.
 * As with a filter (profile/filter.h), weight + idle->weight is the weight before the call. Returns 0 or -ENOMEM. */
int idle_drop(struct profile *p, struct idle *idle);

#endif
