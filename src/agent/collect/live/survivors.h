/* Which of the sampled objects are watched, if there are too many: a bounded set from which every live object can be estimated
 * without bias, however many objects were displaced, and died, meanwhile.
 *
 *   survivors_init -> [ survivors_add | survivors_part ]* -> survivors_deinit
 *
 * Each object keeps one priority: the bytes it stands for, its span, divided by a random number from (0, 1]. If the set is
 * full, the object with the lowest priority leaves, even if it is the new one. An object's threshold is the highest priority
 * that has left since the object came. The object would still be there with any priority above its threshold, which it has with
 * probability min(1, span/threshold); so it stands for max(span, threshold) bytes, and the sum of these over any part of the
 * set is right on average (docs/internals/sampling-math.md).
 *
 * The set is a heap ordered by priority; thresholds are a short list of departures by time. Plain arithmetic; one owner. */
#ifndef CANDOR_AGENT_COLLECT_LIVE_SURVIVORS_H
#define CANDOR_AGENT_COLLECT_LIVE_SURVIVORS_H

#include <stdbool.h>
#include <stdint.h>

enum { SURVIVORS_GONE_MAX = 64 };

struct survivor {
    uint64_t span;              /* bytes it was sampled for */
    uint64_t size;              /* of the object */
    double priority, threshold; /* threshold: as of the last time that all were brought up to date */
    uint64_t arrival;           /* 1, 2, ... in the order in which they came */
    void *object;               /* the caller's, to know it by */
};

/* Up to this arrival an object had to outdo this priority. */
struct survivors_gone {
    uint64_t arrival;
    double priority;
};

struct survivors {
    struct survivor *held; /* a heap, the lowest priority first */
    uint32_t count, capacity;
    uint64_t arrivals;
    struct survivors_gone gone[SURVIVORS_GONE_MAX]; /* later arrivals have lower priorities */
    uint32_t gone_count;
};

/* 0 or -ENOMEM. */
int survivors_init(struct survivors *s, uint32_t capacity);
/* The objects of those that are held are the caller's to free. */
void survivors_deinit(struct survivors *s);

/* random: uniform over 64 bits. True when one has to go: the caller's object of it is *gone, maybe the new one's. */
bool survivors_add(struct survivors *s, uint64_t span, uint64_t size, void *object, uint64_t random, void **gone);
/* Removes those for which is_alive[i] is false, in the order of `held`. They stay after the others until one is added. Returns
 * their number. */
uint32_t survivors_part(struct survivors *s, const bool *is_alive);

/* The bytes that one stands for, whether it is held or was taken out just now. */
uint64_t survivors_bytes(const struct survivors *s, const struct survivor *one);
/* An unbiased estimate of its contribution to the variance of a sum of such bytes. */
double survivors_variance(uint64_t bytes, uint64_t size);

#endif
