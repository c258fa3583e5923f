/* From a request to its handler: permissions and paths. */
#ifndef CANDOR_SERVER_ANSWERS_ROUTES_H
#define CANDOR_SERVER_ANSWERS_ROUTES_H

#include "server/request/http.h"

/* A request's head has come. When h->answered is set, it was answered; else its body is wanted (h->takes_body). */
void routes_begin(struct http *h);
/* Some of the body; all of it has come: answers, or has answered. */
void routes_body(struct http *h, const char *bytes, size_t n);
void routes_body_end(struct http *h);
/* No more of the body comes, however the request ended. */
void routes_drop(struct http *h);
/* Whether it is a query, which may take long. */
bool routes_is_query(const struct http *h);

#endif
