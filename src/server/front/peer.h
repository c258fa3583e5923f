/* A connection as its HTTP/2 streams see it: the client, and the way to it. It is a part of the connection, and exists as long as it. */
#ifndef CANDOR_SERVER_FRONT_PEER_H
#define CANDOR_SERVER_FRONT_PEER_H

#include "server/front/places.h"
#include "server/front/transport.h"
#include "server/request/context.h"

struct connection;

struct peer {
    struct server *server;
    struct transport *transport;
    struct connection *connection;
    struct place *place;
    const char *address; /* of the client, for the log */
    bool *reset;         /* to be set if the rest cannot be sent any more */
};

#endif
