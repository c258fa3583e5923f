/* How many connections each address has. For IPv6 the network counts (the first 64 bits), because a client with one address of it has
 * all. One thread. */
#ifndef CANDOR_SERVER_FRONT_PLACES_H
#define CANDOR_SERVER_FRONT_PLACES_H

#include <stdint.h>
#include <sys/socket.h>

enum { PLACES_BUCKETS = 1024 };

struct place { /* an address with connections */
    struct place *next;
    uint8_t address[16];
    uint32_t count;
};

struct places {
    struct place *buckets[PLACES_BUCKETS];
};

/* Takes a place for one more connection of this address. NULL: the address has `most` connections already, or there is no memory.
 * places_give gives it back. */
struct place *places_take(struct places *p, const struct sockaddr *peer, uint32_t most);
void places_give(struct places *p, struct place *place);

#endif
