/* Compares a recording with the true values. */
#ifndef CANDOR_VERIFY_JUDGE_H
#define CANDOR_VERIFY_JUDGE_H

#include "profile/figures/stats.h"
#include "profile/profile.h"
#include "verify/truth.h"

struct judgement_part {
    const struct truth_part *part;
    double truth, share;      /* of the round's CPU time */
    struct interval interval; /* the statistical interval, widened by the hidden time, which may belong to any part */
    double off;               /* distance of the true value from the interval; 0 = inside */
};

struct judgement {
    struct truth truth;
    struct judgement_part parts[TRUTH_PARTS_MAX];
    uint32_t samples;   /* of the round's threads */
    double effective;   /* their number by their weights */
    uint64_t cpu_ns;    /* their weight; 0 if they have no weight in time */
    uint64_t cpu_error; /* by how much that may be off by chance, five standard deviations */
    uint64_t hidden_ns; /* what of the round's CPU time the books know to be the kernel's, and unseen */
};

/* What a truth may be off beyond the interval before we call the profiler wrong, in shares: what a piece of a program costs to
 * measure, and edges of methods that debug information places by an instruction. */
extern const double JUDGE_TOLERANCE;
/* The same for the sum of all. */
extern const double JUDGE_CPU_TOLERANCE;

/* 0 or -ENOMEM. p's samples are those of the round and of others. */
int judge(struct judgement *j, const struct truth *truth, const struct profile *p);

/* How intervals fare over many rounds. */
struct judge_pool {
    uint32_t rounds;
    uint32_t intervals, held;        /* of all parts that are more than nothing; those that contain the truth */
    double widths[TRUTH_PARTS_MAX];  /* by part: the sums of their widths, */
    double errors[TRUTH_PARTS_MAX];  /* of the shares' errors, */
    double squares[TRUTH_PARTS_MAX]; /* and of these errors' squares */
};

void judge_pool_add(struct judge_pool *pool, const struct judgement *j);
/* How wide the intervals are on average over the parts, as a multiple of the width that the spread of the errors calls for; 0 =
 * unknown. */
double judge_pool_width(const struct judge_pool *pool);

/* The part with the largest error. */
const struct judgement_part *judge_worst(const struct judgement *j);
/* The error of the sum of all weights, as a share, beyond chance and tolerance; 0 = the sum is right. */
double judge_cpu_off(const struct judgement *j);

#endif
