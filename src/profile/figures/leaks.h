/* Finds leak candidates in a profile of the kind PROFILE_LIVE: groups of objects whose number keeps growing.
 *
 *   leaks_find -> read the rows -> leaks_deinit
 *
 * Objects are grouped by class and site. The site is the innermost method of the allocation's stack that does not belong to the JDK. The
 * recording is cut into quarters. In each quarter one look counts, that is, one set of live objects after a collection: the last look
 * after a collection of old objects or, without such a collection, the last look. The first quarter is for warming up. From each look to
 * the next, a group's live bytes must have grown. The growth is the bytes of sampled objects that were allocated since and are alive,
 * minus the bytes of those that were alive and have died since. If live bytes do not grow, each object is as likely of one sort as of
 * the other. The chance that their weighted sum is s or more is then at most e^(-s^2 / 2 sum w^2) (Hoeffding). A group is a candidate if
 * this chance is at most LEAKS_CHANCE_QUARTER in each quarter. In addition, the chance over all three quarters must be so small that any
 * group of the recording reaches it with a chance of at most LEAKS_CHANCE (docs/internals/sampling-math.md).
 *
 * A candidate may be a cache that is still being filled. It may also be garbage, unless each quarter has a look after a collection of
 * old objects. */
#ifndef CANDOR_PROFILE_FIGURES_LEAKS_H
#define CANDOR_PROFILE_FIGURES_LEAKS_H

#include "profile/holders.h"
#include "profile/profile.h"

#define LEAKS_CHANCE_QUARTER 1e-4
#define LEAKS_CHANCE         1e-6

enum { LEAKS_QUARTERS = 4 };

struct leak {
    uint32_t class_name, site;                /* string ids; site 0 = there is no stack */
    uint32_t stack;                           /* the stack, in the profile, of the object that represents most bytes */
    uint32_t objects;                         /* number of sampled objects that are alive */
    uint64_t bytes;                           /* live bytes that these objects represent */
    double error;                             /* the standard error of `bytes` */
    double growth, growth_error;              /* bytes, from the first quarter's look to the last */
    double per_hour;                          /* `growth` in bytes per hour */
    double share_per_quarter[LEAKS_QUARTERS]; /* live bytes at each quarter's look, as a share of those at the last look */
    double chance;                            /* an upper limit for the chance that this group grew by accident */
    uint64_t age_ns;                          /* mean age of the objects, by weight */
    struct holders holders;                   /* the holders of its objects, if the recording has them */
};

/* Whether objects that count as alive may be garbage. */
enum leaks_proof { LEAKS_PROVED, LEAKS_NO_OLD_COLLECTION, LEAKS_OLD_UNKNOWN };

struct leaks {
    struct leak *rows; /* the candidates; the likeliest is the first, by certain growth and by age */
    uint32_t count, cap;
    uint32_t groups;   /* number of groups that were tested */
    uint32_t looks;    /* number of looks after collections */
    bool is_too_short; /* there are too few looks for four quarters, and therefore no candidates */
    enum leaks_proof proof;
    int64_t ends_ns[LEAKS_QUARTERS]; /* the times of the quarters' looks, since the epoch */
    struct holders holders;          /* the holders of all live objects, also if is_too_short */
};

/* Returns the growth of the used heap in bytes per hour: the slope of a line through the used bytes after collections of old objects, or
 * after all collections if there are fewer than three of old objects. 0 = unknown. */
double leaks_heap_per_hour(const struct profile *p);

int leaks_find(struct leaks *l, const struct profile *p); /* returns 0 or -ENOMEM; call leaks_deinit in both cases */
void leaks_deinit(struct leaks *l);

#endif
