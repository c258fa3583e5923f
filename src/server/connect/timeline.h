/* What calls for series and for heat maps share: the steps of time, and the labels to split by. */
#ifndef CANDOR_SERVER_CONNECT_TIMELINE_H
#define CANDOR_SERVER_CONNECT_TIMELINE_H

#include "server/connect/call.h"

/* Checks step, group_by and limit. Returns 0, or -EINVAL with a message in c->error. */
int timeline_check(struct call *c);
/* Writes the labels to split by for the store, as a text that ends with a zero byte. Returns 0 or -EINVAL. */
int timeline_by(struct call *c, struct buffer *by);
/* Widens the time to whole steps, which stand at multiples of the step since the epoch. *step: in whole seconds. Returns 0 or -EINVAL. */
int timeline_range(struct call *c, struct store_query *q, int64_t *step);
/* Returns the time at which the k-th step ends; its point stands there. */
int64_t timeline_end_ms(const struct store_query *q, int64_t step, int64_t k);
/* Writes the labels of a series. values: those that the store returned for timeline_by. */
void timeline_put_labels(struct call *c, const char *values);

#endif
