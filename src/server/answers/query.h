/* Answers queries: makes a store_query of the request, and JSON or a page of the result. */
#ifndef CANDOR_SERVER_ANSWERS_QUERY_H
#define CANDOR_SERVER_ANSWERS_QUERY_H

#include "server/request/http.h"

void query_series(struct http *h);
void query_methods(struct http *h);
void query_flamegraph(struct http *h);
void query_profile(struct http *h);
void query_recordings(struct http *h);
/* path: the rest of the path after /v1/recordings/. */
void query_recording(struct http *h, const char *path);

#endif
