/* The event wall's virtual threads without a carrier. Their time is counted exactly (hot/calls/unmounts.h), and a round samples a few of
 * those that were drawn when they left their carriers and are still away. The stack is the one with which they left.
 *
 * A round draws from these in proportion to 1 / the probability with which each was drawn before, with replacement. So each sample stands
 * for the same time: all samples of a round together weigh the time that all virtual threads have spent without a carrier since the last
 * round that found one. At most UNMOUNTED_WATCHED drawn threads are kept: if they have no room, and three quarters of that many are still
 * away, half of them are dropped at random, and fewer are drawn from then on. So a million of them cost no more than a thousand.
 *
 *   unmounted_reserve -> unmounted_start -> [ unmounted_drain, unmounted_close_thread, unmounted_round ]* -> unmounted_stop
 *                     -> unmounted_release
 *
 * This is separate from wall.c because these threads have no slot, no tid and no CPU clock. Only the collector uses this file. */
#ifndef CANDOR_AGENT_COLLECT_WALL_UNMOUNTED_H
#define CANDOR_AGENT_COLLECT_WALL_UNMOUNTED_H

#include "agent/hot/thread/thread.h"
#include "base/agreed/reasons.h"
#include "jfr/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UNMOUNTED_WATCHED = 1024, UNMOUNTED_LOOKS = 16 };

/* A virtual thread that was drawn. `words`: frames, leaf first, then its id and name, then its context, as in hot/record.h. */
struct unmounted_thread {
    uint64_t id, since;
    double probability;
    enum jfr_thread_state state;
    enum outcome outcome;
    uint32_t frames, virtual_words, context_words;
    uint64_t *words;
};

struct unmounted_books {
    uint64_t now;      /* virtual threads without a carrier, as of the last round */
    int64_t ns;        /* the time of all of them, up to the last round */
    int64_t unwatched; /* the part of it for which no sample was taken yet */
    uint64_t left;     /* how often a thread has left its carrier */
    uint64_t watched;  /* how many of those were drawn, and could be read */
    uint64_t lost;     /* drawn ones for which there was no room */
    uint64_t refused;  /* threads that were not counted */
};

/* Returns 0 or -ENOMEM. */
int unmounted_reserve(void);
void unmounted_start(uint64_t now_ns);
void unmounted_stop(void);
void unmounted_release(void);
/* Whether the JVM reports such threads. */
bool unmounted_is_seen(void);

void unmounted_drain(const struct sampled_thread *t, bool shrink);
void unmounted_close_thread(const struct sampled_thread *t);
/* Calls take for each sampled thread, with the ns that the sample stands for. Returns the number of calls. */
uint32_t unmounted_round(uint64_t now_ns, void (*take)(const struct unmounted_thread *t, uint64_t ns));
struct unmounted_books unmounted_books(void);

#endif
