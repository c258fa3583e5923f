/* The values that a rule can use: a table with a row for each `value = NAME`, and a function that measures it in one window.
 *
 * To add a source: write a function of type alert_measure, and add its row in sources.c. A source that needs samples gets them from
 * samples_get, which shares them among rules about the same recordings. */
#ifndef CANDOR_SERVER_ALERTS_SOURCES_H
#define CANDOR_SERVER_ALERTS_SOURCES_H

#include "server/alerts/rules.h"
#include "server/alerts/samples.h"

/* A value with its 95 % interval. */
struct alert_figure {
    double value, low, high;
    bool known;                      /* otherwise there are no data, or none of the baseline */
    uint64_t samples;                /* samples in the window */
    struct missing missing;          /* data that the figure lacks, of the window and of the baseline */
    char method[ALERT_NAME_MAX * 4]; /* for `change`: the method that grew, cut if it is longer; "" = none */
};

/* The window in which a source measures. */
struct alert_window {
    const struct alert_rule *rule;
    const char *value; /* of the label that the rule has as `each`; NULL = the rule has none */
    int64_t from, to;  /* seconds since the epoch */
};

/* Measures. Sets value, low, high, known, samples and missing. Returns 0 or a code with a message in e. */
typedef int alert_measure(struct alert_samples *samples, const struct alert_window *w, struct alert_figure *out, struct error *e);

enum alert_methods { ALERT_METHODS_NONE, ALERT_METHODS_SOME, ALERT_METHODS_NEEDED };

struct alert_source {
    const char *name;           /* value = NAME */
    const char *title;          /* for people */
    bool share;                 /* its values are shares of the whole, from 0 to 1 */
    enum alert_methods methods; /* whether a rule may have, or needs, a pattern of methods */
    alert_measure *measure;
    bool compares; /* it compares with the baseline itself: its values are no ratios */
};

/* Returns the source of that name, or NULL. sources_names writes the names for messages, those of key metrics
 * in short, and returns out. */
const struct alert_source *sources_named(const char *name);
char *sources_names(char *out, size_t size);
/* Checks that the rule's type suits its source. Returns 0, or -EINVAL with a message in e. */
int sources_check(const struct alert_rule *rule, struct error *e);

/* Measures the rule's value in the window that ends at `to`, and divides it by the baseline, if the rule has one. If the baseline is
 * several windows, it is their mean, and its interval is that in which one more such window would be. Returns 0 or a code with a message in
 * e. */
int sources_evaluate(struct alert_samples *samples, const struct alert_rule *rule, const char *value, int64_t to, struct alert_figure *out,
                     struct error *e);
/* Returns now / before, with the interval that follows from both. If either is zero, the interval is the widest that their bounds
 * allow. */
struct alert_figure sources_ratio(const struct alert_figure *now, const struct alert_figure *before);
/* Whether the rule's values are shares of the whole, and not ratios or amounts. */
bool sources_is_share(const struct alert_rule *rule);

/* For sources.c, in sources/methods.c and sources/change.c. */
alert_measure self_measure, total_measure, change_measure;

#endif
