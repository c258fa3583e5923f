#include "base/map.h"

#include <stdlib.h>
#include <string.h>

void map_init(struct map *m)
{
    *m = (struct map){0};
}

void map_deinit(struct map *m)
{
    free(m->slots);
    map_init(m);
}

void map_clear(struct map *m)
{
    if (m->slots)
        memset(m->slots, 0, m->cap * sizeof *m->slots);
    m->count = 0;
}

static struct map_slot *place(struct map_slot *slots, size_t cap, uint64_t key)
{
    size_t i = hash_mix(key) & (cap - 1);
    while (slots[i].used && slots[i].key != key)
        i = (i + 1) & (cap - 1);
    return &slots[i];
}

uint32_t *map_find(const struct map *m, uint64_t key)
{
    if (!m->cap)
        return NULL;
    struct map_slot *s = place(m->slots, m->cap, key);
    return s->used ? &s->value : NULL;
}

void map_soon(const struct map *m, uint64_t key)
{
    if (m->cap)
        __builtin_prefetch(&m->slots[hash_mix(key) & (m->cap - 1)]);
}

static bool grow(struct map *m)
{
    size_t cap = m->cap ? m->cap * 2 : 64;
    struct map_slot *slots = calloc(cap, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < m->cap; i++)
        if (m->slots[i].used)
            *place(slots, cap, m->slots[i].key) = m->slots[i];
    free(m->slots);
    m->slots = slots;
    m->cap = cap;
    return true;
}

uint32_t *map_add(struct map *m, uint64_t key, bool *added)
{
    if (m->count * 4 >= m->cap * 3 && !grow(m))
        return NULL;
    struct map_slot *s = place(m->slots, m->cap, key);
    *added = !s->used;
    if (!s->used) {
        *s = (struct map_slot){.key = key, .used = 1};
        m->count++;
    }
    return &s->value;
}

uint64_t hash_bytes(const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    uint64_t h = 0x9e3779b97f4a7c15ULL ^ n;
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t v;
        memcpy(&v, p, 8);
        h = hash_mix(h ^ v) + 0x9e3779b97f4a7c15ULL;
    }
    uint64_t tail = 0;
    memcpy(&tail, p, n);
    return hash_mix(h ^ tail);
}
