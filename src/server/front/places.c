#include "server/front/places.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

static void read_address(const struct sockaddr *peer, uint8_t out[16])
{
    memset(out, 0, 16);
    if (peer->sa_family == AF_INET)
        memcpy(out, &((const struct sockaddr_in *)(const void *)peer)->sin_addr, 4);
    else if (peer->sa_family == AF_INET6)
        memcpy(out + 4, &((const struct sockaddr_in6 *)(const void *)peer)->sin6_addr, 8);
}

static struct place **bucket_of(struct places *p, const uint8_t address[16])
{
    uint32_t hash = 2166136261; /* FNV-1a */
    for (int i = 0; i < 16; i++)
        hash = (hash ^ address[i]) * 16777619;
    return &p->buckets[(hash ^ hash >> 16) % PLACES_BUCKETS];
}

struct place *places_take(struct places *p, const struct sockaddr *peer, uint32_t most)
{
    uint8_t address[16];
    read_address(peer, address);
    struct place **bucket = bucket_of(p, address), *place = *bucket;
    while (place && memcmp(place->address, address, sizeof address))
        place = place->next;
    if (!place && most && (place = calloc(1, sizeof *place))) {
        memcpy(place->address, address, sizeof address);
        place->next = *bucket;
        *bucket = place;
    }
    if (!place || place->count >= most)
        return NULL;
    place->count++;
    return place;
}

void places_give(struct places *p, struct place *place)
{
    if (--place->count)
        return;
    struct place **at = bucket_of(p, place->address);
    while (*at != place)
        at = &(*at)->next;
    *at = place->next;
    free(place);
}
