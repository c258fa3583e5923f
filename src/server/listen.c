#include "server/listen.h"

#include "base/text/units.h"
#include "server/answers/receive.h"
#include "server/answers/routes.h"
#include "server/request/framing.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct link { /* a connection */
    struct link *next, **at;
    int fd;
    uint64_t since_ns; /* that no request is being answered; 0 = one is */
};

struct listener {
    struct server *server;
    struct MHD_Daemon *daemon;
    pthread_mutex_t lock;
    struct link *links;
    char *certificate, *key;
};

/* ---- connections ---- */

static void on_connection(void *context, struct MHD_Connection *connection, void **socket_context,
                          enum MHD_ConnectionNotificationCode code)
{
    struct listener *l = context;
    pthread_mutex_lock(&l->lock);
    struct link *link = *socket_context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        link = info ? calloc(1, sizeof *link) : NULL;
        if (link) {
            *link = (struct link){l->links, &l->links, info->connect_fd, clock_monotonic_ns()};
            if (l->links)
                l->links->at = &link->next;
            l->links = link;
        }
        *socket_context = link;
    } else if (link) {
        *link->at = link->next;
        if (link->next)
            link->next->at = link->at;
        free(link);
        *socket_context = NULL;
    }
    pthread_mutex_unlock(&l->lock);
}

static void mark(struct listener *l, struct MHD_Connection *connection, uint64_t since_ns)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    pthread_mutex_lock(&l->lock);
    struct link *link = info ? info->socket_context : NULL;
    if (link)
        link->since_ns = since_ns;
    pthread_mutex_unlock(&l->lock);
}

void listen_tick(struct listener *l)
{
    uint64_t now = clock_monotonic_ns();
    pthread_mutex_lock(&l->lock);
    for (struct link *link = l->links; link; link = link->next)
        if (link->since_ns && now - link->since_ns > (uint64_t)SERVER_IDLE_S * 1000000000)
            shutdown(link->fd, SHUT_RDWR);
    pthread_mutex_unlock(&l->lock);
}

/* ---- requests ---- */

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *path,
                                  const char *method, const char *version, const char *bytes, size_t *n, void **request)
{
    struct listener *l = context;
    struct http *h = *request;
    if (!h) {
        h = *request = calloc(1, sizeof *h);
        if (!h)
            return MHD_NO;
        mark(l, connection, 0);
        *h = (struct http){.server = l->server,
                           .connection = connection,
                           .method = method,
                           .path = path,
                           .answered = -1,
                           .begun_ns = clock_monotonic_ns()};
        http_begin(h);
        if (framing_check(h))
            routes_begin(h);
        return h->answered < 0 ? MHD_YES : (enum MHD_Result)h->answered;
    }
    if (*n) {
        size_t some = *n;
        *n = 0;
        h->came += some;
        if (h->receive && h->answered < 0)
            return receive_some(h, bytes, some);
        return http_is_slow(h) || http_is_endless(h) ? MHD_NO : MHD_YES;
    }
    http_body_end(h);
    if (h->receive && h->answered < 0)
        receive_end(h);
    return h->answered < 0 ? MHD_NO : (enum MHD_Result)h->answered;
}

static void on_completed(void *context, struct MHD_Connection *connection, void **request,
                         enum MHD_RequestTerminationCode code)
{
    struct http *h = *request;
    mark(context, connection, clock_monotonic_ns());
    if (h) {
        receive_free(h);
        http_free(h);
    }
    free(h);
    *request = NULL;
}

/* libmicrohttpd's own messages are about clients, not for the operator. */
static void on_log(void *context, const char *format, va_list args)
{
}

/* ---- starting ---- */

static int resolve(const struct server_options *o, struct addrinfo **out, struct error *e)
{
    struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    int rc = getaddrinfo(*o->host ? o->host : NULL, o->port, &hints, out);
    return rc ? error_set(e, -EINVAL, "--listen %s:%s: %s", o->host, o->port, gai_strerror(rc)) : 0;
}

static int read_text(const char *path, char **out, struct error *e)
{
    uint8_t *bytes;
    size_t n;
    *out = NULL;
    int rc = path ? disk_read_file(path, 1 << 20, &bytes, &n, e) : 0;
    if (!rc && path) {
        bytes[n] = 0;
        *out = (char *)bytes;
    }
    return rc;
}

static int start(struct listener *l, const struct addrinfo *address, struct error *e)
{
    const struct server_options *o = l->server->options;
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL | MHD_USE_ERROR_LOG;
    flags |= address->ai_family == AF_INET6 ? MHD_USE_IPv6 : 0;
    flags |= l->certificate ? MHD_USE_TLS : 0;
    struct MHD_OptionItem tls[] = {{MHD_OPTION_HTTPS_MEM_CERT, 0, l->certificate},
                                   {MHD_OPTION_HTTPS_MEM_KEY, 0, l->key},
                                   {MHD_OPTION_END, 0, NULL}};
    struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    l->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, on_request, l, MHD_OPTION_EXTERNAL_LOGGER, on_log, NULL, MHD_OPTION_SOCK_ADDR,
        address->ai_addr, MHD_OPTION_CONNECTION_LIMIT, (unsigned)SERVER_CONNECTIONS, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
        (unsigned)SERVER_CONNECTIONS_OF_ONE, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SERVER_IDLE_S,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)2 * SERVER_HEAD_BYTES, MHD_OPTION_NOTIFY_COMPLETED, on_completed, l,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, l, MHD_OPTION_LISTENING_ADDRESS_REUSE, 1u, MHD_OPTION_ARRAY,
        l->certificate ? tls : none, MHD_OPTION_END);
    if (!l->daemon)
        return error_set(e, -EADDRINUSE, "cannot listen on %s:%s: %s", o->host, o->port,
                         errno ? strerror(errno) : "is the certificate one, and its key?");
    return 0;
}

int listen_start(struct listener **out, struct server *s, unsigned *port, struct error *e)
{
    struct addrinfo *address = NULL;
    struct listener *l = *out = calloc(1, sizeof *l);
    if (!l)
        return error_set(e, -ENOMEM, "out of memory");
    l->server = s;
    pthread_mutex_init(&l->lock, NULL);
    int rc = resolve(s->options, &address, e);
    rc = rc ? rc : read_text(s->options->certificate, &l->certificate, e);
    rc = rc ? rc : read_text(s->options->key, &l->key, e);
    errno = 0;
    rc = rc ? rc : start(l, address, e);
    if (address)
        freeaddrinfo(address);
    if (rc) {
        listen_stop(l);
        *out = NULL;
        return rc;
    }
    *port = MHD_get_daemon_info(l->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    return 0;
}

void listen_stop(struct listener *l)
{
    if (!l)
        return;
    if (l->daemon)
        MHD_stop_daemon(l->daemon);
    pthread_mutex_destroy(&l->lock);
    free(l->certificate);
    free(l->key);
    free(l);
}
