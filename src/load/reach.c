#include "load/reach.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Tries to connect to an address. Returns 0 or an errno. */
static int try_address(const struct addrinfo *a)
{
    enum { PATIENCE_MS = 5000 };
    int error = 0, fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    socklen_t size = sizeof error;
    if (fd < 0)
        return errno;
    if (connect(fd, a->ai_addr, a->ai_addrlen)) {
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        if (errno != EINPROGRESS)
            error = errno;
        else if (poll(&p, 1, PATIENCE_MS) <= 0)
            error = ETIMEDOUT;
        else
            getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    }
    close(fd);
    return error;
}

int reach_host(const char *host, const char *port, struct addrinfo **all, struct addrinfo **one, struct error *e)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    int rc = getaddrinfo(host, port, &hints, all), error = ECONNREFUSED;
    bool v6 = strchr(host, ':') != NULL;
    *one = NULL;
    if (rc) {
        *all = NULL;
        return error_set(e, -EHOSTUNREACH, "cannot find host %.200s: %s", host, gai_strerror(rc));
    }
    for (struct addrinfo *a = *all; a; a = a->ai_next)
        if (!(error = try_address(a))) {
            *one = a;
            return 0;
        }
    freeaddrinfo(*all);
    *all = NULL;
    return error_set(e, -error, "cannot connect to %s%.200s%s:%.8s: %s; check that the server is running", v6 ? "[" : "", host,
                     v6 ? "]" : "", port, strerror(error));
}
