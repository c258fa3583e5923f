/* Computes self and total for each method, line and thread, with 95 % intervals. docs/internals/sampling-math.md describes the
 * estimator.
 *
 * `self` is the weight of the samples with the method at the leaf. `total` is the weight of the samples with the method anywhere in the
 * stack; a recursive method counts once for each sample. Shares refer to the weight of all samples, including those without a stack. */
#ifndef CANDOR_PROFILE_FIGURES_STATS_H
#define CANDOR_PROFILE_FIGURES_STATS_H

#include "base/map.h"
#include "profile/figures/successive.h"
#include "profile/profile.h"

struct interval {
    double low, high;
};

/* Returns Wilson's 95 % interval for a share in n (effective) samples; [0, 1] if n is 0. A share beyond [0, 1] counts as the nearest of its
 * ends. */
struct interval stats_wilson(double share, double n);
/* Returns Wilson's interval for another confidence: z standard deviations to each side. */
struct interval stats_wilson_at(double share, double n, double z);
/* Returns Kish's effective sample size, (sum w)^2 / sum w^2; 0 without weight. n samples of one weight w add n w^2 to the sum of
 * squares. */
double stats_effective_size(double sum, double sum_of_squares);
/* Returns the effective size of the profile's samples. All intervals are based on it, wherever they are shown. */
double stats_effective_samples(const struct profile *p);

/* Returns the share of the weight whose innermost frame outside the kernel is approximate: its line and its inlined method may be wrong.
 * 0 without weight. */
double stats_approximate_share(const struct profile *p);

struct stats_figure {
    uint64_t weight;
    uint32_t samples;
    double share;
    double effect;            /* its variance, as a multiple of the variance of independent draws (successive.h) */
    struct interval interval; /* the interval of the share */
};

struct stats_row {
    uint32_t label; /* string id; for a thread the thread's id, for a frame type the type */
    int32_t line;   /* for rows of lines; 0 = unknown */
    struct stats_figure self, total;
    uint64_t by_type[PROFILE_TYPES]; /* the weight of total, by the type of the innermost frame of each sample */
};

/* Returns the frame type with most of the weight. */
uint8_t stats_type(const struct stats_row *row);

struct stats_table {
    struct stats_row *rows; /* largest self first, then largest total, then by label */
    uint32_t count, cap;
};

/* The samples with this innermost method of the program's own code, and this innermost method of all. */
struct stats_own_pair {
    uint32_t own, leaf; /* labels, string ids; leaf 0: the stack has no frames */
    uint64_t weight;
};

/* How the samples of a thread follow each other. */
struct stats_run {
    struct successive counts;
    bool is_known; /* false: the samples are independent draws */
};

struct stats {
    uint64_t weight;
    uint32_t samples;
    double effective;                            /* the sample size by the weights; a figure's effect makes it smaller or larger */
    struct stats_table methods, lines, threads;  /* for threads only `self` is valid */
    struct successive_whole whole;               /* of the samples, and by thread the counts, from which effects of threads are */
    struct stats_run *runs;                      /* computed; by the threads' ids */
    struct stats_table classes, packages, types; /* set by stats_compute_groups; the class and the package of native code are its library */
    struct stats_table own;                      /* set by stats_compute_own: by the program's own code; only `self` is valid */
    struct stats_own_pair *own_pairs;            /* largest first */
    uint32_t own_pair_count, own_pair_cap;
    struct stats_table labels; /* set by stats_compute_label: a row's label is the value, 0 for samples without one; only `self` is valid */
};

/* Computes the tables of methods, lines and threads. Returns 0 or -ENOMEM. */
int stats_compute(struct stats *s, const struct profile *p);
/* Does the same for a caller that already has the order. */
int stats_compute_ordered(struct stats *s, const struct successive_order *order);
/* Computes the tables that group methods. Call it after stats_compute. Returns 0 or -ENOMEM. */
int stats_compute_groups(struct stats *s, const struct successive_order *order);
/* Computes the table by the value of the label with that key. Call it after stats_compute. If a sample has several values, the last one
 * counts. Returns 0 or -ENOMEM. */
int stats_compute_label(struct stats *s, const struct successive_order *order, const char *key);
/* Computes the table by the program's own code: a row stands for the samples whose innermost own method has this label, whatever that
 * method called; label 0 = no own method is on the stack. Own methods are neither the JDK's nor a known library's. Call it after
 * stats_compute. Returns 0 or -ENOMEM. */
int stats_compute_own(struct stats *s, const struct successive_order *order);
/* Returns the pair with most of the weight of an own method, or of an innermost method; NULL = there is none. */
const struct stats_own_pair *stats_own_callee(const struct stats *s, uint32_t own);
const struct stats_own_pair *stats_own_caller(const struct stats *s, uint32_t leaf);
/* Adds a thread's figure to that of others, of which `together` has the sum of the counts; it begins as {.is_known = true}. Sets the effect
 * of all of them together. */
void stats_add_thread(const struct stats *s, const struct stats_row *thread, struct stats_run *together, struct stats_figure *to);
/* Adds a sample to `self` of the row with this label, and adds the row if it is new. rows: label -> row. Returns 0 or -ENOMEM. */
int stats_add_self(struct stats_table *t, struct map *rows, uint32_t label, const struct profile_sample *s);
/* Sets the share and the interval of a figure, or of a table's figures, whose sums and effects are known. */
void stats_finish_figure(struct stats_figure *f, const struct stats *s);
void stats_finish(struct stats_table *t, const struct stats *s);
void stats_deinit(struct stats *s);

enum stats_order { STATS_BY_SELF, STATS_BY_TOTAL };
void stats_sort(struct stats_table *table, const struct profile *p, enum stats_order order);

#endif
