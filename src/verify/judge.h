/* Compares a recording with the true values. */
#ifndef CANDOR_VERIFY_JUDGE_H
#define CANDOR_VERIFY_JUDGE_H

#include "profile/figures/stats.h"
#include "profile/profile.h"
#include "verify/truth.h"

struct judgement_part {
    const struct truth_part *part;
    double truth, share;      /* as shares of the round's CPU time */
    struct interval interval; /* the statistical interval, widened by the hidden time, which may belong to any part */
    double off;               /* distance of the true value from the interval; 0 = inside */
};

struct judgement {
    struct truth truth;
    struct judgement_part parts[TRUTH_PARTS_MAX];
    uint32_t samples;   /* samples of the round's threads */
    double effective;   /* effective number of these samples, by their weights */
    uint64_t cpu_ns;    /* the samples' weight; 0 if the weight is not a time */
    uint64_t cpu_error; /* largest error of cpu_ns by chance, five standard deviations */
    uint64_t hidden_ns; /* kernel time of the round that is unseen according to the books */
};

/* The tolerance, in shares: the distance between a true value and the interval up to which the profiler is not called wrong. It covers
 * the time for measuring a piece of a program, and edges of methods, which debug information places with the precision of an
 * instruction. */
extern const double JUDGE_TOLERANCE;
/* The tolerance for the sum of all weights. */
extern const double JUDGE_CPU_TOLERANCE;

/* Judges a round. p has the samples of this round and of others. Returns 0 or -ENOMEM. */
int judge(struct judgement *j, const struct truth *truth, const struct profile *p);

/* The quality of the intervals over many rounds. */
struct judge_pool {
    uint32_t rounds;
    uint32_t intervals, held;        /* number of intervals of parts with a CPU time, and of those that contain the truth */
    double widths[TRUTH_PARTS_MAX];  /* by part: the sums of the intervals' widths, */
    double errors[TRUTH_PARTS_MAX];  /* of the errors of the shares, */
    double squares[TRUTH_PARTS_MAX]; /* and of these errors' squares */
};

void judge_pool_add(struct judge_pool *pool, const struct judgement *j);
/* Returns the mean width of the intervals over the parts, as a multiple of the width that corresponds to the spread of the errors; 0 =
 * unknown. */
double judge_pool_width(const struct judge_pool *pool);

/* Returns the part with the largest error. */
const struct judgement_part *judge_worst(const struct judgement *j);
/* Returns the error of the sum of all weights, as a share, beyond chance and tolerance; 0 = the sum is right. */
double judge_cpu_off(const struct judgement *j);

#endif
