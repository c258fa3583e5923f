/* The clients with requests in progress. Their number is bounded, so that silent clients can neither use up the process's descriptors nor
 * block other clients. Only the agent's thread calls these functions, and none of them waits. */
#ifndef CANDOR_AGENT_CONTROL_PEERS_H
#define CANDOR_AGENT_CONTROL_PEERS_H

#include "agent/control/socket.h"

#include <poll.h>
#include <stdbool.h>

enum { PEERS_MAX = 8 };

struct peers {
    struct socket_peer all[PEERS_MAX]; /* fd -1 = free */
};

void peers_init(struct peers *p);
bool peers_any(const struct peers *p);
/* Fills an entry for each client, PEERS_MAX at most. Returns their number. */
nfds_t peers_watch(const struct peers *p, struct pollfd *fds);
/* Accepts one more client. If there is no room, it disconnects the client that has been silent longest. Returns 0 or a negative errno. */
int peers_accept(struct peers *p, int listener);
/* Reads incoming data. Returns the next client whose request is complete, for socket_answer, or NULL. It disconnects clients that are gone
 * or too slow. */
struct socket_peer *peers_next(struct peers *p);
void peers_hang_up(struct peers *p);

#endif
