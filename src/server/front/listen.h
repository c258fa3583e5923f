/* Opens the ports, and starts the loop that accepts connections. */
#ifndef CANDOR_SERVER_FRONT_LISTEN_H
#define CANDOR_SERVER_FRONT_LISTEN_H

#include "server/front/transport.h"
#include "server/request/context.h"

struct listener;

/* Listens from then on. Sets ports[i] to the port of the i-th address. Calls `tell` with a line if fewer connections are
 * possible than the options allow. Returns 0, or a code with a message in e. */
int listen_start(struct listener **out, struct server *s, unsigned *ports, void (*tell)(const char *text), struct error *e);
/* Writes an address as URLs have it: HOST:PORT, with brackets around a host of IPv6. */
enum { LISTEN_TEXT = 300 };
void listen_write(const struct server_address *at, const char *port, char *out, size_t size);
/* Uses another certificate and key for new connections, and takes the reference over. */
void listen_use_keys(struct listener *l, struct transport_keys *keys);
/* Stops listening. Requests that are being answered are completed. */
void listen_stop(struct listener *l);

#endif
