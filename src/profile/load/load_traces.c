#include "profile/load/load_traces.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { PLACES_FIRST = 1 << 10, PLACES_MAX = 1 << 24 };

void load_traces_init(struct load_traces *t)
{
    *t = (struct load_traces){0};
    if (getrandom(t->seeds, sizeof t->seeds, GRND_NONBLOCK) != sizeof t->seeds)
        t->seeds[0] = t->seeds[1] = (uintptr_t)t * 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 2; i++) /* a factor is never 0, whatever the frame, which has no such bit */
        t->seeds[i] |= (uint64_t)1 << 63;
}

void load_traces_deinit(struct load_traces *t)
{
    free(t->places);
    *t = (struct load_traces){0};
}

void load_traces_clear(struct load_traces *t)
{
    if (t->count)
        memset(t->places, 0, t->cap * sizeof *t->places);
    t->count = 0;
}

size_t load_traces_bytes(const struct load_traces *t)
{
    return t->cap * sizeof *t->places;
}

static struct load_trace *place(struct load_trace *places, uint32_t cap, struct load_digest d)
{
    uint32_t i = (uint32_t)d.words[0] & (cap - 1);
    while (places[i].stack && (places[i].digest.words[0] != d.words[0] || places[i].digest.words[1] != d.words[1]))
        i = (i + 1) & (cap - 1);
    return &places[i];
}

uint32_t load_traces_find(const struct load_traces *t, struct load_digest digest)
{
    return t->cap ? place(t->places, t->cap, digest)->stack : 0;
}

/* Returns whether there is room for one more. */
static bool grow(struct load_traces *t)
{
    if (t->count < t->cap / 4 * 3)
        return true;
    uint32_t cap = t->cap ? 2 * t->cap : PLACES_FIRST;
    struct load_trace *places = cap <= PLACES_MAX ? calloc(cap, sizeof *places) : NULL;
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

void load_traces_add(struct load_traces *t, struct load_digest digest, uint32_t stack)
{
    if (!grow(t))
        return;
    struct load_trace *at = place(t->places, t->cap, digest);
    t->count += !at->stack;
    *at = (struct load_trace){digest, stack};
}
