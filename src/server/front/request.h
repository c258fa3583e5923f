/* A request on its way through a connection: what its handler knows of it, where its body ends, and what is sent. */
#ifndef CANDOR_SERVER_FRONT_REQUEST_H
#define CANDOR_SERVER_FRONT_REQUEST_H

#include "server/request/chunks.h"
#include "server/request/http.h"

enum { REQUEST_TOP_BYTES = 4096 };

struct request {
    struct http http;
    struct chunks chunks;
    uint64_t left;      /* of a body with a length */
    uint64_t came;      /* of the body */
    uint64_t waited_ns; /* for the body */
    bool body_done;
    bool keep;                   /* the connection goes on after the answer */
    bool interim;                /* "100 Continue" is being sent */
    size_t piece;                /* bytes of the body for the handler, at the front of what has come, */
    size_t used;                 /* and how much of that they were made from */
    char top[REQUEST_TOP_BYTES]; /* the head of the answer */
    size_t top_len;
    uint64_t sent; /* of head and content */
};

/* NULL: no memory. */
struct request *request_new(struct server *s);
/* After receive_free. NULL is fine. */
void request_free(struct request *r);

/* Call it when the request's head has been read: determines where the body ends. */
void request_begin_body(struct request *r);
/* Decodes what has come of the body: sets piece and used. 0, or -EINVAL with *problem. */
int request_take_body(struct request *r, char *bytes, size_t n, const char **problem);

/* "100 Continue", and the head of the answer. */
void request_write_continue(struct request *r);
void request_write_top(struct request *r);
/* The next bytes to send, after `sent` bytes; *n = 0: nothing is left. *more: other bytes follow these. */
const char *request_next(const struct request *r, size_t *n, bool *more);

#endif
