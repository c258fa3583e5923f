/* Receives a recording: /v1/recordings, and /ingest for Pyroscope's agents. */
#ifndef CANDOR_SERVER_ANSWERS_RECEIVE_H
#define CANDOR_SERVER_ANSWERS_RECEIVE_H

#include "server/request/http.h"
#include "store/files/envelope.h"

/* At the head of the request: labels, sizes, a file. It may answer at once (h->answered). 0 = go on. */
int receive_begin(struct http *h, bool ingest);
/* Some of the body. */
void receive_some(struct http *h, const char *bytes, size_t n);
/* All of it has come: answers. */
void receive_end(struct http *h);
/* When the request is over, however it ended. */
void receive_free(struct http *h);

#endif
