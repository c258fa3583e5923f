/* What the store keeps, for how long, and what it has deleted: /v1/storage, and the part of /metrics by service. */
#ifndef CANDOR_SERVER_ANSWERS_STORAGE_H
#define CANDOR_SERVER_ANSWERS_STORAGE_H

#include "server/request/http.h"

#include <stdio.h>

void storage_answer(struct http *h);
/* In the text format of Prometheus. Beyond 100 services, the largest ones, the others are left out. */
void storage_put_metrics(FILE *out, struct server *s);

#endif
