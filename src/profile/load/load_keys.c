#include "profile/load/load_keys.h"

#include "base/map.h"

#include <stdlib.h>

enum { PLACES_FIRST = 1 << 6, PLACES_MAX = 1 << 30 };

static struct load_meaning *place(struct load_meaning *places, uint32_t cap, uint64_t key)
{
    uint32_t i = (uint32_t)hash_mix(key) & (cap - 1);
    while (places[i].chunk && places[i].key != key)
        i = (i + 1) & (cap - 1);
    return &places[i];
}

/* Returns 0 or -1. */
static int grow(struct load_keys *k)
{
    uint32_t cap = k->cap ? k->cap * 2 : PLACES_FIRST;
    struct load_meaning *places = cap <= PLACES_MAX ? calloc(cap, sizeof *places) : NULL;
    if (!places)
        return -1;
    for (uint32_t i = 0; i < k->cap; i++)
        if (k->places[i].chunk)
            *place(places, cap, k->places[i].key) = k->places[i];
    free(k->places);
    k->places = places;
    k->cap = cap;
    return 0;
}

struct load_meaning *load_keys_find(struct load_keys *k, uint64_t key)
{
    if (k->count >= k->cap / 4 * 3 && grow(k))
        return NULL;
    struct load_meaning *m = place(k->places, k->cap, key);
    if (!m->chunk) {
        m->key = key;
        k->count++;
    }
    return m;
}

void load_keys_deinit(struct load_keys *k)
{
    free(k->places);
    *k = (struct load_keys){0};
}
