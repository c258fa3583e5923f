/* Computes design effects: how much more, or less, precise a figure is than the same number of independent draws would make it.
 *
 * A thread's samples follow each other at nearly even distances in its CPU time. Work that lasts for many samples is measured exactly,
 * except at its ends. All other work is treated as drawn at random. The samples themselves show how much of the work was long. Let x be
 * 1 if a sample shows the method, else 0. The covariance of x between samples 32 apart is the part of its variance that changes slowly.
 * The covariance at twice that distance shows how slowly. Derivation: docs/internals/sampling-math.md.
 *
 * With clocks by lot, windows are drawn, not samples. A window is all samples of a thread until the next draw. The similarity of the
 * samples of a window decides how much information a figure has: at most as much as their number, and at least as much as the number of
 * windows (windows.h). */
#ifndef CANDOR_PROFILE_FIGURES_SUCCESSIVE_H
#define CANDOR_PROFILE_FIGURES_SUCCESSIVE_H

#include "profile/figures/windows.h"
#include "profile/profile.h"

enum successive_by { SUCCESSIVE_UNKNOWN, SUCCESSIVE_BY_THREAD, SUCCESSIVE_BY_TIME, SUCCESSIVE_BY_WINDOW };

/* The samples in sequence. If each thread had its own clock, the samples of each thread are separate, and sorted by time. If one clock
 * served all threads, all samples are sorted by time. Successive samples form a run. If the order is unknown, each sample is a run. By
 * window: the samples of a window are a run, and each other sample is a run. */
struct successive_order {
    const struct profile *profile;
    uint32_t *samples; /* indices of the samples */
    uint32_t count;
    enum successive_by by;
};

/* Determines the order. Returns 0 or -ENOMEM. The caller may remove samples from the order before it uses it. */
int successive_order_init(struct successive_order *o, const struct profile *p);
void successive_order_deinit(struct successive_order *o);

/* How many pieces of each kind an order has: pairs and triples of samples of one run that are 32 apart, ends of runs, and singles. A single
 * is a run of one sample, which has no ends. */
struct successive_whole {
    uint32_t samples, pairs, triples, ends, singles;
    bool unknown;                /* the sequence is unknown, and all samples count as independent draws */
    bool by_window;              /* runs are windows of clocks by lot, */
    struct window_whole windows; /* and these are the sums over them */
};
struct successive_whole successive_whole(const struct successive_order *o);

/* The counts of one figure: how often x differs between neighbors, and how often between a sample and the one after its neighbor; and
 * the number of ends and singles with x = 1. */
struct successive {
    uint32_t next, next_but_one, ends, singles;
    struct window_sums windows; /* if runs are windows, only this is used */
};

struct successive_pair {
    struct successive self, total;
};

/* Counts for all rows at once. row_of[node]: the row of a node of the trie, as an index in pairs, plus 1; 0 = no row, as for the root.
 * pairs has row_count elements, which are 0 initially. Returns 0 or -ENOMEM. O(samples + the number of nodes in which the stacks of
 * neighbors differ). */
int successive_count(const struct successive_order *o, const uint32_t *row_of, struct successive_pair *pairs, uint32_t row_count);
/* Counts for one figure. shows[i] is x of the order's sample i. */
struct successive successive_count_one(const struct successive_order *o, const bool *shows);
/* Returns the counts for a figure that all samples of a single run of this length show, and no sample of another run. */
struct successive successive_of_run(uint32_t samples);
/* Counts for all threads, if the order is by window. of_thread[i] is for the profile's thread i, and 0 initially. Returns 0 or -ENOMEM. */
int successive_count_threads(const struct successive_order *o, struct successive *of_thread);

/* Adds the counts of one thread to those of others, for the figure that the samples of any of them show. */
void successive_add(struct successive *to, const struct successive *of);

/* Returns the design effect (Kish) of a figure that k samples show: its variance as a multiple of the variance of independent draws. It
 * is never above 1, except by window (window_effect). It is 1 if it is unknown. */
double successive_effect(struct successive s, uint32_t k, const struct successive_whole *whole);

#endif
