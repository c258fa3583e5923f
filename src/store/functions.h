/* Sums up the samples of some methods over all selected recordings: of each method, in each group of recordings, and over time. The methods
 * are found in the dictionaries, so that no profile is made, and a dictionary without such a method costs nothing more.
 *
 *   store_functions -> read the rows and groups -> store_functions_deinit (after a failure, too)
 *
 * The sums are exact: each row of the segments counts, and nothing is pruned. */
#ifndef CANDOR_STORE_FUNCTIONS_H
#define CANDOR_STORE_FUNCTIONS_H

#include "store/store.h"

/* A method in a dictionary. The texts are valid during the call. */
struct store_function_name {
    const char *label; /* its name for users (profile/names.h) */
    uint32_t label_len;
    const char *class_name, *method; /* class_name is "" for native code */
    uint8_t type;                    /* of the first of its frames, enum jfr_frame_type or PROFILE_TYPE_* */
};

/* Whether the method is the program's own: neither of the JDK, nor of a known framework or driver, nor native. */
bool store_function_is_own(const struct store_function_name *name);

struct store_function_query {
    bool (*matches)(void *context, const struct store_function_name *name); /* is called once for each method of a dictionary */
    void *context;
    const char *by; /* the labels that make a group, as in store_series; NULL = one group */
    int64_t slice;  /* groups are also split by time, in slices of this many seconds from the query's beginning; 0 = not */
    unsigned lead;  /* split by time only groups that are the only one with their values of this many first labels of `by`; 0 = each */
    bool together;  /* there is no row for each method, only for all together */
    bool nearest;   /* `self` counts the samples in which the method is the innermost of those that match; otherwise the innermost of all */
    bool whole;     /* the groups have their sums over all samples; otherwise these are 0 */
};

struct store_figure {
    uint64_t weight, samples;
};

struct store_function {
    uint32_t name;  /* string id; 0 = all matching methods together: a sample counts once */
    uint32_t group; /* place in `groups` */
    struct store_figure self, total;
};

struct store_group {
    uint32_t value; /* place in `values` */
    int64_t slice;
    struct store_figure all; /* all samples of the group */
    double squares;          /* the sum of weight^2 / count over these: stats_effective_size needs it */
    int64_t from, to;        /* the seconds that its recordings cover, within the query's time; only slice 0 has them */
};

struct store_functions {
    struct strtab names;
    struct strtab values; /* of the labels of `by`, with STORE_BY_SEPARATOR between them; place 0 = no value */
    struct store_function *rows;
    uint32_t count, cap; /* in no order */
    struct store_group *groups;
    uint32_t group_count, group_cap;
};

/* Returns 0 or a code with a message in e; -ERANGE if the sums are larger than 2^62, -E2BIG if there are too many rows or
 * groups. */
int store_functions(struct store *s, const struct store_query *q, const struct store_function_query *f, struct store_functions *out,
                    struct store_result *r, struct error *e);
void store_functions_deinit(struct store_functions *f);

#endif
