/* The samples of windows. Many rules are about the same recordings, so the last few windows are kept: rules in a sorted order read each
 * window once. One thread at a time may use them. */
#ifndef CANDOR_SERVER_ALERTS_SAMPLES_H
#define CANDOR_SERVER_ALERTS_SAMPLES_H

#include "base/buffer.h"
#include "server/alerts/rules.h"
#include "store/store.h"

enum { ALERT_SAMPLES_KEPT = 1 + ALERT_SEASONS_MAX }; /* a window, and those of its baseline */

struct alert_sampled {
    struct buffer key; /* type, time and selector; empty = nothing is here */
    uint64_t used;     /* when it was asked for, by number of the request */
    struct profile profile;
    struct store_result result;
    double effective;            /* Kish's size of the sample */
    struct method_sums *methods; /* what rules about methods need; NULL = none has asked yet */
};

/* What is remembered of patterns of methods, from one window to the next. One thread at a time may use it. In sources/methods.c. */
struct alert_patterns;
struct alert_patterns *patterns_new(void); /* NULL = out of memory */
void patterns_free(struct alert_patterns *p);
/* Forgets everything if it is much, or in any case, which is right when rules have changed. No samples may be kept meanwhile. Returns 0 or
 * -ENOMEM. */
int patterns_tidy(struct alert_patterns *p, bool all);
void method_sums_free(struct method_sums *s);

struct alert_samples {
    struct store *store;
    struct alert_patterns *patterns; /* borrowed */
    bool (*is_gone)(void *client);   /* as in struct store_query */
    void *client;
    uint64_t until_ns; /* likewise */
    struct alert_sampled kept[ALERT_SAMPLES_KEPT];
    uint64_t asked, reads; /* number of requests, and of those that had to read the store */
};

/* Returns the samples of the rule's type in [from, to), of the recordings that the rule selects and whose label `each` has that value.
 * value: NULL = all of them. *out is valid until the next call. Returns 0 or a code with a message in e. */
int samples_get(struct alert_samples *s, const struct alert_rule *rule, const char *value, int64_t from, int64_t to,
                struct alert_sampled **out, struct error *e);
void samples_deinit(struct alert_samples *s);
/* Appends the text of the selector of a rule and a value of its label. */
void samples_put_selector(struct buffer *out, const struct alert_rule *rule, const char *value);
/* Makes the selector of a rule and a value of its label, as samples_get does. Returns 0 or a code with a message in e. Call selector_deinit
 * in both cases. */
int samples_selector(struct selector *out, const struct alert_rule *rule, const char *value, struct error *e);

#endif
