#include "agent/control/socket.h"

#include "base/agreed/control_protocol.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

/* Whether the path is a socket that belongs to our user. These folders are sticky, so no other user can replace such a socket unnoticed. */
static bool is_own(const char *path)
{
    struct stat st;
    return !syscall(SYS_newfstatat, AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) && S_ISSOCK(st.st_mode) && st.st_uid == geteuid();
}

/* Returns the id of the process that listens on the socket, or 0 if the process is not visible. -ECONNREFUSED: no process listens any
 * more. */
static pid_t listener_of(const struct sockaddr_un *a)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return 0;
    pid_t pid = connect(fd, (const struct sockaddr *)a, sizeof *a)      ? -errno
                : getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) ? 0
                                                                        : peer.pid;
    close(fd);
    return pid;
}

/* Removes the socket that an earlier process with our id has left. The socket of a live process stays, because two processes may have the
 * same id in two containers that share a /tmp. Returns -EALREADY if this process itself listens. */
static int remove_stale(const struct sockaddr_un *a)
{
    pid_t pid = is_own(a->sun_path) ? listener_of(a) : 0;
    if (pid == getpid())
        return -EALREADY;
    if (pid == -ECONNREFUSED)
        unlink(a->sun_path);
    return 0;
}

/* Makes the socket's address: with the plain name or, if another user's file has that, with a name that could not be predicted. */
static int address(struct sockaddr_un *a, const char *folder, bool plain)
{
    uint32_t random = 0;
    if (!plain && syscall(SYS_getrandom, &random, sizeof random, GRND_NONBLOCK) != sizeof random)
        return -EAGAIN;
    *a = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (plain)
        snprintf(a->sun_path, sizeof a->sun_path, "%s/" CONTROL_SOCKET, folder, (int)getpid());
    else
        snprintf(a->sun_path, sizeof a->sun_path, "%s/" CONTROL_SOCKET CONTROL_SOCKET_SUFFIX, folder, (int)getpid(), random);
    return 0;
}

/* Binds the socket. The mode of its file comes from the descriptor, so other users cannot connect at any time. */
static int bind_to(int fd, const struct sockaddr_un *a)
{
    int rc = remove_stale(a);
    if (rc)
        return rc;
    return fchmod(fd, 0600) < 0 || bind(fd, (const struct sockaddr *)a, sizeof *a) < 0 || listen(fd, 8) < 0 ? -errno : 0;
}

static int listen_in(const char *folder, bool plain)
{
    struct sockaddr_un a;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int rc = fd < 0 ? -errno : address(&a, folder, plain);
    if (!rc)
        rc = bind_to(fd, &a);
    if (!rc)
        return fd;
    if (fd >= 0)
        close(fd);
    return rc;
}

int socket_listen(struct error *e)
{
    static const char *const folders[] = CONTROL_FOLDERS;
    int first = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        int fd = listen_in(folders[i], true);
        if (fd == -EADDRINUSE)
            fd = listen_in(folders[i], false);
        if (fd >= 0)
            return fd;
        if (fd == -EALREADY)
            return error_set(e, fd, "another copy of the agent is active in this JVM: load the agent only once, always from the same file");
        first = first ? first : fd;
    }
    return error_set(e, first, "cannot create a control socket in /tmp (%s) or in /dev/shm; give this JVM write access to one of them",
                     strerror(-first));
}

void socket_unlisten(int fd)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    socklen_t size = sizeof a;
    if (fd < 0)
        return;
    if (!getsockname(fd, (struct sockaddr *)&a, &size) && is_own(a.sun_path))
        unlink(a.sun_path);
    close(fd);
}

static int may_talk(int connection, pid_t *client)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
        return -errno;
    *client = peer.pid;
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
    peer->deadline_ns = clock_monotonic_ns() + SOCKET_PATIENCE_MS * NS_PER_MS;
    int rc = may_talk(peer->fd, &peer->client);
    return rc ? socket_hang_up(peer, rc) : 0;
}

/* Keeps the first descriptor, and closes all others, so that no client can fill our table of descriptors. */
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

static int refuse(struct socket_peer *peer, const char *refusal)
{
    socket_answer(peer, refusal, strlen(refusal));
    return -EPROTO;
}

int socket_read(struct socket_peer *peer)
{
    ssize_t n = receive(peer);
    if (n < 0 && errno != EAGAIN)
        return socket_hang_up(peer, -errno);
    if (n == 0)
        return socket_hang_up(peer, -EPIPE);
    if (n > 0)
        peer->used += (size_t)n;
    char *end = memchr(peer->request, '\n', peer->used);
    if (!end && peer->used == SOCKET_REQUEST_MAX)
        return refuse(peer, "error the request is longer than 8 KiB\n");
    if (!end)
        return clock_monotonic_ns() < peer->deadline_ns ? 0 : socket_hang_up(peer, -ETIMEDOUT);
    if (end + 1 != peer->request + peer->used)
        return refuse(peer, "error there is more data after the request's line; a connection carries one request\n");
    if (memchr(peer->request, 0, peer->used))
        return refuse(peer, "error the request contains a zero byte\n");
    *end = 0;
    return 1;
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
