/* Counts the connections of each address. For IPv6, it counts those of a network (the first 64 bits of the address), because a client that
 * has one address of a network can use all of them. Only one thread may call these functions. */
#ifndef CANDOR_SERVER_FRONT_PLACES_H
#define CANDOR_SERVER_FRONT_PLACES_H

#include <stdint.h>
#include <sys/socket.h>

enum { PLACES_BUCKETS = 1024 };

struct place { /* an address that has connections */
    struct place *next;
    uint8_t address[16];
    uint32_t count;
    uint32_t streams; /* requests of HTTP/2 that these connections have at once */
};

struct places {
    struct place *buckets[PLACES_BUCKETS];
};

/* Takes a place for one more connection of this address. The caller returns the place with places_give. Returns NULL if the address has
 * `most` connections already, or if there is no memory. */
struct place *places_take(struct places *p, const struct sockaddr *peer, uint32_t most);
void places_give(struct places *p, struct place *place);

#endif
