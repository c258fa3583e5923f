/* Bytes in and out of a connection that never blocks, with TLS (GnuTLS) or without.
 *
 *   transport_open -> transport_handshake, until it does not return -EAGAIN -> transport_read, transport_write -> transport_finish ->
 *   transport_close
 *
 * -EAGAIN: later; transport_is_for_writing says what to wait for. Other negative codes: the connection is broken. */
#ifndef CANDOR_SERVER_FRONT_TRANSPORT_H
#define CANDOR_SERVER_FRONT_TRANSPORT_H

#include "base/error.h"

#include <gnutls/gnutls.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct transport {
    int fd;
    gnutls_session_t tls; /* NULL = none */
};

/* Certificate and key from PEM files. */
int transport_read_keys(gnutls_certificate_credentials_t *keys, const char *certificate, const char *key, struct error *e);

/* Takes over the descriptor; keys NULL = without TLS. */
int transport_open(struct transport *t, int fd, gnutls_certificate_credentials_t keys);
/* With TLS only. */
int transport_handshake(struct transport *t);
/* The number of bytes; 0 at the end of what the client sends. */
ssize_t transport_read(struct transport *t, void *bytes, size_t n);
/* The number of bytes. After -EAGAIN the next call is for the same bytes. more: others follow at once. */
ssize_t transport_write(struct transport *t, const void *bytes, size_t n, bool more);
/* Whether bytes were received already, for which epoll will report no event. */
bool transport_has_bytes(const struct transport *t);
bool transport_is_for_writing(const struct transport *t);
/* Whether the other side has closed the connection, as far as that can be known without a read. Any thread that has the connection. */
bool transport_is_gone(const struct transport *t);
/* Ends the sending side of the connection. */
void transport_finish(struct transport *t);
/* reset: what was not sent yet is dropped. */
void transport_close(struct transport *t, bool reset);

#endif
