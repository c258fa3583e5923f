#include "agent/record/names/stacks.h"

#include "base/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int stacks_init(struct stacks *s)
{
    *s = (struct stacks){.count = 1, .cap = 1024, .table_cap = 2048};
    s->nodes = calloc(s->cap, sizeof *s->nodes);
    s->table = calloc(s->table_cap, sizeof *s->table);
    if (s->nodes && s->table)
        return 0;
    stacks_deinit(s);
    return -ENOMEM;
}

void stacks_deinit(struct stacks *s)
{
    free(s->nodes);
    free(s->table);
    *s = (struct stacks){0};
}

void stacks_clear(struct stacks *s)
{
    s->count = 1;
    memset(s->table, 0, s->table_cap * sizeof *s->table);
}

static uint32_t *place(const struct stacks *s, uint32_t *table, uint32_t cap, uint32_t parent, uint64_t frame)
{
    uint32_t i = (uint32_t)hash_mix(frame + parent * 0x9e3779b97f4a7c15ULL) & (cap - 1);
    while (table[i] && (s->nodes[table[i]].parent != parent || s->nodes[table[i]].frame != frame))
        i = (i + 1) & (cap - 1);
    return &table[i];
}

static int grow(struct stacks *s)
{
    if (s->count == s->cap) {
        struct stack_node *nodes = s->cap < STACKS_NODES_MAX ? realloc(s->nodes, 2 * (size_t)s->cap * sizeof *nodes) : NULL;
        if (!nodes)
            return -ENOMEM;
        s->nodes = nodes;
        s->cap *= 2;
    }
    if (s->count * 4u < s->table_cap * 3u)
        return 0;
    uint32_t cap = s->table_cap * 2;
    uint32_t *table = calloc(cap, sizeof *table);
    if (!table)
        return -ENOMEM;
    for (uint32_t id = 1; id < s->count; id++)
        *place(s, table, cap, s->nodes[id].parent, s->nodes[id].frame) = id;
    free(s->table);
    s->table = table;
    s->table_cap = cap;
    return 0;
}

uint32_t stacks_add(struct stacks *s, const uint64_t *frames, size_t count)
{
    uint32_t at = 0;
    while (count--) {
        uint32_t *found = place(s, s->table, s->table_cap, at, frames[count]);
        if (!*found) {
            if (grow(s))
                return at;
            found = place(s, s->table, s->table_cap, at, frames[count]);
            s->nodes[s->count] = (struct stack_node){.frame = frames[count], .parent = at};
            *found = s->count++;
        }
        at = *found;
    }
    return at;
}

/* A node is newer than its callers. So of two different nodes, the newer one is not a caller of the other. */
int stacks_compare(const struct stacks *s, uint32_t a, uint32_t b)
{
    uint32_t below_a = 0, below_b = 0;
    while (a != b)
        if (a > b)
            below_a = a, a = s->nodes[a].parent;
        else
            below_b = b, b = s->nodes[b].parent;
    return (below_a > below_b) - (below_a < below_b);
}
