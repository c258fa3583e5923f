/* Which objects keep growing in number: leak candidates, in a profile of the kind PROFILE_LIVE.
 *
 *   leaks_find -> read the rows -> leaks_deinit
 *
 * Objects are grouped by class and site, the innermost method of their allocation's stack that is not the JDK's. The recording
 * is cut into quarters, each with a look at what a collection has left: the last one of old objects in it, if there was one,
 * else the last. The first is for warming up. From each look to the next a group's live bytes must have grown, by those of its
 * sampled objects that were born since and live, against those that lived and have died since. Where live bytes do not grow,
 * each object of both kinds is as likely the one as the other; the chance that their weighted sum comes out at s or above is
 * then at most e^(-s^2 / 2 sum w^2) (Hoeffding). A candidate is a group for which that is at most LEAKS_CHANCE_QUARTER in each
 * quarter, and over the three together so small that any group of the recording has it with a chance of at most LEAKS_CHANCE
 * (docs/internals/sampling-math.md).
 *
 * A candidate may be a cache that is still being filled. And it may be garbage, unless a collection looked at old objects in
 * each quarter. */
#ifndef CANDOR_PROFILE_FIGURES_LEAKS_H
#define CANDOR_PROFILE_FIGURES_LEAKS_H

#include "profile/holders.h"
#include "profile/profile.h"

#define LEAKS_CHANCE_QUARTER 1e-4
#define LEAKS_CHANCE         1e-6

enum { LEAKS_QUARTERS = 4 };

struct leak {
    uint32_t class_name, site;                /* string ids; site 0 = no stack tells */
    uint32_t stack;                           /* of the object that stands for most; the profile's */
    uint32_t objects;                         /* sampled ones that are alive */
    uint64_t bytes;                           /* that these stand for */
    double error;                             /* the standard error of that */
    double growth, growth_error;              /* bytes, from the first quarter's look to the last */
    double per_hour;                          /* that, in an hour */
    double share_per_quarter[LEAKS_QUARTERS]; /* live bytes at each quarter's look, of those at the last */
    double chance;                            /* at most, that this came by itself; of one group */
    uint64_t age_ns;                          /* mean, by weight */
    struct holders holders;                   /* of its objects, where the recording tells */
};

/* Whether objects that count as alive may be garbage. */
enum leaks_proof { LEAKS_PROVED, LEAKS_NO_OLD_COLLECTION, LEAKS_OLD_UNKNOWN };

struct leaks {
    struct leak *rows; /* the candidates, the likeliest first: by the growth that is sure, and by age */
    uint32_t count, cap;
    uint32_t groups;   /* that were looked at */
    uint32_t looks;    /* at what collections had left */
    bool is_too_short; /* too few looks for four quarters, so there are no candidates */
    enum leaks_proof proof;
    int64_t ends_ns[LEAKS_QUARTERS]; /* of the looks, since the epoch */
    struct holders holders;          /* of all objects that are alive, also where it is too short */
};

/* By how many bytes the used heap grows in an hour: the slope of a line through the used bytes after collections of old objects, or
 * after all collections if there were fewer than three of these. 0 = unknown. */
double leaks_heap_per_hour(const struct profile *p);

int leaks_find(struct leaks *l, const struct profile *p); /* 0 or -ENOMEM; there is something to deinit in both cases */
void leaks_deinit(struct leaks *l);

#endif
