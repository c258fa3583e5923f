#include "profile/holders.h"

#include "base/array.h"
#include "profile/allocated.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct told {
    uint32_t path, holder, reason; /* string ids */
};

static struct told read_labels(const struct profile *p, uint32_t labels)
{
    struct told t = {0};
    for (; labels; labels = p->labels[labels].parent) {
        const char *key = profile_text(p, p->labels[labels].key);
        if (!strcmp(key, HOLDERS_PATH))
            t.path = p->labels[labels].value;
        else if (!strcmp(key, HOLDERS_HOLDER))
            t.holder = p->labels[labels].value;
        else if (!strcmp(key, HOLDERS_NO_PATH))
            t.reason = p->labels[labels].value;
    }
    return t;
}

bool holders_are_told(const struct profile *p, const struct profile_object *o)
{
    struct told t = read_labels(p, o->sample.labels);
    return t.path || t.reason;
}

static int take_path(struct holders *h, const struct profile_object *o, uint32_t class_name, struct told t)
{
    bool added;
    uint32_t *place = map_add(&h->by_key, (uint64_t)class_name << 32 | t.path, &added);
    if (!place)
        return -ENOMEM;
    if (added) {
        if (ARRAY_GROW(h->rows, h->cap, h->count))
            return -ENOMEM;
        *place = h->count;
        h->rows[h->count++] = (struct holder){.class_name = class_name, .path = t.path, .holder = t.holder};
    }
    h->rows[*place].objects++;
    h->rows[*place].bytes += o->sample.weight;
    return 0;
}

/* Counts an object without a holder under its reason. A linear search suffices, because there are few reasons. */
static int take_missing(struct holders *h, const struct profile_object *o, uint32_t reason)
{
    uint32_t i = 0;
    while (i < h->missing_count && h->missing[i].reason != reason)
        i++;
    if (i == h->missing_count) {
        if (ARRAY_GROW(h->missing, h->missing_cap, h->missing_count))
            return -ENOMEM;
        h->missing[h->missing_count++] = (struct holders_missing){.reason = reason};
    }
    h->missing[i].objects++;
    h->missing[i].bytes += o->sample.weight;
    return 0;
}

int holders_take(struct holders *h, const struct profile *p, const struct profile_object *o)
{
    struct told t = read_labels(p, o->sample.labels);
    if (!t.path && !t.reason)
        return 0;
    h->objects++;
    h->bytes += o->sample.weight;
    int rc = t.path ? take_path(h, o, allocated_class(p, o->sample.labels), t) : 0;
    return rc || !t.reason ? rc : take_missing(h, o, t.reason);
}

static int by_bytes(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

static int compare_rows(const void *left, const void *right)
{
    const struct holder *a = left, *b = right;
    int order = by_bytes(a->bytes, b->bytes);
    order = order ? order : (a->path > b->path) - (a->path < b->path);
    return order ? order : (a->class_name > b->class_name) - (a->class_name < b->class_name);
}

static int compare_missing(const void *left, const void *right)
{
    const struct holders_missing *a = left, *b = right;
    int order = by_bytes(a->bytes, b->bytes);
    return order ? order : (a->reason > b->reason) - (a->reason < b->reason);
}

static int compare_sums(const void *left, const void *right)
{
    const struct holders_sum *a = left, *b = right;
    int order = by_bytes(a->bytes, b->bytes);
    return order ? order : (a->row > b->row) - (a->row < b->row);
}

static int add_to_sum(struct holders *h, struct map *by_holder, uint32_t row)
{
    const struct holder *r = &h->rows[row];
    uint32_t place = h->sum_count;
    if (r->holder) {
        bool added;
        uint32_t *known = map_add(by_holder, r->holder, &added);
        if (!known)
            return -ENOMEM;
        if (added)
            *known = place;
        place = *known;
    }
    if (place == h->sum_count)
        h->sums[h->sum_count++] = (struct holders_sum){.row = row};
    h->sums[place].paths++;
    h->sums[place].objects += r->objects;
    h->sums[place].bytes += r->bytes;
    return 0;
}

/* Adds up the rows by holder. The rows must be sorted. */
static int sum_up(struct holders *h)
{
    struct map by_holder;
    int rc = 0;
    h->sums = calloc(h->count ? h->count : 1, sizeof *h->sums);
    if (!h->sums)
        return -ENOMEM;
    map_init(&by_holder);
    for (uint32_t i = 0; !rc && i < h->count; i++)
        rc = add_to_sum(h, &by_holder, i);
    map_deinit(&by_holder);
    if (h->sum_count)
        qsort(h->sums, h->sum_count, sizeof *h->sums, compare_sums);
    return rc;
}

int holders_settle(struct holders *h)
{
    if (h->count)
        qsort(h->rows, h->count, sizeof *h->rows, compare_rows);
    if (h->missing_count)
        qsort(h->missing, h->missing_count, sizeof *h->missing, compare_missing);
    return sum_up(h);
}

void holders_deinit(struct holders *h)
{
    map_deinit(&h->by_key);
    free(h->rows);
    free(h->sums);
    free(h->missing);
    *h = (struct holders){0};
}
