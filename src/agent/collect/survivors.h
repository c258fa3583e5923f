/* Which of the sampled objects are watched, when there are more of them than may be: a bounded set from which every object that is
 * still alive can be estimated without bias, however many have been displaced, and died, meanwhile.
 *
 *   survivors_init -> [ survivors_add | survivors_part ]* -> survivors_deinit
 *
 * Each object has a priority for life: the bytes it stands for, its span, divided by a number drawn from (0, 1]. Where the set
 * is full the lowest priority goes, be it a new one's. What an object has had to outdo, to be still there, is its threshold: the
 * highest priority that has gone since it came. It would have been there just as well with any priority above that, which it has with
 * the chance min(1, span/threshold); so it stands for max(span, threshold) bytes, and the sum of these, of any part of the set,
 * is right on average (docs/internals/sampling-math.md).
 *
 * A heap by priority; thresholds are kept as a short list of what has gone, by when. Plain arithmetic; one owner. */
#ifndef CANDOR_AGENT_COLLECT_SURVIVORS_H
#define CANDOR_AGENT_COLLECT_SURVIVORS_H

#include <stdbool.h>
#include <stdint.h>

enum { SURVIVORS_GONE_MAX = 64 };

struct survivor {
    uint64_t span;                  /* bytes it was sampled for */
    uint64_t size;                  /* of the object */
    double priority, threshold;     /* threshold: as of the last time that all were brought up to date */
    uint64_t arrival;               /* 1, 2, ... in the order in which they came */
    void *object;                   /* the caller's, to know it by */
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
/* Takes out those for which is_alive[i] is false, by the order of `held`. They stand behind the others until one is added. Returns how
 * many they are. */
uint32_t survivors_part(struct survivors *s, const bool *is_alive);

/* The bytes that one stands for, whether it is held or was taken out just now. */
uint64_t survivors_bytes(const struct survivors *s, const struct survivor *one);
/* An unbiased estimate of what that contributes to the variance of a sum of such bytes. */
double survivors_variance(uint64_t bytes, uint64_t size);

#endif
