/* Sums up all selected samples of each type by labels, in one pass: those of recordings and those of samples. No stack is looked at, so it
 * reads only some columns of the segments.
 *
 *   store_label_sums -> read the list -> store_label_sums_deinit (after a failure, too)
 *
 * The sums are exact. */
#ifndef CANDOR_STORE_QUERY_LABEL_SUMS_H
#define CANDOR_STORE_QUERY_LABEL_SUMS_H

#include "store/store.h"

struct store_label_sum {
    uint32_t type, value; /* places in `types` and `values` */
    uint64_t weight, samples;
    double squares; /* the sum of weight^2 / count: stats_effective_size needs it */
};

struct store_label_sums {
    struct strtab types;
    struct strtab values;         /* of the labels of `by`, with STORE_BY_SEPARATOR between them; place 0 = no value */
    struct store_label_sum *list; /* in no order */
    uint32_t count, cap;
};

/* by: as in store_series. q->type: NULL = each type. Returns 0 or a code with a message in e; -ERANGE if a sum is larger than 2^62. */
int store_label_sums(struct store *s, const struct store_query *q, const char *by, struct store_label_sums *out, struct store_result *r,
                     struct error *e);
void store_label_sums_deinit(struct store_label_sums *sums);

/* Visits the labels of samples that the selected time and recordings have: each name and value once for each dictionary, whether or not the
 * samples that have it are within the time. */
typedef int store_visit_label(void *context, const char *name, const char *value);
int store_sample_labels(struct store *s, const struct store_query *q, store_visit_label *visit, void *context, struct error *e);

#endif
