/* The queries: a request becomes a store_query, and the result becomes JSON or a page. */
#ifndef CANDOR_SERVER_ANSWERS_QUERY_H
#define CANDOR_SERVER_ANSWERS_QUERY_H

#include "server/request/http.h"

void query_services(struct http *h);
void query_series(struct http *h);
void query_methods(struct http *h);
void query_flamegraph(struct http *h);
void query_profile(struct http *h);
void query_recordings(struct http *h);
/* path: what follows /v1/recordings/. */
void query_recording(struct http *h, const char *path);

/* ---- what they share (query.c) ---- */

struct query {
    struct store_query q;
    struct selector selector;
};

/* select, from, to, type. 0, or a code after it has answered; either way query_deinit ends it. */
int query_init(struct query *query, struct http *h);
void query_deinit(struct query *query);
/* A whole number from 1 to `most`; 0, or a code after it has answered. */
int query_number(struct http *h, const char *name, uint32_t otherwise, uint32_t most, uint32_t *out);
/* Members of an answer: "complete", and where it is not, "missing" and "missing_text". more: the answer was cut at a
 * limit. */
void query_put_complete(struct jsonw *j, const struct missing *m, const char *type, bool more);
/* The member "books" of an answer: the sum of the books of its recordings; null if there are none. */
void query_put_books(struct jsonw *j, const struct store_result *r);
/* Answers with the store's error. */
void query_failed(struct http *h, int rc, const struct error *e);

#endif
