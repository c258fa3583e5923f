/* The time in nanoseconds. The functions may be called from a signal handler. */
#ifndef CANDOR_AGENT_HOT_TIME_H
#define CANDOR_AGENT_HOT_TIME_H

#include "base/time_units.h"

#include <stdint.h>
#include <time.h>

static inline uint64_t time_ns(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * NS_PER_S + (uint64_t)t->tv_nsec;
}

static inline uint64_t time_now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return time_ns(&t);
}

#endif
