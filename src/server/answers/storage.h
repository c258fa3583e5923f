/* Reports what the store keeps, for how long, and what it has deleted: /v1/storage, and the metrics by service of /metrics. */
#ifndef CANDOR_SERVER_ANSWERS_STORAGE_H
#define CANDOR_SERVER_ANSWERS_STORAGE_H

#include "server/request/http.h"

#include <stdio.h>

/* The reasons for deletions, named after the options. */
extern const char *const storage_reasons[DELETED_REASONS];

void storage_answer(struct http *h);
/* Writes the metrics in the text format of Prometheus. If there are more than 100 services, writes only the 100 largest. */
void storage_put_metrics(FILE *out, struct server *s);

#endif
