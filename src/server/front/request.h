/* A request that a connection receives and answers: the handler's view of it, where its body ends, and what is sent. It is the same for
 * HTTP/1.1 and for a stream of HTTP/2; only the parts below that say so are for one of them. */
#ifndef CANDOR_SERVER_FRONT_REQUEST_H
#define CANDOR_SERVER_FRONT_REQUEST_H

#include "server/front/grpc.h"
#include "server/front/work.h"
#include "server/request/chunks.h"
#include "server/request/http.h"

enum { REQUEST_TOP_BYTES = 4096, REQUEST_DATE_BYTES = 64 };

/* Headers of every answer. They keep browsers from taking the answer for another type (for example for a script of another site's page),
 * from reporting its address to other sites, and from keeping it. */
#define REQUEST_HEADERS(X)                                                                                                                 \
    X("X-Content-Type-Options", "nosniff")                                                                                                 \
    X("Referrer-Policy", "no-referrer")                                                                                                    \
    X("Cache-Control", "no-store")

struct request {
    struct http http;
    struct grpc grpc; /* for HTTP/2 */
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
/* Counts and logs a request that is over, and frees it. address: that of the client. Call request_work with TASK_DROP before, if a handler
 * waits for the body. */
void request_end(struct request *r, const char *address);

/* Returns a number for the client, so that clients take turns: for the holder of a token or certificate, for a person whom a proxy names,
 * or else for the address. */
uint64_t request_owner(const struct request *r);
/* Returns the workers' lane for a request. */
enum lane request_lane(const struct request *r);
/* Does a worker's part of a request, for `w`. bytes: `piece` bytes of its body, for TASK_BODY. */
void request_work(struct request *r, const struct work *w, const char *bytes);

/* Whether bytes stopped, or are slower than the least rate, in bytes per second. progress_ns: when the last of them came. waited_ns: how
 * long the server has waited for them. */
bool request_is_slow(const struct request *r, uint64_t now_ns, uint64_t progress_ns, uint64_t waited_ns, uint64_t bytes, uint64_t rate);
/* Returns the least rate at which a client must read an answer. An answer occupies its memory until it is read. */
uint64_t request_least_rate(const struct request *r);
/* Writes the current time for the header Date. Returns out. */
char *request_date(char out[REQUEST_DATE_BYTES]);

/* ---- the following functions are for HTTP/1.1 ---- */

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
