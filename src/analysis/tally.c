#include "analysis/tally.h"

#include "base/array.h"

void tally_init(struct tally *t)
{
    *t = (struct tally){0};
    map_init(&t->places);
}

void tally_deinit(struct tally *t)
{
    map_deinit(&t->places);
    free(t->rows);
    *t = (struct tally){0};
}

void tally_add(struct tally *t, uint32_t group, uint32_t key, uint64_t weight)
{
    bool added;
    if (t->failed)
        return;
    uint32_t *place = map_add(&t->places, (uint64_t)group << 32 | key, &added);
    if (!place || (added && ARRAY_GROW(t->rows, t->cap, t->count))) {
        t->failed = true;
        return;
    }
    if (added) {
        *place = t->count;
        t->rows[t->count++] = (struct tally_row){.group = group, .key = key};
    }
    t->rows[*place].weight += weight;
    t->rows[*place].count++;
}

const struct tally_row *tally_largest(const struct tally *t, uint32_t group)
{
    const struct tally_row *largest = NULL;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->rows[i].group == group && (!largest || t->rows[i].weight > largest->weight))
            largest = &t->rows[i];
    return largest;
}

uint32_t tally_keys(const struct tally *t, uint32_t group)
{
    uint32_t keys = 0;
    for (uint32_t i = 0; i < t->count; i++)
        keys += t->rows[i].group == group;
    return keys;
}
