/* Key metrics of each profiled JVM, and of the daemon itself, in Prometheus' text format: a file that the textfile collector of
 * node_exporter reads (--metrics-file). docs/metrics.md lists them. */
#ifndef CANDOR_DAEMON_METRICS_H
#define CANDOR_DAEMON_METRICS_H

#include "daemon/status.h"

/* Replaces the file as a whole. What cannot be written is said once in the log. */
void metrics_write(const struct status *s, const char *path);

#endif
