/*
 * A queue in the race: loops of one producer and one consumer around it, in the same translation unit as the queue, so that there is
 * nothing between the loop and the queue. Elements are the numbers 1, 2, 3, ... times 8; the consumer checks their order.
 */
#ifndef BENCH_CONTENDER_H
#define BENCH_CONTENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SLOTS 65536
#define BATCH 64 /* elements between two checks of the clock and of the end */

/* The data that the two threads share; each line has one writer. */
struct race {
    uint64_t stop __attribute__((aligned(128)));     /* set by the consumer when its time is over */
    uint64_t consumed __attribute__((aligned(128))); /* for producers that reuse their nodes */
};

struct contender {
    const char *name, *group;
    bool is_base; /* the others in its group are compared with it */
    void (*init)(void);
    void (*deinit)(void); /* NULL: nothing to do; otherwise discards the rest */
    void (*produce)(struct race *race);
    void (*consume)(struct race *race);
};

extern const struct contender ours[], ck[], urcu[], boost_contenders[], unpadded[];
extern const size_t ours_count, ck_count, urcu_count, boost_count, unpadded_count;

/* Called by the consumer after each batch or BATCH vain attempts: counts, and looks at the clock sometimes; false: the end. */
bool race_goes_on(struct race *race, uint64_t consumed);
/* Called by the consumer: an element came out of order. */
void race_disorder(const char *name);

static inline void *race_element(uint64_t n)
{
    return (void *)(uintptr_t)(8 * n);
}

static inline bool race_stopped(const struct race *race)
{
    return __atomic_load_n(&race->stop, __ATOMIC_RELAXED) != 0;
}

#ifdef __cplusplus
}
#endif

/* push: adds `element`, and returns true if it did; pop: sets `element`, NULL if there is none. They do not wait. */
#define CONTENDER(name, push, pop)                                                                                                         \
    static void name##_produce(struct race *race)                                                                                          \
    {                                                                                                                                      \
        uint64_t n = 1;                                                                                                                    \
                                                                                                                                           \
        while (!race_stopped(race)) {                                                                                                      \
            for (int i = 0; i < BATCH; i++) {                                                                                              \
                void *element = race_element(n);                                                                                           \
                                                                                                                                           \
                n += (push) ? 1 : 0;                                                                                                       \
            }                                                                                                                              \
        }                                                                                                                                  \
    }                                                                                                                                      \
    static void name##_consume(struct race *race)                                                                                          \
    {                                                                                                                                      \
        uint64_t n = 1;                                                                                                                    \
                                                                                                                                           \
        do {                                                                                                                               \
            for (int i = 0; i < BATCH; i++) {                                                                                              \
                void *element;                                                                                                             \
                                                                                                                                           \
                pop;                                                                                                                       \
                if (!element)                                                                                                              \
                    continue;                                                                                                              \
                if (element != race_element(n))                                                                                            \
                    race_disorder(#name);                                                                                                  \
                n++;                                                                                                                       \
            }                                                                                                                              \
        } while (race_goes_on(race, n - 1));                                                                                               \
    }

#endif
