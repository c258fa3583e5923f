/* Answers with the minutes of JVMs that satisfy a condition on their key metrics, those with the largest value of a metric first. */
#ifndef CANDOR_SERVER_METRICS_SEARCH_H
#define CANDOR_SERVER_METRICS_SEARCH_H

#include "server/request/http.h"

void search_answer(struct http *h);

#endif
