/* Shared by all queries to the server: the selector, the time range and the type in the parameters of a request; and the members that
 * every answer has, such as whether it is complete. */
#ifndef CANDOR_SERVER_REQUEST_QUESTION_H
#define CANDOR_SERVER_REQUEST_QUESTION_H

#include "server/request/http.h"

struct question {
    struct store_query q;
    struct selector selector;
};

/* Reads the parameters select, from, to and type. The selector matches only services that the request's token may read. Returns 0, or a
 * code if it has already answered with an error. Call question_deinit in both cases. */
int question_init(struct question *query, struct http *h);
/* Does the same for an answer about samples, whose selector may also have matchers for labels of samples. question_init refuses these. */
int question_init_of_samples(struct question *query, struct http *h);
/* Refuses a label of samples for a parameter that takes labels of recordings. label may be NULL. Returns 0, or a code if it has answered
 * with an error. */
int question_of_recordings(struct http *h, const char *parameter, const char *label);
/* Checks a time range, in seconds, against --max-query-length. Returns 0, or -EINVAL with a message in e, which Pyroscope's users know. */
int question_length(const struct server *s, int64_t from, int64_t to, struct error *e);
void question_deinit(struct question *query);
/* Reads a selector. It matches only services that the request's token may read. Every selector of a request is read by this function.
 * Returns what selector_parse does. */
int question_selector(struct selector *s, const struct http *h, const char *text, struct error *e);
/* Reads a whole number from 1 to `most`. Without the parameter, the number is `otherwise`. Returns 0, or a code if it has already answered
 * with an error. */
int question_number(struct http *h, const char *name, uint32_t otherwise, uint32_t most, uint32_t *out);
/* Reads the parameter `step`, in seconds. Without it there are 200 steps. Returns 0, or a code if it has already answered with an error. */
int question_step(struct http *h, const struct question *query, int64_t *step);
/* Writes the member "complete" of an answer. If the answer is not complete, also writes "missing" and "missing_text". If its weights may be
 * rounded, writes since when. type: that of the weights; NULL = not known, as when nothing was found. more: the answer was cut off at a
 * limit. */
void question_put_complete(struct jsonw *j, const struct missing *m, const char *type, bool more);
/* Says that weights may be rounded. */
extern const char question_rounded_text[];
/* Writes the member "books" of an answer: the sum of the books of its recordings, or null if there are none. */
void question_put_books(struct jsonw *j, const struct store_result *r);
/* Writes the member "span": which part of the requested time the recordings cover. If samples of a part of it are deleted, and sums by hour
 * or by day are in the answer instead, also writes "coarse", the times of these sums. */
void question_put_span(struct jsonw *j, const struct store_result *r);
/* Writes the same as a text, "FROM-TO/STEP, ...", or "" if there are none. */
void question_coarse_text(const struct store_result *r, char *out, size_t size);
/* Answers with an error of the store. */
void question_failed(struct http *h, int rc, const struct error *e);

#endif
