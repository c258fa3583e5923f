/* How much surer, or less sure, a figure is than as many independent draws would make it.
 *
 * A thread's samples follow each other at nearly even distances of its CPU time. What lasts for many of them is then measured up
 * to its ends; what comes and goes between two of them is drawn by lot. Which it was, the samples show themselves: with x = 1 where
 * one shows the method, else 0, a part `slow` of its variance is correlated from sample to sample, by rho, and the rest is not.
 * Derivation: docs/internals/sampling-math.md. */
#ifndef CANDOR_PROFILE_SUCCESSIVE_H
#define CANDOR_PROFILE_SUCCESSIVE_H

#include "profile/profile.h"

/* How often x differs from one sample to the next, and to the next but one. */
struct successive {
    uint32_t next, next_but_one;
};

struct successive_pair {
    struct successive self, total;
};

/* The samples' indices: each thread's by itself, by time, where each had a clock of its own, else all by time. Owned by the
 * caller; NULL when out of memory. */
uint32_t *successive_order(const struct profile *p);

/* row_of[node]: which of the pairs a node of the trie belongs to, + 1; 0 = to none, as the root. pairs has row_count elements, and
 * they start at 0. order: successive_order. 0 or -ENOMEM. O(samples + what the stacks of neighbours differ in). */
int successive_count(const struct profile *p, const uint32_t *order, const uint32_t *row_of, struct successive_pair *pairs,
                     uint32_t row_count);

/* Of samples of which all that show it follow each other. */
extern const struct successive successive_run;

/* The design effect (Kish) of a figure that k of n samples show: its variance as a multiple of that of independent draws. Never
 * above 1; 1 where it cannot be told. */
double successive_effect(struct successive differences, uint32_t k, uint32_t n);

#endif
