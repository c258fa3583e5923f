/* Answers /metrics and /healthz. */
#ifndef CANDOR_SERVER_ANSWERS_METRICS_H
#define CANDOR_SERVER_ANSWERS_METRICS_H

#include "server/request/http.h"

void metrics_answer(struct http *h);
void metrics_health(struct http *h);

#endif
