/* The listening side of the control socket. It is one Unix stream socket with mode 0600, in the first folder of CONTROL_FOLDERS in which it
 * can be created. No function waits, because the agent's thread has samples to drain. */
#ifndef CANDOR_AGENT_CONTROL_SOCKET_H
#define CANDOR_AGENT_CONTROL_SOCKET_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { SOCKET_REQUEST_MAX = 8192, SOCKET_PATIENCE_MS = 2000 };

/* A client whose request has not fully arrived. */
struct socket_peer {
    int fd;     /* -1 = none */
    int passed; /* the descriptor that came with the request, -1 = none */
    pid_t client;
    uint64_t deadline_ns;
    size_t used;
    char request[SOCKET_REQUEST_MAX + 1];
};

/* Opens the socket. Returns the listening descriptor, or a negative errno. A stale socket of an earlier process with this pid is replaced.
 * If another user owns a file with that name, the file is left alone, and another name is used. */
int socket_listen(struct error *e);
/* Closes and removes the socket. -1 is ignored. */
void socket_unlisten(int fd);
/* Accepts a peer whose user is ours or root. Returns 0 or a negative errno. */
int socket_accept(int fd, struct socket_peer *peer);
/* Reads the part of the request that has arrived, and the first descriptor that came with it. Returns 1 if the line is complete
 * (zero-terminated, without newline), and 0 if more will come. A negative result means that the peer was closed: it is gone or too slow, or
 * its request was refused. */
int socket_read(struct socket_peer *peer);
/* Sends as much of the answer as the socket accepts at once, then closes the connection and the passed descriptor. */
void socket_answer(struct socket_peer *peer, const char *text, size_t len);
/* Closes the peer if there is one. Returns rc. */
int socket_hang_up(struct socket_peer *peer, int rc);

#endif
