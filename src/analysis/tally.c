#include "analysis/tally.h"

#include "base/array.h"

void tally_init(struct tally *t)
{
    *t = (struct tally){0};
    map_init(&t->places);
    map_init(&t->group_places);
}

void tally_deinit(struct tally *t)
{
    map_deinit(&t->places);
    map_deinit(&t->group_places);
    free(t->rows);
    free(t->groups);
    *t = (struct tally){0};
}

static struct tally_row *row_of(struct tally *t, uint32_t group, uint32_t key, bool *added)
{
    uint32_t *place = map_add(&t->places, (uint64_t)group << 32 | key, added);
    if (!place || (*added && ARRAY_GROW(t->rows, t->cap, t->count)))
        return NULL;
    if (*added) {
        *place = t->count;
        t->rows[t->count++] = (struct tally_row){.group = group, .key = key};
    }
    return &t->rows[*place];
}

/* Finds or adds a group. row: the group's first row, if it is new. */
static struct tally_group *group_of(struct tally *t, uint32_t group, uint32_t row)
{
    bool added;
    uint32_t *place = map_add(&t->group_places, group, &added);
    if (!place || (added && ARRAY_GROW(t->groups, t->group_cap, t->group_count)))
        return NULL;
    if (added) {
        *place = t->group_count;
        t->groups[t->group_count++] = (struct tally_group){.largest = row};
    }
    return &t->groups[*place];
}

void tally_add(struct tally *t, uint32_t group, uint32_t key, uint64_t weight)
{
    bool added;
    struct tally_row *row = t->failed ? NULL : row_of(t, group, key, &added);
    struct tally_group *g = row ? group_of(t, group, (uint32_t)(row - t->rows)) : NULL;
    if (!g) {
        t->failed = true;
        return;
    }
    row->weight += weight;
    row->count++;
    g->weight += weight;
    g->keys += added;
    const struct tally_row *largest = &t->rows[g->largest];
    if (row->weight > largest->weight || (row->weight == largest->weight && row < largest))
        g->largest = (uint32_t)(row - t->rows);
}

static const struct tally_group *find(const struct tally *t, uint32_t group)
{
    const uint32_t *place = map_find(&t->group_places, group);
    return place ? &t->groups[*place] : NULL;
}

const struct tally_row *tally_largest(const struct tally *t, uint32_t group)
{
    const struct tally_group *g = find(t, group);
    return g ? &t->rows[g->largest] : NULL;
}

uint32_t tally_keys(const struct tally *t, uint32_t group)
{
    const struct tally_group *g = find(t, group);
    return g ? g->keys : 0;
}

uint64_t tally_weight(const struct tally *t, uint32_t group)
{
    const struct tally_group *g = find(t, group);
    return g ? g->weight : 0;
}
