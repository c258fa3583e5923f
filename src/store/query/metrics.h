/* The key metrics (base/agreed/key_metrics.h) of JVMs by minute, for queries.
 *
 * A JVM is a set of labels: the store does not know more of it. Recordings with the same labels that follow each other are one JVM, and so
 * are those of two JVMs with the same labels, whose amounts are added up. */
#ifndef CANDOR_STORE_QUERY_METRICS_H
#define CANDOR_STORE_QUERY_METRICS_H

#include "base/agreed/key_metrics.h"
#include "base/strtab.h"
#include "store/store.h"

/* The values of all recordings of a JVM in one minute. */
struct store_minute {
    uint64_t labelset;
    uint32_t value;      /* the values of the labels to split by, as a string id */
    int64_t minute;      /* minutes since the epoch */
    uint64_t recording;  /* the one that covers most of the minute */
    uint64_t covered_ns; /* the sum of the times that the recordings cover; more than a minute if they overlap */
    uint64_t known;      /* bits 1 << enum key_metric */
    struct store_amount {
        double amount;     /* a sum, or the largest (KEY_SORT_LONGEST); of KEY_SORT_LEVEL a sum of values times the time covered, in ns */
        double covered_ns; /* that of the recordings which have the metric */
    } of[KEY_METRICS];     /* of metrics that are not known: undefined */
};

/* The time that an amount stands for: at most a minute, because recordings that overlap are of JVMs beside each other. */
double store_minute_time(const struct store_minute *m, enum key_metric metric);
/* The amount of which the metric is a share: the time covered, or the amount of another metric. 0 = it is not known. */
double store_minute_base(const struct store_minute *m, enum key_metric metric);
/* Computes a metric's value in its unit. Returns false if it is not known. */
bool store_minute_value(const struct store_minute *m, enum key_metric metric, double *value);

typedef int store_visit_minute(void *context, const struct store_minute *m);

struct store_metrics {
    struct strtab values; /* of the labels to split by; 0 = none */
    uint64_t unmeasured;  /* recordings of the selected time and labels without any key metric */
};

/* Visits the minutes that overlap [q->from, q->to), hour by hour, and within an hour JVM by JVM. wanted: bits 1 << enum key_metric; metrics
 * of which these are a share are added to them. by: as in store_series. If the visitor returns a value other than 0, the function returns
 * it. Otherwise it returns 0 or a code. Call store_metrics_deinit in each case. */
int store_metrics(struct store *s, const struct store_query *q, uint64_t wanted, const char *by, store_visit_minute *visit, void *context,
                  struct store_metrics *out, struct error *e);
void store_metrics_deinit(struct store_metrics *m);

#endif
