/* Answers /metrics. */
#ifndef CANDOR_SERVER_ANSWERS_METRICS_H
#define CANDOR_SERVER_ANSWERS_METRICS_H

#include "server/request/http.h"

void metrics_answer(struct http *h);

#endif
