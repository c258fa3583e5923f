/* Connects to Unix stream sockets of one process. */
#include "attach/socket.h"
#include "attach/identity.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

static int left_ms(uint64_t deadline)
{
    uint64_t now = clock_monotonic_ns();
    uint64_t ms = now >= deadline ? 0 : (deadline - now + NS_PER_MS - 1) / NS_PER_MS;
    return ms > 1000000 ? 1000000 : (int)ms;
}

/* Checks the peer. The kernel reports the process that called listen. */
static int check_peer(int fd, const struct process *owner)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
        return -errno;
    return peer.pid == owner->pid ? 0 : -EPERM;
}

/* Opens the socket's file and checks it. The checked file stays open and is the one that is connected to, so no other process can replace
 * it in between. */
static int open_socket_file(int directory, const char *name, const struct process *owner)
{
    struct stat st;
    int file = openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return -errno;
    int code = fstat(file, &st) ? -errno : !S_ISSOCK(st.st_mode) || st.st_uid != owner->uid ? -EPERM : 0;
    if (code)
        close(file);
    return code ? code : file;
}

static int connect_to(int file, const struct process *owner, uint64_t deadline)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d", file);
    int ms = left_ms(deadline), code = 0;
    struct timeval limit = {ms / 1000, ms % 1000 * 1000 + 1};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit); /* it limits connect if the backlog is full */
    if (connect(fd, (struct sockaddr *)&address, sizeof address))
        code = errno == EAGAIN || errno == EINPROGRESS ? -ETIMEDOUT : -errno;
    else
        code = check_peer(fd, owner);
    if (!code)
        return fd;
    close(fd);
    return code;
}

int socket_connect(int directory, const char *name, const struct process *owner, uint64_t deadline)
{
    struct identity own;
    int code = identity_assume(owner, &own);
    if (code)
        return code;
    int file = open_socket_file(directory, name, owner), fd = file;
    if (file >= 0) {
        fd = connect_to(file, owner, deadline);
        close(file);
    }
    identity_restore(&own);
    return fd;
}

static int wait_for(int fd, short events, uint64_t deadline)
{
    struct pollfd p = {fd, events, 0};
    for (;;) {
        int n = poll(&p, 1, left_ms(deadline));
        if (n > 0)
            return 0;
        if (n == 0)
            return -ETIMEDOUT;
        if (errno != EINTR)
            return -errno;
    }
}

int socket_send(int fd, const void *bytes, size_t len, uint64_t deadline)
{
    while (len) {
        ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n >= 0) {
            bytes = (const char *)bytes + n;
            len -= (size_t)n;
            continue;
        }
        if (errno == EINTR)
            continue;
        int code = errno == EAGAIN ? wait_for(fd, POLLOUT, deadline) : -errno;
        if (code)
            return code;
    }
    return 0;
}

int socket_send_descriptor(int fd, const void *byte, int passed, uint64_t deadline)
{
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(sizeof passed)];
    } control = {.head = {.cmsg_len = CMSG_LEN(sizeof passed), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct iovec part = {(void *)byte, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    memcpy(CMSG_DATA(&control.head), &passed, sizeof passed);
    for (;;) {
        if (sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1)
            return 0;
        int code = errno == EINTR ? 0 : errno == EAGAIN ? wait_for(fd, POLLOUT, deadline) : -errno;
        if (code)
            return code;
    }
}

int socket_receive(int fd, struct buffer *out, uint64_t deadline)
{
    char bytes[4096];
    for (;;) {
        ssize_t n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n == 0)
            return 0;
        if (n > 0) {
            buffer_put(out, bytes, (size_t)n);
            if (out->failed)
                return -EMSGSIZE;
            continue;
        }
        if (errno == EINTR)
            continue;
        int code = errno == EAGAIN ? wait_for(fd, POLLIN, deadline) : -errno;
        if (code)
            return code;
    }
}
