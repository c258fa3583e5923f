/* TLS on a non-blocking socket. In a build without OpenSSL, tls_new returns an error. */
#ifndef CANDOR_LOAD_TLS_H
#define CANDOR_LOAD_TLS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct tls;         /* data that all connections share */
struct tls_session; /* the data of one connection */

/* Creates the shared data. insecure: any certificate is accepted. Returns 0 or a negative code with e. */
int tls_new(struct tls **tls, const char *host, bool insecure, struct error *e);
/* Offers a protocol to the server (ALPN), such as "h2"; the handshake fails if the server does not choose it. */
int tls_offer(struct tls *tls, const char *protocol, struct error *e);
void tls_free(struct tls *tls);
/* Creates a session for a socket. Returns NULL if out of memory. */
struct tls_session *tls_session_new(struct tls *tls, int fd);
void tls_session_free(struct tls_session *s);
/* Continues the handshake. Returns 0 when it is done, -EAGAIN when the socket must be waited for, otherwise -EPROTO with e. */
int tls_handshake(struct tls_session *s, struct error *e);
/* These functions work as send and recv do. They return the number of bytes, 0 at the end, -EAGAIN or -EPROTO. */
ssize_t tls_write(struct tls_session *s, const void *bytes, size_t n);
ssize_t tls_read(struct tls_session *s, void *bytes, size_t n);

#endif
