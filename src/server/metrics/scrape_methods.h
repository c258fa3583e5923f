/* Writes the methods of services that use most CPU time themselves, in Prometheus' text format, for --top-methods. */
#ifndef CANDOR_SERVER_METRICS_SCRAPE_METHODS_H
#define CANDOR_SERVER_METRICS_SCRAPE_METHODS_H

#include "server/request/context.h"

#include <stdio.h>

/* q: the time, and which recordings may be read. services: their names, each once. A method is written with its mean over the time that
 * the service's recordings cover; what all other methods use together is written, too. Returns 0, or a code with a message in e. */
int scrape_methods_write(FILE *out, struct server *s, const struct store_query *q, const char *const *services, uint32_t n,
                         struct error *e);

#endif
