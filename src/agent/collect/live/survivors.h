/* Chooses which of the sampled objects are watched if there are too many of them. The result is a bounded set. All live objects can be
 * estimated from it without bias, however many objects were displaced or died in the meantime.
 *
 *   survivors_init -> [ survivors_add | survivors_part ]* -> survivors_deinit
 *
 * Each object keeps one priority: the bytes it stands for, its span, divided by a random number from (0, 1]. If the set is full, the object
 * with the lowest priority leaves, even if it is the new one. An object's threshold is the highest priority that has left since the object
 * came. The object would still be there with any priority above its threshold, which it has with probability min(1, span/threshold); so it
 * stands for max(span, threshold) bytes, and the sum of these over any part of the set is right on average
 * (docs/internals/sampling-math.md).
 *
 * The set is a heap ordered by priority; thresholds are a short list of departures by time. The functions are plain arithmetic. A set has
 * one owner. */
#ifndef CANDOR_AGENT_COLLECT_LIVE_SURVIVORS_H
#define CANDOR_AGENT_COLLECT_LIVE_SURVIVORS_H

#include <stdbool.h>
#include <stdint.h>

enum { SURVIVORS_GONE_MAX = 64 };

struct survivor {
    uint64_t span;              /* bytes that the sample stands for */
    uint64_t size;              /* bytes of the object itself */
    double priority, threshold; /* threshold: as of the last time that all thresholds were brought up to date */
    uint64_t arrival;           /* 1, 2, ... in the order in which they came */
    void *object;               /* the caller's object */
};

/* An object that arrived up to `arrival` has stayed only because its priority is higher than this one. */
struct survivors_gone {
    uint64_t arrival;
    double priority;
};

struct survivors {
    struct survivor *held; /* a heap with the lowest priority first */
    uint32_t count, capacity;
    uint64_t arrivals;
    struct survivors_gone gone[SURVIVORS_GONE_MAX]; /* later arrivals have lower priorities */
    uint32_t gone_count;
};

/* Returns 0 or -ENOMEM. */
int survivors_init(struct survivors *s, uint32_t capacity);
/* The caller frees the objects of the entries that are still held. */
void survivors_deinit(struct survivors *s);

/* Adds an object. random: uniform over 64 bits. Returns true if there is no room for all objects: then *gone is the object that is no
 * longer held, which may be the new one. The caller frees it. */
bool survivors_add(struct survivors *s, uint64_t span, uint64_t size, void *object, uint64_t random, void **gone);
/* Removes each entry held[i] for which is_alive[i] is false. The removed entries stay in `held`, after the others, until the next entry is
 * added. Returns their number. */
uint32_t survivors_part(struct survivors *s, const bool *is_alive);

/* Returns the bytes that an entry stands for. The entry may be held, or may just have been removed. */
uint64_t survivors_bytes(const struct survivors *s, const struct survivor *one);
/* Returns an unbiased estimate of how much an object adds to the variance of a sum of such bytes. bytes: the bytes that the object stands
 * for. size: its own size. */
double survivors_variance(uint64_t bytes, uint64_t size);

#endif
