/* Answers with key metrics over time; and what all answers about key metrics share. */
#ifndef CANDOR_SERVER_METRICS_KEY_METRICS_H
#define CANDOR_SERVER_METRICS_KEY_METRICS_H

#include "base/agreed/key_metrics.h"
#include "server/request/http.h"

void key_metrics_answer(struct http *h);

/* Reads a comma-separated list of names of metrics from a parameter. Without the parameter, the set is `otherwise`. Returns 0, or a code if
 * it has already answered with an error. */
int key_metrics_asked(struct http *h, const char *parameter, uint64_t otherwise, uint64_t *metrics);
/* Writes the names of all metrics: "cpu, cpu_queue, ...". Returns out. */
char *key_metrics_names(char *out, size_t size);

#endif
