/* Unix stream sockets of one process, below its /tmp: the peer is checked, and every wait has a deadline. Deadlines are times
 * of clock_monotonic_ns. */
#ifndef CANDOR_ATTACH_SOCKET_H
#define CANDOR_ATTACH_SOCKET_H

#include "attach/process.h"
#include "base/buffer.h"

/* Connects to the socket NAME in the directory, with the rights of the process (attach/identity.h). The socket must be its
 * user's, and the process itself must listen; no link is followed. A descriptor, or: -ENOENT no such socket, -ECONNREFUSED
 * nobody listens, -EACCES not allowed, -EPERM somebody else's socket, -ETIMEDOUT, another negative errno. */
int socket_connect(int directory, const char *name, const struct process *owner, uint64_t deadline);
/* 0, -ETIMEDOUT or another negative errno. */
int socket_send(int fd, const void *bytes, size_t len, uint64_t deadline);
/* Sends one byte and with it a descriptor, which stays ours too. 0, -ETIMEDOUT or another negative errno. */
int socket_send_descriptor(int fd, const void *byte, int passed, uint64_t deadline);
/* Reads until the peer closes; out->max bounds the answer. 0, -ETIMEDOUT, -EMSGSIZE (longer than out->max), -errno. */
int socket_receive(int fd, struct buffer *out, uint64_t deadline);

#endif
