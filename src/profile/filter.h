/* Selects samples of a profile. A filter drops whole samples, never frames. The dropped weight is added up, so that
 *
 *     weight + filtered_weight = the weight before, exactly                 (the same holds for `sampled` and `filtered`)
 *
 * Shares then refer to the remaining samples. The books still describe the whole recording.
 *
 * A filter by properties of samples (anything but time and thread) sets the profile's `thinned`. Its intervals are then computed as if
 * the samples were independent draws. */
#ifndef CANDOR_PROFILE_FILTER_H
#define CANDOR_PROFILE_FILTER_H

#include "profile/profile.h"
#include "regex/regex.h"

/* A regular expression. The filter's member says whether a text must contain a match, or must not. */
struct filter_pattern {
    struct regex *regex; /* NULL = there is no such condition */
};

/* A label's key, and a pattern for the label's value. */
struct filter_label {
    char *key; /* NULL = there is no such condition */
    struct filter_pattern value;
};

struct filter {
    int64_t from_ns, to_ns; /* since the epoch; to_ns is excluded; INT64_MIN, INT64_MAX = open. Samples without a time are outside */
    bool timed;
    struct filter_pattern thread;               /* the thread's name */
    struct filter_pattern method, not_method;   /* some frame's name matches; no frame's name matches */
    struct filter_pattern package, not_package; /* the same for packages, and for native code's libraries */
    struct filter_label label, not_label;       /* the sample has such a label; the sample has no such label */
    uint32_t states;                            /* bits by enum jfr_thread_state; 0 = all states */
    uint32_t types;                             /* bits by the type of the innermost frame; 0 = all types */
};

/* The caller compiles patterns (filter_compile) and frees them (filter_deinit). */
int filter_compile(struct filter_pattern *pattern, const char *text, struct error *e); /* returns 0, or a negative code with e */
/* Compiles "KEY=REGEX". Returns 0, or a negative code and the reason in e. */
int filter_compile_label(struct filter_label *label, const char *text, struct error *e);
void filter_pattern_free(struct filter_pattern *pattern);
void filter_deinit(struct filter *f);
/* Whether the filter has any condition. */
bool filter_is_set(const struct filter *f);

/* Reads a range of time in the syntax of base/text/time_range.h, relative to the profile's start and end. Returns 0 or -EINVAL. */
int filter_time(struct filter *f, const char *range, const struct profile *p);

/* Drops the samples that do not match. Returns 0 or -ENOMEM. */
int filter_apply(const struct filter *f, struct profile *p);

/* The samples of a profile, kept aside so that they can be changed or left out for a while. */
struct filter_kept {
    struct profile_sample *samples; /* NULL = none are kept */
    uint32_t count, cap, sampled;
    uint64_t weight;
    bool thinned;
};

/* Gives the profile a copy of its samples, and keeps the others. Returns 0 or -ENOMEM. */
int filter_keep(struct filter_kept *k, struct profile *p);
/* Gives the profile the samples and their sums that it had before. Does nothing if none are kept. */
void filter_put_back(struct filter_kept *k, struct profile *p);

#endif
