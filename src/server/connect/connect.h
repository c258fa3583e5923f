/* Pyroscope's query API, for Grafana and other clients: unary calls of the Connect protocol, POST
 * /querier.v1.QuerierService/METHOD, as protocol buffers or JSON. docs/formats/pyroscope-api.md says what is answered. */
#ifndef CANDOR_SERVER_CONNECT_CONNECT_H
#define CANDOR_SERVER_CONNECT_CONNECT_H

#include "server/request/http.h"

/* Whether a path is one of a call. */
bool connect_is(const char *path);
/* Answers the call that h->path names; body: its message, whole. */
void connect_answer(struct http *h, const uint8_t *body, size_t n);
/* Answers with an error before the call is read. code: Connect's word for it ("unauthenticated"). */
void connect_error(struct http *h, const char *code, const char *text);

#endif
