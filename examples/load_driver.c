/*
 * A driver for candor load: services that answer each line with a line, in the order of the questions. The path of the URL, or of a
 * request, is the line that is sent.
 *
 *     cc -shared -fPIC -o line.so load_driver.c $(pkg-config --cflags candor-queue)
 *     candor load --driver ./line.so -r 1000 line://localhost:7/hello
 */
#include <candor/load_driver.h>

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WAITING_MAX = 1024, LINE = 512 };

struct connection {
    const struct candor_load_host *host;
    struct candor_load_connection *candor;
    int fd, open;
    struct candor_load_request *waiting[WAITING_MAX]; /* a ring: those that have no answer yet */
    unsigned first, count;
};

static void *open_target(const struct candor_load_target *target, char *message, size_t size)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found;
    int rc = getaddrinfo(target->host, *target->port ? target->port : "7", &hints, &found);
    if (rc)
        snprintf(message, size, "cannot find host %s: %s", target->host, gai_strerror(rc));
    return rc ? NULL : found;
}

static void close_target(void *target)
{
    freeaddrinfo(target);
}

static void *connect_to(void *target, const struct candor_load_host *host, struct candor_load_connection *candor)
{
    const struct addrinfo *address = target;
    struct connection *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->host = host, c->candor = candor;
    c->fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (c->fd < 0 || (connect(c->fd, address->ai_addr, address->ai_addrlen) && errno != EINPROGRESS)) {
        int error = errno;
        if (c->fd >= 0)
            close(c->fd);
        free(c);
        errno = error;
        return NULL;
    }
    host->watch(candor, c->fd, CANDOR_LOAD_WRITABLE);
    return c;
}

static void disconnect(void *connection)
{
    struct connection *c = connection;
    close(c->fd);
    free(c);
}

static void issue(void *connection, struct candor_load_request *r)
{
    struct connection *c = connection;
    char line[LINE];
    int n = snprintf(line, sizeof line, "%s\n", r->call->path + 1);
    if (n >= LINE || c->count == WAITING_MAX) {
        c->host->done(c->candor, r, CANDOR_LOAD_REFUSED, 0, "a line is too long, or too many requests are in progress");
        return;
    }
    c->waiting[(c->first + c->count++) % WAITING_MAX] = r;
    if (send(c->fd, line, (size_t)n, MSG_NOSIGNAL) != n) /* a real driver would keep what does not fit */
        c->host->lost(c->candor, "the server does not read what is sent");
}

static void event(void *connection, uint32_t events)
{
    struct connection *c = connection;
    char bytes[4096];
    ssize_t n;
    if (!c->open) {
        int error = 0;
        socklen_t size = sizeof error;
        getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &size);
        if (error) {
            c->host->lost(c->candor, strerror(error));
            return;
        }
        c->open = 1;
        c->host->watch(c->candor, c->fd, CANDOR_LOAD_READABLE);
        c->host->ready(c->candor);
    }
    (void)events;
    n = recv(c->fd, bytes, sizeof bytes, 0);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        c->host->lost(c->candor, n ? strerror(errno) : "the server closed the connection");
    for (ssize_t i = 0; i < n; i++)
        if (bytes[i] == '\n' && c->count) {
            struct candor_load_request *r = c->waiting[c->first];
            c->first = (c->first + 1) % WAITING_MAX;
            c->count--;
            c->host->done(c->candor, r, CANDOR_LOAD_ANSWERED, 0, NULL);
        }
}

static const struct candor_load_driver driver = {
    .version = CANDOR_LOAD_DRIVER_VERSION,
    .name = "line",
    .actions = 1 << CANDOR_LOAD_CALL,
    .open = open_target,
    .close = close_target,
    .connect = connect_to,
    .disconnect = disconnect,
    .issue = issue,
    .event = event,
};

const struct candor_load_driver *candor_load_driver(void);
const struct candor_load_driver *candor_load_driver(void)
{
    return &driver;
}
