/* Receives a body that contains recordings. /v1/recordings takes one recording, and so does /ingest, for Pyroscope's agents. Other agents
 * send a message with several recordings (push/push.h). Another server forwards what it has received (request/arrival.h). */
#ifndef CANDOR_SERVER_ANSWERS_RECEIVE_H
#define CANDOR_SERVER_ANSWERS_RECEIVE_H

#include "server/request/http.h"
#include "store/files/envelope.h"

enum receive_kind { RECEIVE_NOTHING, RECEIVE_RECORDING, RECEIVE_INGEST, RECEIVE_MESSAGE, RECEIVE_FORWARDED };

/* Returns the kind of data that a body posted to this path contains. */
enum receive_kind receive_kind(const char *path);
/* Handles the head of the request: reads labels, checks sizes, and begins a file. Returns 0 to go on. It may also answer at once
 * (h->answered). */
int receive_begin(struct http *h, enum receive_kind kind);
/* Counts a request that was refused because its sender lacks the permission, or has used up a limit. */
void receive_not_allowed(struct http *h, enum receive_kind kind);
/* Receives some bytes of the body. */
void receive_some(struct http *h, const char *bytes, size_t n);
/* Answers the request. Call it when the whole body has been received. */
void receive_end(struct http *h);
/* Frees the state. Call it when the request is over, however it ended. */
void receive_free(struct http *h);

#endif
