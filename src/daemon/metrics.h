/* Writes key metrics of each profiled JVM and of the daemon itself, in Prometheus' text format, to a file for the textfile collector of
 * node_exporter (--metrics-file). docs/metrics.md lists the metrics. */
#ifndef CANDOR_DAEMON_METRICS_H
#define CANDOR_DAEMON_METRICS_H

#include "daemon/status.h"

/* Replaces the file as a whole. If the file cannot be written, the log reports this once. */
void metrics_write(const struct status *s, const char *path);

#endif
