/* Answers Pyroscope's query API, for Grafana and other clients, and gRPC's health check. These send unary calls of the Connect protocol,
 * POST /querier.v1.QuerierService/METHOD, in protocol buffers or JSON, or the same calls as gRPC (front/grpc.h).
 * docs/formats/pyroscope-api.md describes the answers. */
#ifndef CANDOR_SERVER_CONNECT_CONNECT_H
#define CANDOR_SERVER_CONNECT_CONNECT_H

#include "server/request/http.h"

/* Whether the path is the path of a call. */
bool connect_is(const char *path);
/* Whether the call needs no token. */
bool connect_is_open(const char *path);
/* Answers the call that h->path names. body: the complete message of the call. */
void connect_answer(struct http *h, const uint8_t *body, size_t n);
/* Answers with an error before the call is read. code: Connect's name for the error, for example "unauthenticated". */
void connect_error(struct http *h, const char *code, const char *text);

#endif
