/* Answers with the key metrics of each service now, in Prometheus' text format. */
#ifndef CANDOR_SERVER_METRICS_SCRAPE_H
#define CANDOR_SERVER_METRICS_SCRAPE_H

#include "server/request/http.h"

void scrape_answer(struct http *h);

#endif
