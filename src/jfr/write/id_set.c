#include "jfr/write/id_set.h"

#include <stdlib.h>
#include <string.h>

static bool reach(struct id_set *s, size_t word)
{
    if (word < s->words)
        return true;
    size_t words = s->words ? s->words : 64;
    while (words <= word)
        words *= 2;
    uint64_t *known = realloc(s->known, words * sizeof *known);
    if (!known)
        return false;
    memset(known + s->words, 0, (words - s->words) * sizeof *known);
    s->known = known;
    s->words = words;
    return true;
}

bool id_set_push(struct id_set *s, uint32_t id)
{
    if (s->pending_count == s->pending_cap) {
        size_t cap = s->pending_cap ? s->pending_cap * 2 : 64;
        uint32_t *pending = realloc(s->pending, cap * sizeof *pending);
        if (!pending)
            return false;
        s->pending = pending;
        s->pending_cap = cap;
    }
    s->pending[s->pending_count++] = id;
    return true;
}

bool id_set_need(struct id_set *s, uint32_t id)
{
    size_t word = id / 64;
    uint64_t bit = 1ULL << (id % 64);
    if (!id || (word < s->words && s->known[word] & bit))
        return true;
    if (!reach(s, word) || !id_set_push(s, id))
        return false;
    s->known[word] |= bit;
    return true;
}

void id_set_clear(struct id_set *s)
{
    if (s->known)
        memset(s->known, 0, s->words * sizeof *s->known);
    s->pending_count = 0;
}

void id_set_deinit(struct id_set *s)
{
    free(s->known);
    free(s->pending);
    *s = (struct id_set){0};
}
