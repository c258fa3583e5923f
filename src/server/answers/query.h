/* Answers queries: makes a store_query of the request, and JSON or a page of the result. */
#ifndef CANDOR_SERVER_ANSWERS_QUERY_H
#define CANDOR_SERVER_ANSWERS_QUERY_H

#include "server/request/http.h"

void query_services(struct http *h);
void query_series(struct http *h);
void query_methods(struct http *h);
void query_flamegraph(struct http *h);
void query_profile(struct http *h);
void query_recordings(struct http *h);
/* path: the rest of the path after /v1/recordings/. */
void query_recording(struct http *h, const char *path);

/* ---- functions that query.c and query_list.c share ---- */

struct query {
    struct store_query q;
    struct selector selector;
};

/* Reads the parameters select, from, to and type. Returns 0, or a code if it has already answered with an error. Call query_deinit in both
 * cases. */
int query_init(struct query *query, struct http *h);
void query_deinit(struct query *query);
/* Reads a whole number from 1 to `most`. Without the parameter, the number is `otherwise`. Returns 0, or a code if it has already answered
 * with an error. */
int query_number(struct http *h, const char *name, uint32_t otherwise, uint32_t most, uint32_t *out);
/* Writes the member "complete" of an answer. If the answer is not complete, also writes "missing" and "missing_text". more: the answer was
 * cut off at a limit. */
void query_put_complete(struct jsonw *j, const struct missing *m, const char *type, bool more);
/* Writes the member "books" of an answer: the sum of the books of its recordings, or null if there are none. */
void query_put_books(struct jsonw *j, const struct store_result *r);
/* Answers with an error of the store. */
void query_failed(struct http *h, int rc, const struct error *e);

#endif
