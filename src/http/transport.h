/* HTTP with libcurl, which is loaded when it is first needed: most of the program does not need it, and works where it is not
 * installed.
 *
 *   transport_new -> post_send (post.h), fetch_get (fetch.h) ... -> transport_free
 *
 * One thread at a time. Redirections are not followed, because a token is only for the server that the user named. */
#ifndef CANDOR_HTTP_TRANSPORT_H
#define CANDOR_HTTP_TRANSPORT_H

#include "base/error.h"

#include <stdatomic.h>
#include <stdbool.h>

struct transport;

/* ca_file: "" = the system's certificates. cancel: once true, a request under way ends soon with -ECANCELED; NULL = never. Both must
 * outlive it. NULL with e. */
struct transport *transport_new(const char *ca_file, const atomic_bool *cancel, struct error *e);
void transport_free(struct transport *t);

#endif
