/* A request that a connection receives and answers: the handler's view of it, where its body ends, and what is sent. */
#ifndef CANDOR_SERVER_FRONT_REQUEST_H
#define CANDOR_SERVER_FRONT_REQUEST_H

#include "server/request/chunks.h"
#include "server/request/http.h"

enum { REQUEST_TOP_BYTES = 4096 };

struct request {
    struct http http;
    struct chunks chunks;
    uint64_t left;      /* bytes of the body to come, if the body has a length */
    uint64_t came;      /* bytes of the body that were received */
    uint64_t head;      /* bytes of the head */
    uint64_t waited_ns; /* how long the connection has waited for the body */
    bool body_done;
    bool keep;                   /* the connection stays open after the answer */
    bool interim;                /* "100 Continue" is being sent */
    size_t piece;                /* bytes of the body for the handler, at the front of the received bytes */
    size_t used;                 /* number of received bytes from which `piece` was decoded */
    char top[REQUEST_TOP_BYTES]; /* the head of the answer */
    size_t top_len;
    uint64_t sent; /* bytes of the head and the content that were sent */
};

/* Makes a request. Returns NULL if there is no memory. */
struct request *request_new(struct server *s);
/* Frees a request. Call receive_free before. r may be NULL. */
void request_free(struct request *r);

/* Determines where the body ends. Call it when the request's head has been read. */
void request_begin_body(struct request *r);
/* Decodes received bytes of the body, and sets piece and used. Returns 0, or -EINVAL with *problem. */
int request_take_body(struct request *r, char *bytes, size_t n, const char **problem);

/* request_write_continue prepares "100 Continue". request_write_top prepares the head of the answer. */
void request_write_continue(struct request *r);
void request_write_top(struct request *r);
/* Returns the next bytes to send, after the first `sent` bytes. *n = 0: nothing is left. *more: other bytes follow these. */
const char *request_next(const struct request *r, size_t *n, bool *more);

#endif
