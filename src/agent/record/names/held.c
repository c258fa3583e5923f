#include "agent/record/names/held.h"

#include <errno.h>
#include <stdlib.h>

void held_deinit(struct held *h)
{
    free(h->list);
    *h = (struct held){.used = h->used};
}

int held_reserve(struct held *h, uint32_t count)
{
    held_deinit(h);
    h->list = calloc(count ? count : 1, sizeof *h->list);
    if (!h->list)
        return -ENOMEM;
    h->first = h->used + 1;
    h->count = count;
    h->used += count;
    return 0;
}

void held_get(const struct held *h, uint32_t id, struct jfr_held_object *out)
{
    *out = id >= h->first && id - h->first < h->count ? h->list[id - h->first] : (struct jfr_held_object){0};
}
