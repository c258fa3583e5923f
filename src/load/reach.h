/* Finds an address of a host that answers. It is separate, because HTTP and the drivers of stores both begin with it. */
#ifndef CANDOR_LOAD_REACH_H
#define CANDOR_LOAD_REACH_H

#include "base/error.h"

#include <netdb.h>

/* Connects to each address of the host until one answers, each for at most 5 s. *all is for freeaddrinfo; *one is part of it. Returns
 * 0, or a negative code with e; *all is then NULL. */
int reach_host(const char *host, const char *port, struct addrinfo **all, struct addrinfo **one, struct error *e);

#endif
