#include "daemon/spool/charges.h"

#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REMEMBERED = 256 };

bool charges_is_of(const struct charge *c, const char *id)
{
    return !strncmp(c->owner, id, CHARGES_OWNER - 1);
}

const struct charge *charges_find(const struct charges *c, const char *id)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (charges_is_of(&c->list[i], id))
            return &c->list[i];
    return NULL;
}

struct charge *charges_of(struct charges *c, const char *id)
{
    const struct charge *known = charges_find(c, id);
    if (known)
        return &c->list[known - c->list];
    if (ARRAY_GROW(c->list, c->cap, c->count))
        return NULL;
    struct charge *added = &c->list[c->count++];
    *added = (struct charge){0};
    snprintf(added->owner, sizeof added->owner, "%.8s", id);
    return added;
}

void charges_begin_live(struct charges *c)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        c->list[i].live = 0;
        if (c->list[i].waiting || c->count <= REMEMBERED)
            c->list[kept++] = c->list[i];
    }
    c->count = kept;
    c->live = 0;
}

void charges_add_live(struct charges *c, const char *id, uint64_t bytes)
{
    struct charge *of = charges_of(c, id);
    if (of)
        of->live += bytes;
    c->live += bytes;
}

struct charge *charges_largest(struct charges *c, bool waiting_only)
{
    struct charge *largest = NULL;
    uint64_t most = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        uint64_t bytes = c->list[i].waiting + (waiting_only ? 0 : c->list[i].live);
        if (bytes > most) {
            most = bytes;
            largest = &c->list[i];
        }
    }
    return largest;
}

void charges_deinit(struct charges *c)
{
    free(c->list);
    *c = (struct charges){0};
}
