/* TLS on a socket that does not block. Without OpenSSL in the build, tls_new says so. */
#ifndef CANDOR_LOAD_TLS_H
#define CANDOR_LOAD_TLS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct tls;         /* what all connections share */
struct tls_session; /* one connection's */

/* insecure: any certificate is good. 0 or a negative code. */
int tls_new(struct tls **tls, const char *host, bool insecure, struct error *e);
void tls_free(struct tls *tls);
/* NULL without memory. */
struct tls_session *tls_session_new(struct tls *tls, int fd);
void tls_session_free(struct tls_session *s);
/* 0 when done, -EAGAIN when the socket must be waited for, -EPROTO otherwise with e filled. */
int tls_handshake(struct tls_session *s, struct error *e);
/* As send and recv: bytes, 0 at the end, -EAGAIN, -EPROTO. */
ssize_t tls_write(struct tls_session *s, const void *bytes, size_t n);
ssize_t tls_read(struct tls_session *s, void *bytes, size_t n);

#endif
