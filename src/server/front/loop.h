/* Runs the thread to which all connections belong. It waits for events with epoll, accepts new connections within the limits, and passes
 * work to workers. It never waits for a disk, for a client, or for a lock that is held for long. */
#ifndef CANDOR_SERVER_FRONT_LOOP_H
#define CANDOR_SERVER_FRONT_LOOP_H

#include "server/front/transport.h"
#include "server/request/context.h"

struct loop;

/* Starts the thread. listeners: a listening socket for each address of the options, which the
 * loop takes over if it starts. keys: the keys for TLS, or NULL; the loop
 * takes the reference over in any case. Returns 0, or a code with a message in e. */
int loop_start(struct loop **out, struct server *s, const int *listeners, struct transport_keys *keys, struct error *e);
/* Uses other keys for new connections, and takes the reference over. Any thread may call it. */
void loop_use_keys(struct loop *l, struct transport_keys *keys);
/* Accepts no more connections, closes idle ones, and completes requests that are being answered. l may be NULL. */
void loop_stop(struct loop *l);

#endif
