#include "server/front/transport.h"

#include <errno.h>
#include <poll.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <gnutls/x509.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    WARNINGS_MAX = 16, /* limit for warnings of a client in one part of a handshake */
    NAME_BYTES = 256,
};

struct transport_keys {
    gnutls_certificate_credentials_t credentials;
    bool asks;              /* clients are asked for certificates */
    atomic_uint references; /* the last one to give its reference back frees the keys; acquire and release order that after all uses */
};

void transport_put_keys(struct transport_keys *keys)
{
    if (!keys || atomic_fetch_sub_explicit(&keys->references, 1, memory_order_acq_rel) > 1)
        return;
    gnutls_certificate_free_credentials(keys->credentials);
    free(keys);
}

/* Reads the certificates that sign those of clients. */
static int read_client_ca(struct transport_keys *k, const char *path, struct error *e)
{
    if (!path)
        return 0;
    int n = gnutls_certificate_set_x509_trust_file(k->credentials, path, GNUTLS_X509_FMT_PEM);
    k->asks = n > 0;
    if (k->asks)
        return 0;
    return error_set(e, -EINVAL, "--tls-client-ca %s: %s; it must be a PEM file with certificates", path,
                     n ? gnutls_strerror(n) : "there is no certificate");
}

int transport_read_keys(struct transport_keys **keys, const char *certificate, const char *key, const char *client_ca, struct error *e)
{
    struct transport_keys *k = *keys = calloc(1, sizeof *k);
    if (!k || gnutls_certificate_allocate_credentials(&k->credentials)) {
        free(k);
        *keys = NULL;
        return error_set(e, -ENOMEM, "out of memory");
    }
    k->references = 1;
    int rc = gnutls_certificate_set_x509_key_file(k->credentials, certificate, key, GNUTLS_X509_FMT_PEM);
    if (rc < 0)
        rc = error_set(e, -EINVAL, "--tls-cert %s, --tls-key %s: %s; both must be PEM files that belong together", certificate, key,
                       gnutls_strerror(rc));
    else
        rc = read_client_ca(k, client_ca, e);
    if (!rc)
        return 0;
    transport_put_keys(k);
    *keys = NULL;
    return rc;
}

/* Offers HTTP/2 and HTTP/1.1 (ALPN). A client without ALPN gets what it begins with. */
static void offer_protocols(gnutls_session_t tls)
{
    static const gnutls_datum_t protocols[] = {{(unsigned char *)"h2", 2}, {(unsigned char *)"http/1.1", 8}};
    gnutls_alpn_set_protocols(tls, protocols, sizeof protocols / sizeof *protocols, GNUTLS_ALPN_SERVER_PRECEDENCE);
}

int transport_open(struct transport *t, int fd, struct transport_keys *keys)
{
    int on = 1;
    *t = (struct transport){.fd = fd};
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (!keys)
        return 0;
    atomic_fetch_add_explicit(&keys->references, 1, memory_order_relaxed); /* the caller has a reference, so this needs no order */
    t->keys = keys;
    if (gnutls_init(&t->tls, GNUTLS_SERVER | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL)) {
        t->tls = NULL;
        return -ENOMEM;
    }
    gnutls_transport_set_int(t->tls, fd);
    offer_protocols(t->tls);
    if (gnutls_set_default_priority(t->tls) || gnutls_credentials_set(t->tls, GNUTLS_CRD_CERTIFICATE, keys->credentials))
        return -ENOMEM;
    gnutls_certificate_server_set_request(t->tls, keys->asks ? GNUTLS_CERT_REQUEST : GNUTLS_CERT_IGNORE);
    return 0;
}

/* ---- the client's certificate ---- */

/* Copies a name. Returns false if the certificate does not have it, or if it has a zero byte. */
static bool is_name(int rc, const char *name, size_t n)
{
    return rc >= 0 && n && n < NAME_BYTES && strlen(name) == n;
}

