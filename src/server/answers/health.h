/* Answers /healthz, whether the server runs at all, and /readyz, whether it can do its work. */
#ifndef CANDOR_SERVER_ANSWERS_HEALTH_H
#define CANDOR_SERVER_ANSWERS_HEALTH_H

#include "server/request/http.h"

/* Answers at once, without the disk: whoever restarts a server that does not answer must not do so because its disk is full. */
void health_alive(struct http *h);
/* Answers what readiness_check finds. */
void health_ready(struct http *h);

#endif
