/* Checks the permissions of a request, and passes the request to the handler for its path. */
#ifndef CANDOR_SERVER_ANSWERS_ROUTES_H
#define CANDOR_SERVER_ANSWERS_ROUTES_H

#include "server/request/http.h"

/* Handles the head of a request. Afterwards, either h->answered is set, or the handler waits for the body (h->takes_body). */
void routes_begin(struct http *h);
/* routes_body receives a piece of the body. routes_body_end is called when the whole body has been received; it answers unless there is an
 * answer already. */
void routes_body(struct http *h, const char *bytes, size_t n);
void routes_body_end(struct http *h);
/* Ends a request whose body will not be received any further, for whatever reason. */
void routes_drop(struct http *h);
/* Whether the request is a query, which may take long. */
bool routes_is_query(const struct http *h);
/* Returns the group to which the request counts. */
enum route_group routes_group(const struct http *h);

#endif
