/* One HTTP request by libcurl, which is loaded when the daemon starts: the program's other commands need it nowhere, and run where
 * it is not installed. */
#ifndef CANDOR_DAEMON_POST_H
#define CANDOR_DAEMON_POST_H

#include "base/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct post;

/* ca_file: "" = the system's. cancel: once true, a request under way ends soon with -ECANCELED. NULL with e. */
struct post *post_new(const char *ca_file, const atomic_bool *cancel, struct error *e);
void post_free(struct post *h);

struct post_letter {
    const char *url;
    const char *token; /* "" = none */
    const char *key;   /* Idempotency-Key */
    int fd;            /* the body: so many bytes from there on */
    uint64_t offset, size;
};

struct post_answer {
    long status;
    uint64_t retry_after_ns; /* 0 = the server named none */
    char text[512];          /* the beginning of the answer, zero-terminated */
};

/* Redirections are not followed: the token is for this server. 0 when there is an answer, whatever its status; else a negative
 * code with e, and whether the server has got the request is not known. */
int post_send(struct post *h, const struct post_letter *post, struct post_answer *answer, struct error *e);

#endif
