/* Receives and sends the bytes of a connection, with TLS (GnuTLS) or without. No function blocks.
 *
 *   transport_open -> transport_handshake, until it does not return -EAGAIN -> transport_read, transport_write -> transport_finish ->
 *   transport_close
 *
 * -EAGAIN means: try again later. transport_is_for_writing says what to wait for. After any other negative code, the connection is
 * broken. */
#ifndef CANDOR_SERVER_FRONT_TRANSPORT_H
#define CANDOR_SERVER_FRONT_TRANSPORT_H

#include "base/error.h"

#include <gnutls/gnutls.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The certificate and its key. A connection refers to those with which it began, as long as it lasts. */
struct transport_keys;

struct transport {
    int fd;
    gnutls_session_t tls; /* NULL = no TLS */
    struct transport_keys *keys;
    char *certificate; /* after the handshake: the name in the client's certificate; NULL = none */
};

/* Reads the certificate and the key from PEM files, and the certificates that sign those of clients (client_ca); NULL = clients are not
 * asked for certificates. The caller has a reference, and gives it back with transport_put_keys. keys may be NULL
 * there. */
int transport_read_keys(struct transport_keys **keys, const char *certificate, const char *key, const char *client_ca, struct error *e);
void transport_put_keys(struct transport_keys *keys);

/* Opens a connection, and takes over the descriptor. keys: NULL = no TLS. */
int transport_open(struct transport *t, int fd, struct transport_keys *keys);
/* Does the handshake of TLS. Call it only with TLS. A client may have a certificate if client_ca was given. It fails if the certificate is
 * not signed by one of these, has expired, or has no name. */
int transport_handshake(struct transport *t);
/* Receives bytes. Returns their number, or 0 if the client sends no more. */
ssize_t transport_read(struct transport *t, void *bytes, size_t n);
/* Sends bytes. Returns their number. After -EAGAIN, the next call must have the same bytes. more: other bytes follow at once. */
ssize_t transport_write(struct transport *t, const void *bytes, size_t n, bool more);
/* Whether received bytes are waiting in memory. epoll reports no event for these. */
bool transport_has_bytes(const struct transport *t);
bool transport_is_for_writing(const struct transport *t);
/* Whether the other side has closed the connection, as far as that is known without a read. Any thread to which the connection belongs may
 * call it. */
bool transport_is_gone(const struct transport *t);
/* Ends the sending side of the connection. */
void transport_finish(struct transport *t);
/* Closes the connection. reset: drop bytes that were not sent yet. */
void transport_close(struct transport *t, bool reset);

#endif
