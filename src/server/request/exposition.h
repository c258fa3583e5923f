/* Writes metrics in Prometheus' text format, for the parts of /metrics. All names begin with candor_server_, which is added here. */
#ifndef CANDOR_SERVER_REQUEST_EXPOSITION_H
#define CANDOR_SERVER_REQUEST_EXPOSITION_H

#include <stdint.h>
#include <stdio.h>

/* Writes the lines of help and type that come before the samples of a metric. type: "counter" or "gauge". */
void exposition_head(FILE *out, const char *name, const char *type, const char *help);
/* Writes a metric with one sample, without labels. */
void exposition_put(FILE *out, const char *name, const char *type, const char *help, uint64_t value);
/* Writes the value of a label, without its quotes. */
void exposition_label(FILE *out, const char *value);

#endif
