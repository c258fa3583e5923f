/* /metrics and /healthz. */
#ifndef CANDOR_SERVER_METRICS_H
#define CANDOR_SERVER_METRICS_H

#include "server/http.h"

void metrics_answer(struct http *h);
void metrics_health(struct http *h);

#endif
