#include "agent/control/peers.h"

#include <stddef.h>

void peers_init(struct peers *p)
{
    for (int i = 0; i < PEERS_MAX; i++)
        p->all[i].fd = p->all[i].passed = -1;
}

bool peers_any(const struct peers *p)
{
    for (int i = 0; i < PEERS_MAX; i++)
        if (p->all[i].fd >= 0)
            return true;
    return false;
}

nfds_t peers_watch(const struct peers *p, struct pollfd *fds)
{
    nfds_t count = 0;
    for (int i = 0; i < PEERS_MAX; i++)
        if (p->all[i].fd >= 0)
            fds[count++] = (struct pollfd){.fd = p->all[i].fd, .events = POLLIN};
    return count;
}

/* Returns a free place, or the place of the client that came first. */
static struct socket_peer *place(struct peers *p)
{
    struct socket_peer *oldest = &p->all[0];
    for (int i = 0; i < PEERS_MAX; i++) {
        if (p->all[i].fd < 0)
            return &p->all[i];
        if (p->all[i].deadline_ns < oldest->deadline_ns)
            oldest = &p->all[i];
    }
    return oldest;
}

int peers_accept(struct peers *p, int listener)
{
    struct socket_peer *peer = place(p);
    socket_hang_up(peer, 0);
    return socket_accept(listener, peer);
}

struct socket_peer *peers_next(struct peers *p)
{
    for (int i = 0; i < PEERS_MAX; i++)
        if (p->all[i].fd >= 0 && socket_read(&p->all[i]) > 0)
            return &p->all[i];
    return NULL;
}

void peers_hang_up(struct peers *p)
{
    for (int i = 0; i < PEERS_MAX; i++)
        socket_hang_up(&p->all[i], 0);
}
