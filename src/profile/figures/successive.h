/* How much more, or less, precise a figure is than the same number of independent draws would make it.
 *
 * A thread's samples follow each other at nearly even distances in its CPU time. Work that lasts for very many of them is
 * measured except at its ends; all else is treated as drawn at random. The samples themselves show how much of the work was
 * long. Let x be 1 if a sample shows the method, else 0. The covariance of x between samples 32 apart is the part of its
 * variance that changes slowly. The covariance at twice that distance shows how slowly. Derivation:
 * docs/internals/sampling-math.md.
 *
 * With clocks by lot it is not the samples that are drawn, but windows of them: all samples of a thread until the next draw. How alike
 * the samples of a window are, decides how much a figure tells: as much as their number, or as little as that of the windows. */
#ifndef CANDOR_PROFILE_FIGURES_SUCCESSIVE_H
#define CANDOR_PROFILE_FIGURES_SUCCESSIVE_H

#include "profile/profile.h"

enum successive_by { SUCCESSIVE_UNKNOWN, SUCCESSIVE_BY_THREAD, SUCCESSIVE_BY_TIME, SUCCESSIVE_BY_WINDOW };

/* The samples in sequence: each thread's separately, by time, if each had its own clock; all by time, if one clock served all.
 * Successive samples form a run; if the order is unknown, each sample is one. By window: the samples of a window are a run, and each
 * other sample is one. */
struct successive_order {
    const struct profile *profile;
    uint32_t *samples; /* their indices */
    uint32_t count;
    enum successive_by by;
};

/* 0 or -ENOMEM. The caller may remove samples from the order before it uses it. */
int successive_order_init(struct successive_order *o, const struct profile *p);
void successive_order_deinit(struct successive_order *o);

/* What an order is made of: all pairs and triples of samples of a run that are 32 apart, all ends of runs, and the samples that are a
 * run alone, which has no ends. */
struct successive_whole {
    uint32_t samples, pairs, triples, ends, singles;
    bool unknown;   /* which samples follow each other: all count as independent draws */
    bool by_window; /* runs are windows of clocks by lot, */
    double squares; /* and this is the sum of the squares of their lengths */
};
struct successive_whole successive_whole(const struct successive_order *o);

/* For these: how often x differs between neighbors, and between every other one; the ends and singles that show it. */
struct successive {
    uint32_t next, next_but_one, ends, singles;
    double squares, products; /* by window: with m of its n samples showing it, the sums of m^2, and of mn */
};

struct successive_pair {
    struct successive self, total;
};

/* Counts for all rows at once. row_of[node]: the index in pairs of the row to which a node of the trie belongs, plus 1; 0 = none, as
 * for the root. pairs has row_count elements, which are 0 before. 0 or -ENOMEM. O(samples + what the stacks of neighbors differ in). */
int successive_count(const struct successive_order *o, const uint32_t *row_of, struct successive_pair *pairs, uint32_t row_count);
/* Counts for one figure: shows[i] is of the order's sample i. */
struct successive successive_count_one(const struct successive_order *o, const bool *shows);
/* The counts for a figure that all samples of a single run of this length show, and no sample of another run. */
struct successive successive_of_run(uint32_t samples);
/* By window: counts for all threads, of_thread[i] is of the profile's thread i, and 0 before. 0 or -ENOMEM. */
int successive_count_threads(const struct successive_order *o, struct successive *of_thread);

/* The design effect (Kish) of a figure that k samples show: its variance as a multiple of that of independent draws. Never above
 * 1, and by window never below; 1 if it is unknown. */
double successive_effect(struct successive s, uint32_t k, const struct successive_whole *whole);

#endif
