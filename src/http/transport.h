/* Does HTTP with libcurl, which is loaded when it is first needed. Most of the program does not need it, and works on hosts where it is not
 * installed.
 *
 *   transport_new -> post_send (post.h), fetch_get (fetch.h) ... -> transport_free
 *
 * Only one thread at a time may use a transport. It does not follow redirections, because a token is only for the server that the user
 * named. */
#ifndef CANDOR_HTTP_TRANSPORT_H
#define CANDOR_HTTP_TRANSPORT_H

#include "base/error.h"

#include <stdatomic.h>
#include <stdbool.h>

struct transport;

/* Makes a transport. ca_file: "" = the system's certificates. cancel: once it is true, a running request ends soon with -ECANCELED; NULL =
 * never. Both must outlive the transport. Returns NULL with a message in e if this fails. */
struct transport *transport_new(const char *ca_file, const atomic_bool *cancel, struct error *e);
/* Shows the server a certificate, if it asks for one. certificate, key: PEM files, which are read for each connection; "" = none. Both must
 * outlive the transport. */
void transport_use_certificate(struct transport *t, const char *certificate, const char *key);
void transport_free(struct transport *t);

#endif
