#include "server/front/listen.h"

#include "server/front/loop.h"
#include "server/pull/pull.h"

#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FILES = 200 }; /* descriptors for everything except connections */

struct listener {
    struct loop *loop;
};

/* Allows as many descriptors as the system permits. Reports if that is too few. Each profile that is pulled may have a connection. */
static void raise_files(const struct server *s, void (*tell)(const char *text))
{
    struct rlimit files;
    char text[300], pulled[60] = "";
    uint32_t profiles = s->pull ? pull_count(s->pull) : 0;
    if (getrlimit(RLIMIT_NOFILE, &files))
        return;
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_max >= (rlim_t)s->options->connections + profiles + FILES)
        return;
    if (profiles)
        snprintf(pulled, sizeof pulled, " and %" PRIu32 " profiles of --pull", profiles);
    snprintf(text, sizeof text,
             "the process may open %" PRIu64 " files, too few for --max-connections %" PRIu64
             "%s: beyond that, clients wait; raise the limit with "
             "ulimit -Hn, or LimitNOFILE of systemd",
             (uint64_t)files.rlim_max, s->options->connections, pulled);
    tell(text);
}

void listen_write(const struct server_address *at, const char *port, char *out, size_t size)
{
    bool v6 = strchr(at->host, ':') != NULL;
    snprintf(out, size, "%s%s%s:%s", v6 ? "[" : "", *at->host ? at->host : "0.0.0.0", v6 ? "]" : "", port);
}

static int open_socket(const struct server_address *at, const struct addrinfo *a, int *out, struct error *e)
{
    int on = 1, fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0) {
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (a->ai_family == AF_INET6)
            setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
        if (!bind(fd, a->ai_addr, a->ai_addrlen) && !listen(fd, SOMAXCONN)) {
            *out = fd;
            return 0;
        }
    }
    char address[LISTEN_TEXT];
    int code = -errno;
    listen_write(at, at->port, address, sizeof address);
    int rc = error_set(e, code, "cannot listen on %s: %s", address, strerror(-code));
    if (fd >= 0)
        close(fd);
    return rc;
}

static int open_port(const struct server_address *at, int *fd, unsigned *port, struct error *e)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV}, *address;
    int rc = getaddrinfo(*at->host ? at->host : NULL, at->port, &hints, &address);
    char text[LISTEN_TEXT];
    listen_write(at, at->port, text, sizeof text);
    if (rc)
        return error_set(e, -EINVAL, "--listen %s: %s", text, gai_strerror(rc));
    rc = open_socket(at, address, fd, e);
    freeaddrinfo(address);
    struct sockaddr_storage own = {0};
    socklen_t n = sizeof own;
    if (rc)
        return rc;
    getsockname(*fd, (struct sockaddr *)&own, &n);
    *port = ntohs(own.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&own)->sin6_port : ((struct sockaddr_in *)&own)->sin_port);
    return 0;
}

/* Opens all ports, or none. */
static int open_ports(const struct server_options *o, int *fds, unsigned *ports, struct error *e)
{
    uint32_t count = 0;
    int rc = 0;
    while (!rc && count < o->address_count) {
        rc = open_port(&o->addresses[count], &fds[count], &ports[count], e);
        count += !rc;
    }
    while (rc && count)
        close(fds[--count]);
    return rc;
}

int listen_start(struct listener **out, struct server *s, unsigned *ports, void (*tell)(const char *text), struct error *e)
{
    const struct server_options *o = s->options;
    int fds[SERVER_ADDRESSES_MAX];
    struct listener *l = calloc(1, sizeof *l);
    if (!l)
        return error_set(e, -ENOMEM, "out of memory");
    struct transport_keys *keys = NULL;
    int rc = o->certificate ? transport_read_keys(&keys, o->certificate, o->key, o->client_ca, e) : 0;
    rc = rc ? rc : open_ports(o, fds, ports, e);
    if (rc) {
        transport_put_keys(keys);
        free(l);
        return rc;
    }
    raise_files(s, tell);
    rc = loop_start(&l->loop, s, fds, keys, e);
    if (!rc) {
        *out = l;
        return 0;
    }
    for (uint32_t i = 0; i < o->address_count; i++)
        close(fds[i]);
    free(l);
    return rc;
}

void listen_use_keys(struct listener *l, struct transport_keys *keys)
{
    loop_use_keys(l->loop, keys);
}

void listen_stop(struct listener *l)
{
    loop_stop(l->loop);
    free(l);
}
