/* Finds out who sends a request, and whether they may. It is separate from routes.c, which knows what there is. */
#ifndef CANDOR_SERVER_ANSWERS_PERMIT_H
#define CANDOR_SERVER_ANSWERS_PERMIT_H

#include "server/request/http.h"

enum { OF_ALL = 1 << 8 }; /* the answer is about all services, and cannot be restricted to some */

/* Finds the permissions of the request, checks that it may be answered, and counts it against the limits of its token. scope: the required
 * scopes, and perhaps OF_ALL; 0 = none. Returns 0, or -1 if it has already answered with an error. */
int permit(struct http *h, unsigned scope);

#endif
