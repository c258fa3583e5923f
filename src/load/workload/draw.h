/* Random numbers that follow from a seed and the number of a request, so that requests can be made by any thread, in any order. */
#ifndef CANDOR_LOAD_WORKLOAD_DRAW_H
#define CANDOR_LOAD_WORKLOAD_DRAW_H

#include "base/map.h"

#include <stdint.h>

struct draw {
    uint64_t state;
};

static inline struct draw draw_begin(uint64_t seed, uint64_t n)
{
    return (struct draw){hash_mix(seed * 0x9e3779b97f4a7c15ULL + hash_mix(n + 1))};
}

static inline uint64_t draw_bits(struct draw *d)
{
    d->state += 0x9e3779b97f4a7c15ULL;
    return hash_mix(d->state);
}

/* From 0 to below 1. */
static inline double draw_unit(struct draw *d)
{
    return (double)(draw_bits(d) >> 11) / 9007199254740992.0; /* 2^53 */
}

/* From 0 to below n; n > 0. The bias is below n / 2^64. */
static inline uint64_t draw_below(struct draw *d, uint64_t n)
{
    return (uint64_t)(((unsigned __int128)draw_bits(d) * n) >> 64);
}

#endif
