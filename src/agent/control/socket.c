#include "agent/control/socket.h"

#include "base/units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static void address(struct sockaddr_un *a)
{
    *a = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf(a->sun_path, sizeof a->sun_path, "/tmp/.candor-%d", (int)getpid());
}

/* Removes only a socket, and only our own: /tmp is sticky, so nobody else's file can stand in for it unnoticed. */
static void remove_stale(const char *path)
{
    struct stat st;
    if (!syscall(SYS_newfstatat, AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) && S_ISSOCK(st.st_mode) &&
        st.st_uid == geteuid())
        unlink(path);
}

int socket_listen(struct error *e)
{
    struct sockaddr_un a;
    address(&a);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return error_set(e, -errno, "cannot open the control socket: %s", strerror(errno));
    remove_stale(a.sun_path);
    /* The mode of the socket's file comes from the descriptor, so there is no moment at which others could connect. */
    if (fchmod(fd, 0600) < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) < 0 || listen(fd, 8) < 0) {
        int rc = -errno;
        close(fd);
        if (rc == -EADDRINUSE)
            return error_set(e, rc, "the control socket %s cannot be made: somebody else's file has its name; remove it", a.sun_path);
        return error_set(e, rc, "the control socket %s cannot be made: %s", a.sun_path, strerror(-rc));
    }
    return fd;
}

void socket_unlisten(int fd)
{
    struct sockaddr_un a;
    address(&a);
    close(fd);
    remove_stale(a.sun_path);
}

static int may_talk(int connection)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
        return -errno;
    return peer.uid == geteuid() || peer.uid == 0 ? 0 : -EPERM;
}

int socket_hang_up(struct socket_peer *peer, int rc)
{
    if (peer->fd >= 0)
        close(peer->fd);
    if (peer->passed >= 0)
        close(peer->passed);
    peer->fd = peer->passed = -1;
    return rc;
}

int socket_accept(int fd, struct socket_peer *peer)
{
    peer->fd = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (peer->fd < 0)
        return -errno;
    peer->passed = -1;
    peer->used = 0;
    peer->deadline_ns = clock_monotonic_ns() + SOCKET_PATIENCE_MS * 1000000u;
    int rc = may_talk(peer->fd);
    return rc ? socket_hang_up(peer, rc) : 0;
}

/* Keeps the first descriptor, closes all others: nobody shall fill our table. */
static void take_descriptors(struct socket_peer *peer, struct msghdr *message)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t at = 0; at + sizeof(int) <= c->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
            int fd;
            memcpy(&fd, CMSG_DATA(c) + at, sizeof fd);
            if (peer->passed < 0)
                peer->passed = fd;
            else
                close(fd);
        }
    }
}

static ssize_t receive(struct socket_peer *peer)
{
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {peer->request + peer->used, SOCKET_REQUEST_MAX - peer->used};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t n = recvmsg(peer->fd, &message, MSG_CMSG_CLOEXEC);
    if (n >= 0)
        take_descriptors(peer, &message);
    return n;
}

int socket_read(struct socket_peer *peer)
{
    static const char refusal[] = "error the request is longer than 8 KiB\n";
    ssize_t n = receive(peer);
    if (n < 0 && errno != EAGAIN)
        return socket_hang_up(peer, -errno);
    if (n == 0)
        return socket_hang_up(peer, -EPIPE);
    if (n > 0)
        peer->used += (size_t)n;
    char *end = memchr(peer->request, '\n', peer->used);
    if (end) {
        *end = 0;
        return 1;
    }
    if (peer->used == SOCKET_REQUEST_MAX) {
        socket_answer(peer, refusal, sizeof refusal - 1);
        return -EMSGSIZE;
    }
    return clock_monotonic_ns() < peer->deadline_ns ? 0 : socket_hang_up(peer, -ETIMEDOUT);
}

void socket_answer(struct socket_peer *peer, const char *text, size_t len)
{
    while (len) {
        ssize_t n = send(peer->fd, text, len, MSG_NOSIGNAL);
        if (n <= 0)
            break;
        text += n;
        len -= (size_t)n;
    }
    socket_hang_up(peer, 0);
}
