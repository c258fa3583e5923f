/* Selects samples of a profile. A filter drops whole samples, never frames; the dropped weight is added up, so that
 *
 *     weight + filtered_weight = the weight before, exactly                 (and the same of `sampled` and `filtered`)
 *
 * Shares then refer to the rest. The books stay those of the whole recording.
 *
 * A filter by properties of samples (anything but time and thread) makes the profile `thinned`: its intervals are then those of
 * independent draws. */
#ifndef CANDOR_PROFILE_FILTER_H
#define CANDOR_PROFILE_FILTER_H

#include "profile/profile.h"
#include "regex/regex.h"

/* A regular expression that a text is to have in it, or not. */
struct filter_pattern {
    struct regex *regex; /* NULL = not asked for */
};

/* A label's key, and what its value is to be like. */
struct filter_label {
    char *key; /* NULL = not asked for */
    struct filter_pattern value;
};

struct filter {
    int64_t from_ns, to_ns; /* since the epoch, the end excluded; INT64_MIN, INT64_MAX = open. Samples without a time are outside */
    bool timed;
    struct filter_pattern thread;               /* the thread's name */
    struct filter_pattern method, not_method;   /* some frame's name; no frame's name */
    struct filter_pattern package, not_package; /* the same of packages, and of native code's libraries */
    struct filter_label label, not_label;       /* the sample has such a label; the sample has no such label */
    uint32_t states;                            /* bits by enum jfr_thread_state, 0 = all */
    uint32_t types;                             /* bits by frame type, of the innermost frame; 0 = all */
};

/* The patterns are the caller's to compile (filter_compile) and to free (filter_deinit). */
int filter_compile(struct filter_pattern *pattern, const char *text, struct error *e); /* 0, or a code and why not */
/* "KEY=REGEX"; the same. */
int filter_compile_label(struct filter_label *label, const char *text, struct error *e);
void filter_pattern_free(struct filter_pattern *pattern);
void filter_deinit(struct filter *f);
/* Whether the filter has any condition. */
bool filter_is_set(const struct filter *f);

/* Reads a range of time, as base/text/time_range.h has them, relative to the profile's start and end. 0 or -EINVAL. */
int filter_time(struct filter *f, const char *range, const struct profile *p);

/* 0 or -ENOMEM. */
int filter_apply(const struct filter *f, struct profile *p);

#endif
