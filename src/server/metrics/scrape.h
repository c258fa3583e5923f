/* Answers with the key metrics of each service now, in Prometheus' text format. */
#ifndef CANDOR_SERVER_METRICS_SCRAPE_H
#define CANDOR_SERVER_METRICS_SCRAPE_H

#include "server/request/http.h"

void scrape_answer(struct http *h);
/* Writes the same metrics, of all services. Returns 0, or a code with a message in e. */
int scrape_write(FILE *out, struct server *s, struct error *e);

#endif
