#include "analysis/sweep.h"

#include <errno.h>
#include <stdlib.h>

int sweep_init(struct sweep *s, uint32_t room)
{
    *s = (struct sweep){.items = malloc(((size_t)room + 1) * sizeof *s->items), .met = malloc(((size_t)room + 1) * sizeof *s->met)};
    return s->items && s->met ? 0 : -ENOMEM;
}

void sweep_deinit(struct sweep *s)
{
    free(s->items);
    free(s->met);
}

void sweep_add(struct sweep *s, uint32_t index, int64_t from_ns, int64_t to_ns)
{
    s->items[s->count++] = (struct sweep_item){from_ns, to_ns, index};
}

static int by_beginning(const void *left, const void *right)
{
    const struct sweep_item *a = left, *b = right;
    return a->from_ns != b->from_ns ? (a->from_ns > b->from_ns) - (a->from_ns < b->from_ns) : (a->index > b->index) - (a->index < b->index);
}

void sweep_rewind(struct sweep *s)
{
    if (!s->next && s->count) /* they are not sorted yet */
        qsort(s->items, s->count, sizeof *s->items, by_beginning);
    s->next = s->met_count = 0;
}

void sweep_to(struct sweep *s, int64_t from_ns, int64_t to_ns)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->met_count; i++)
        if (s->items[s->met[i]].to_ns > from_ns)
            s->met[kept++] = s->met[i];
    for (; s->next < s->count && s->items[s->next].from_ns < to_ns; s->next++)
        if (s->items[s->next].to_ns > from_ns)
            s->met[kept++] = s->next;
    s->met_count = kept;
}
