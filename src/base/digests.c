#include "base/digests.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { PLACES_FIRST = 1 << 10, PLACES_MAX = 1 << 24 };

void digests_init(struct digests *t)
{
    *t = (struct digests){0};
    if (getrandom(t->seeds, sizeof t->seeds, GRND_NONBLOCK) != sizeof t->seeds)
        t->seeds[0] = t->seeds[1] = (uintptr_t)t * 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 2; i++) /* a factor is never 0, whatever the frame, which has no such bit */
        t->seeds[i] |= (uint64_t)1 << 63;
}

void digests_deinit(struct digests *t)
{
    free(t->places);
    *t = (struct digests){0};
}

void digests_clear(struct digests *t)
{
    if (t->count)
        memset(t->places, 0, t->cap * sizeof *t->places);
    t->count = 0;
}

size_t digests_bytes(const struct digests *t)
{
    return t->cap * sizeof *t->places;
}

static struct digests_place *place(struct digests_place *places, uint32_t cap, struct digest d)
{
    uint32_t i = (uint32_t)d.words[0] & (cap - 1);
    while (places[i].stack && (places[i].digest.words[0] != d.words[0] || places[i].digest.words[1] != d.words[1]))
        i = (i + 1) & (cap - 1);
    return &places[i];
}

uint32_t digests_find(const struct digests *t, struct digest digest)
{
    return t->cap ? place(t->places, t->cap, digest)->stack : 0;
}

/* Returns whether there is room for one more. */
static bool grow(struct digests *t)
{
    if (t->count < t->cap / 4 * 3)
        return true;
    uint32_t cap = t->cap ? 2 * t->cap : PLACES_FIRST;
    struct digests_place *places = cap <= PLACES_MAX ? calloc(cap, sizeof *places) : NULL;
    if (!places)
        return false;
    for (uint32_t i = 0; i < t->cap; i++)
        if (t->places[i].stack)
            *place(places, cap, t->places[i].digest) = t->places[i];
    free(t->places);
    t->places = places;
    t->cap = cap;
    return true;
}

void digests_add(struct digests *t, struct digest digest, uint32_t stack)
{
    if (!grow(t))
        return;
    struct digests_place *at = place(t->places, t->cap, digest);
    t->count += !at->stack;
    *at = (struct digests_place){digest, stack};
}
