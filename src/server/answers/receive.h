/* Receives a body that brings recordings: one, by /v1/recordings, or by /ingest for Pyroscope's agents; or a message with several, for
 * other agents (push/push.h). */
#ifndef CANDOR_SERVER_ANSWERS_RECEIVE_H
#define CANDOR_SERVER_ANSWERS_RECEIVE_H

#include "server/request/http.h"
#include "store/files/envelope.h"

enum receive_kind { RECEIVE_NOTHING, RECEIVE_RECORDING, RECEIVE_INGEST, RECEIVE_MESSAGE };

/* The kind of data that a body posted to this path contains. */
enum receive_kind receive_kind(const char *path);
/* At the head of the request: labels, sizes, a file. It may answer at once (h->answered). 0 = go on. */
int receive_begin(struct http *h, enum receive_kind kind);
/* Counts a request whose sender has no permission. */
void receive_not_allowed(struct http *h, enum receive_kind kind);
/* Receives some bytes of the body. */
void receive_some(struct http *h, const char *bytes, size_t n);
/* Call it when the whole body has come: answers the request. */
void receive_end(struct http *h);
/* Call it when the request is over, however it ended. */
void receive_free(struct http *h);

#endif
