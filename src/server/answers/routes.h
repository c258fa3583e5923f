/* From a request to its handler: permissions and paths. */
#ifndef CANDOR_SERVER_ANSWERS_ROUTES_H
#define CANDOR_SERVER_ANSWERS_ROUTES_H

#include "server/request/http.h"

/* A request's head has come. When h->answered is set, it was answered; else its body is wanted (h->receive). */
void routes_begin(struct http *h);

#endif
