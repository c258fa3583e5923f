/* Answers /metrics. */
#ifndef CANDOR_SERVER_ANSWERS_METRICS_H
#define CANDOR_SERVER_ANSWERS_METRICS_H

#include "server/request/http.h"

void metrics_answer(struct http *h);
/* Writes the same metrics in the text format. exemplars: whether samples may have exemplars, as in OpenMetrics. */
void metrics_write(FILE *out, struct server *s, bool exemplars);

#endif
