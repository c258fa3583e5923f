/* gRPC over HTTP/2: a call becomes the request that the same call is in Connect's protocol, and its answer becomes gRPC's again. So a
 * handler knows nothing of gRPC.
 *
 *     request   headers, then: [1 byte: packed or not] [4 bytes: length n, big endian] [n bytes: the message]
 *     answer    headers, then the same five bytes and the message, then trailers with grpc-status; an error is headers only
 *
 *   grpc_init -> grpc_feed_prefix, until it returns true or the body ends -> grpc_begin -> grpc_body ... -> grpc_end -> grpc_answer
 *
 * Only calls with one message in each direction are known. Source: gRPC's PROTOCOL-HTTP2.md, and OTLP's specification for which errors a
 * client may try again. */
#ifndef CANDOR_SERVER_FRONT_GRPC_H
#define CANDOR_SERVER_FRONT_GRPC_H

#include "server/request/http.h"

enum { GRPC_PREFIX = 5, GRPC_TEXT_BYTES = 3 * 200 + 1, GRPC_DETAILS_BYTES = 1024 };

struct grpc {
    bool on; /* the request is a call of gRPC */
    uint8_t prefix[GRPC_PREFIX];
    unsigned have;     /* bytes of the prefix so far */
    uint64_t left;     /* bytes of the message to come */
    uint64_t until_ns; /* when the client gives up; 0 = never */
};

/* What the answer of a call has in addition: the code, and with an error its message, and whether and when to try again. */
struct grpc_answer {
    unsigned code;
    uint8_t prefix[GRPC_PREFIX];      /* of the answer's message */
    char text[GRPC_TEXT_BYTES];       /* grpc-message; "" = none */
    char details[GRPC_DETAILS_BYTES]; /* grpc-status-details-bin; "" = none */
};

/* Determines from the headers whether the request is a call of gRPC. */
void grpc_init(struct grpc *g, const struct http *h);
/* Takes bytes at the beginning of the body, and returns how many. Sets *complete when the prefix is complete. */
size_t grpc_feed_prefix(struct grpc *g, const uint8_t *bytes, size_t n, bool *complete);
/* Checks the call, and makes the request that routes_begin understands. Returns 0, or -1 if it has already answered with an error. */
int grpc_begin(struct grpc *g, struct http *h);
/* Passes bytes of the message on. */
void grpc_body(struct grpc *g, struct http *h, const char *bytes, size_t n);
/* Checks that the message was complete. Returns 0, or -1 if it has already answered with an error. */
int grpc_end(struct grpc *g, struct http *h);
/* Whether the client has given the call up. */
bool grpc_is_over(const struct grpc *g);
/* Makes gRPC's answer of the handler's. */
void grpc_answer(const struct grpc *g, const struct http *h, struct grpc_answer *a);

#endif
