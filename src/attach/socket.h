/* Connects to Unix stream sockets of a process, below its /tmp. The peer is checked, and every wait has a deadline. Deadlines are times of
 * clock_monotonic_ns. */
#ifndef CANDOR_ATTACH_SOCKET_H
#define CANDOR_ATTACH_SOCKET_H

#include "attach/process.h"
#include "base/buffer.h"

/* Connects to the socket NAME in the directory, with the rights of the process (attach/identity.h). The socket must belong to the process's
 * user, and the process itself must listen. No link is followed. Returns a descriptor, or: -ENOENT there is no such socket, -ECONNREFUSED
 * no process listens, -EACCES not allowed, -EPERM the socket belongs to another user or process, -ETIMEDOUT, another negative errno. */
int socket_connect(int directory, const char *name, const struct process *owner, uint64_t deadline);
/* Sends the bytes. Returns 0, -ETIMEDOUT or another negative errno. */
int socket_send(int fd, const void *bytes, size_t len, uint64_t deadline);
/* Sends one byte together with a descriptor, which also remains open here. Returns 0, -ETIMEDOUT or another negative errno. */
int socket_send_descriptor(int fd, const void *byte, int passed, uint64_t deadline);
/* Reads until the peer closes the connection. out->max limits the answer. Returns 0, -ETIMEDOUT, -EMSGSIZE (longer than out->max), or
 * another negative errno. */
int socket_receive(int fd, struct buffer *out, uint64_t deadline);

#endif
