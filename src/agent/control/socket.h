/* The listening side of the control socket: one Unix stream socket, mode 0600, in the first folder of CONTROL_FOLDERS that takes
 * one. Nothing here waits: the agent's thread has samples to drain. */
#ifndef CANDOR_AGENT_CONTROL_SOCKET_H
#define CANDOR_AGENT_CONTROL_SOCKET_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { SOCKET_REQUEST_MAX = 8192, SOCKET_PATIENCE_MS = 2000 };

/* A client whose request is on its way. */
struct socket_peer {
    int fd;     /* -1 = none */
    int passed; /* the descriptor that came with the request, -1 = none */
    pid_t client;
    uint64_t deadline_ns;
    size_t used;
    char request[SOCKET_REQUEST_MAX + 1];
};

/* The listening descriptor, or a negative errno. A stale socket of an earlier process with this pid is replaced; a file of anybody
 * else's with its name is left alone, and another name taken. */
int socket_listen(struct error *e);
/* Closes and removes it; -1 is passed over. */
void socket_unlisten(int fd);
/* Accepts a peer that is our user or root. 0 or a negative errno. */
int socket_accept(int fd, struct socket_peer *peer);
/* Reads the part of the request that has arrived, and the first descriptor with it. 1: the line is complete (zero-terminated,
 * without newline); 0: more will come; negative: the peer is gone or too slow, or its request was refused, and it is closed. */
int socket_read(struct socket_peer *peer);
/* Sends as much of the answer as the socket accepts at once, then closes the connection and the passed descriptor. */
void socket_answer(struct socket_peer *peer, const char *text, size_t len);
/* Closes the peer, if there is one. Returns rc. */
int socket_hang_up(struct socket_peer *peer, int rc);

#endif
