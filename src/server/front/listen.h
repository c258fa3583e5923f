/* The port. */
#ifndef CANDOR_SERVER_FRONT_LISTEN_H
#define CANDOR_SERVER_FRONT_LISTEN_H

#include "server/request/context.h"

struct listener;

/* Listens from then on. Fills *port with the one that is used. `tell` gets a line if fewer connections are possible than the options say.
 * 0 or a code with its line. */
int listen_start(struct listener **out, struct server *s, unsigned *port, void (*tell)(const char *text), struct error *e);
/* Lets requests that are being answered end. */
void listen_stop(struct listener *l);

#endif