/* Finds the first DNS name of a certificate, or else its common name. */
static bool name_of(gnutls_x509_crt_t one, char name[NAME_BYTES])
{
    int rc;
    size_t n;
    for (unsigned i = 0;; i++) {
        n = NAME_BYTES - 1;
        memset(name, 0, NAME_BYTES);
        rc = gnutls_x509_crt_get_subject_alt_name(one, i, name, &n, NULL);
        if (rc == GNUTLS_SAN_DNSNAME)
            return is_name(rc, name, n);
        if (rc < 0 && rc != GNUTLS_E_SHORT_MEMORY_BUFFER)
            break;
    }
    n = NAME_BYTES - 1;
    memset(name, 0, NAME_BYTES);
    rc = gnutls_x509_crt_get_dn_by_oid(one, GNUTLS_OID_X520_COMMON_NAME, 0, 0, name, &n);
    return is_name(rc, name, n);
}

static bool is_signed(gnutls_session_t tls)
{
    unsigned status;
    gnutls_typed_vdata_st purpose = {.type = GNUTLS_DT_KEY_PURPOSE_OID, .data = (unsigned char *)(uintptr_t)GNUTLS_KP_TLS_WWW_CLIENT};
    return !gnutls_certificate_verify_peers(tls, &purpose, 1, &status) && !status;
}

/* Takes the name from the client's certificate, if there is one. Returns 0, or -EACCES if it is not good. */
static int take_certificate(struct transport *t)
{
    char name[NAME_BYTES];
    unsigned count = 0;
    gnutls_x509_crt_t one;
    const gnutls_datum_t *list = gnutls_certificate_get_peers(t->tls, &count);
    if (!list || !count)
        return 0;
    bool good = is_signed(t->tls) && !gnutls_x509_crt_init(&one);
    if (good) {
        good = !gnutls_x509_crt_import(one, &list[0], GNUTLS_X509_FMT_DER) && name_of(one, name);
        gnutls_x509_crt_deinit(one);
    }
    t->certificate = good ? strdup(name) : NULL;
    if (t->certificate)
        return 0;
    gnutls_alert_send(t->tls, GNUTLS_AL_FATAL, GNUTLS_A_BAD_CERTIFICATE); /* whether the client sees it or not */
    return -EACCES;
}

static ssize_t tls_result(ssize_t rc)
{
    if (rc >= 0)
        return rc;
    return rc == GNUTLS_E_AGAIN || rc == GNUTLS_E_INTERRUPTED ? -EAGAIN : -EIO;
}

int transport_handshake(struct transport *t)
{
    int rc = GNUTLS_E_INTERRUPTED;
    for (int i = 0; i < WARNINGS_MAX && rc < 0 && rc != GNUTLS_E_AGAIN && !gnutls_error_is_fatal(rc); i++)
        rc = gnutls_handshake(t->tls);
    if (!rc && t->keys->asks)
        return take_certificate(t);
    return rc == GNUTLS_E_INTERRUPTED ? -EIO : (int)tls_result(rc);
}

ssize_t transport_read(struct transport *t, void *bytes, size_t n)
{
    if (t->tls)
        return tls_result(gnutls_record_recv(t->tls, bytes, n));
    ssize_t got;
    do
        got = recv(t->fd, bytes, n, 0);
    while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : got;
}

ssize_t transport_write(struct transport *t, const void *bytes, size_t n, bool more)
{
    if (t->tls)
        return tls_result(gnutls_record_send(t->tls, bytes, n));
    ssize_t put;
    do
        put = send(t->fd, bytes, n, MSG_NOSIGNAL | (more ? MSG_MORE : 0));
    while (put < 0 && errno == EINTR);
    return put < 0 ? -errno : put;
}

bool transport_has_bytes(const struct transport *t)
{
    return t->tls && gnutls_record_check_pending(t->tls);
}

bool transport_is_for_writing(const struct transport *t)
{
    return t->tls && gnutls_record_get_direction(t->tls);
}

bool transport_is_gone(const struct transport *t)
{
    struct pollfd p = {.fd = t->fd, .events = POLLRDHUP};
    return poll(&p, 1, 0) > 0;
}

void transport_finish(struct transport *t)
{
    if (t->tls)
        gnutls_bye(t->tls, GNUTLS_SHUT_WR); /* a client that no longer reads need not be informed */
    shutdown(t->fd, SHUT_WR);
}

void transport_close(struct transport *t, bool reset)
{
    const struct linger at_once = {.l_onoff = 1};
    if (t->tls)
        gnutls_deinit(t->tls);
    transport_put_keys(t->keys);
    free(t->certificate);
    if (reset)
        setsockopt(t->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(t->fd);
    *t = (struct transport){.fd = -1};
}
