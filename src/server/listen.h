/* The port: libmicrohttpd with a thread per connection, and limits on what a client may use. */
#ifndef CANDOR_SERVER_LISTEN_H
#define CANDOR_SERVER_LISTEN_H

#include "server/request/context.h"

struct listener;

/* Listens from then on. Fills *port with the one that is used. 0 or a code with its line. */
int listen_start(struct listener **out, struct server *s, unsigned *port, struct error *e);
/* Ends connections that have not completed a request's head in time. To be called every second. */
void listen_tick(struct listener *l);
/* Lets requests that are being answered end. */
void listen_stop(struct listener *l);

#endif
