#include "load/tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

struct tls {
    SSL_CTX *context;
    const char *host;
    bool is_address;
    const char *offered; /* a protocol, or NULL */
};

struct tls_session {
    SSL *ssl;
    const char *offered;
};

int tls_new(struct tls **out, const char *host, bool insecure, struct error *e)
{
    struct in6_addr address;
    struct tls *t = calloc(1, sizeof *t);
    *out = NULL;
    if (!t || !(t->context = SSL_CTX_new(TLS_client_method()))) {
        free(t);
        return error_set(e, -ENOMEM, "no memory for TLS");
    }
    t->host = host;
    t->is_address = inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1;
    SSL_CTX_set_mode(t->context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_default_verify_paths(t->context);
    SSL_CTX_set_verify(t->context, insecure ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, NULL);
    *out = t;
    return 0;
}

int tls_offer(struct tls *t, const char *protocol, struct error *e)
{
    unsigned char wire[64];
    size_t n = strlen(protocol);
    wire[0] = (unsigned char)n;
    memcpy(wire + 1, protocol, n);
    t->offered = protocol;
    return SSL_CTX_set_alpn_protos(t->context, wire, (unsigned)n + 1) ? error_set(e, -ENOMEM, "no memory for TLS") : 0;
}

void tls_free(struct tls *t)
{
    if (!t)
        return;
    SSL_CTX_free(t->context);
    free(t);
}

struct tls_session *tls_session_new(struct tls *t, int fd)
{
    struct tls_session *s = calloc(1, sizeof *s);
    if (!s || !(s->ssl = SSL_new(t->context)) || !SSL_set_fd(s->ssl, fd)) {
        tls_session_free(s);
        return NULL;
    }
    if (t->is_address) {
        X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(s->ssl), t->host);
    } else {
        SSL_set_tlsext_host_name(s->ssl, t->host);
        SSL_set1_host(s->ssl, t->host);
    }
    SSL_set_connect_state(s->ssl);
    s->offered = t->offered;
    return s;
}

void tls_session_free(struct tls_session *s)
{
    if (!s)
        return;
    SSL_free(s->ssl);
    free(s);
}

static int result(struct tls_session *s, int returned)
{
    int why = SSL_get_error(s->ssl, returned);
    return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE ? -EAGAIN : why == SSL_ERROR_ZERO_RETURN ? 0 : -EPROTO;
}

static int check_offered(struct tls_session *s, struct error *e)
{
    const unsigned char *chosen = NULL;
    unsigned n = 0;
    SSL_get0_alpn_selected(s->ssl, &chosen, &n);
    if (!s->offered || (n == strlen(s->offered) && !memcmp(chosen, s->offered, n)))
        return 0;
    return error_set(e, -EPROTO, "the server does not speak %s over TLS", s->offered);
}

int tls_handshake(struct tls_session *s, struct error *e)
{
    ERR_clear_error();
    int returned = SSL_do_handshake(s->ssl);
    if (returned == 1)
        return check_offered(s, e);
    if (result(s, returned) == -EAGAIN)
        return -EAGAIN;
    long verdict = SSL_get_verify_result(s->ssl);
    const char *reason = ERR_reason_error_string(ERR_peek_error());
    if (verdict != X509_V_OK)
        return error_set(e, -EPROTO, "the server's certificate is not trusted: %s (--insecure accepts any)",
                         X509_verify_cert_error_string(verdict));
    return error_set(e, -EPROTO, "no TLS with the server: %s", reason ? reason : "it closed the connection");
}

ssize_t tls_write(struct tls_session *s, const void *bytes, size_t n)
{
    ERR_clear_error();
    int done = SSL_write(s->ssl, bytes, (int)n);
    return done > 0 ? done : result(s, done);
}

ssize_t tls_read(struct tls_session *s, void *bytes, size_t n)
{
    ERR_clear_error();
    int done = SSL_read(s->ssl, bytes, (int)n);
    return done > 0 ? done : result(s, done);
}
