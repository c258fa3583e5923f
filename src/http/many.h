/* Fetches many answers at once on one thread, with libcurl's multi interface.
 *
 *   many_new -> [ many_begin ]*, many_wait, [ many_take ]* ... -> many_free
 *
 * One thread may use it, except for many_wake. Redirections are not followed. */
#ifndef CANDOR_HTTP_MANY_H
#define CANDOR_HTTP_MANY_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct many_letter {
    const char *url;
    const char *token;                  /* sent as a bearer token; "" = none */
    const char *user, *password;        /* "" = none */
    const char *ca, *certificate, *key; /* PEM files; "" = the system's, none. They must outlive the request */
    long timeout_s;                     /* for all of the request */
    size_t most;                        /* bytes of the answer's body */
};

struct many_end {
    void *context; /* that of many_begin */
    int code;      /* 0 = there is an answer, whatever its status; -EFBIG = it is too large; otherwise as in transport_request.h */
    struct error error;
    long status;
    struct buffer body; /* the caller ends it */
};

struct many;

/* Returns NULL with a message in e if there is no libcurl, or an old one. */
struct many *many_new(struct error *e);
/* Abandons what is still running. m may be NULL. */
void many_free(struct many *m);
/* Begins a GET. Returns 0, or a code with a message in e; then there will be no end of it. */
int many_begin(struct many *m, const struct many_letter *letter, void *context, struct error *e);
/* Waits until something happens, for at most this many milliseconds. */
void many_wait(struct many *m, int ms);
/* Makes many_wait return. Any thread may call it. */
void many_wake(struct many *m);
/* Takes a request that has ended. Returns false if there is none. */
bool many_take(struct many *m, struct many_end *out);

#endif
