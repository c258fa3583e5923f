#include "asm/regions.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct building {
    struct asm_regions *out;
    struct asm_recording *r;
    uint32_t *sources; /* string ids, by snapshot */
};

static const struct asm_recording *sorting; /* qsort has no context, and only one thread builds regions */

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Sorts the samples of one region together, and the samples of a snapshot by address. */
static int by_place(const void *left, const void *right)
{
    uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
    const struct asm_sample *a = &sorting->samples[i], *b = &sorting->samples[k];
    if (a->snapshot != b->snapshot)
        return compare(a->snapshot, b->snapshot);
    if (a->snapshot)
        return a->pc != b->pc ? compare(a->pc, b->pc) : compare(i, k);
    if (a->source != b->source)
        return compare(a->source, b->source);
    return a->name != b->name ? compare(a->name, b->name) : compare(i, k);
}

static void add(struct asm_figure *f, const struct asm_sample *s)
{
    f->weight += s->weight;
    f->samples++;
}

static void finish(const struct asm_regions *s, struct asm_figure *f)
{
    f->share = s->all.weight ? (double)f->weight / (double)s->all.weight : 0;
    f->interval = stats_wilson(f->share, s->effective);
}

/* ---- regions ---- */

static bool goes_on(const struct asm_region *region, const struct asm_snapshot *snapshot, const struct asm_sample *s)
{
    if (region->snapshot != s->snapshot)
        return false;
    if (!snapshot)
        return region->source == s->source && region->name == s->name;
    return s->pc - snapshot->address - region->end <= ASM_REGION_GAP;
}

static int begin_region(struct building *b, const struct asm_snapshot *snapshot, const struct asm_sample *s)
{
    struct asm_regions *out = b->out;
    if (ARRAY_GROW(out->regions, out->cap, out->count))
        return -ENOMEM;
    struct asm_region *region = &out->regions[out->count++];
    *region = (struct asm_region){.snapshot = s->snapshot, .source = s->source, .name = s->name, .first = out->point_count};
    if (snapshot) {
        region->source = b->sources[s->snapshot - 1];
        region->name = snapshot->name;
        region->begin = region->end = (uint32_t)(s->pc - snapshot->address);
    }
    return 0;
}

static int add_point(struct asm_regions *out, struct asm_region *region, uint32_t offset, const struct asm_sample *s)
{
    if (!region->count || out->points[out->point_count - 1].offset != offset) {
        if (ARRAY_GROW(out->points, out->point_cap, out->point_count))
            return -ENOMEM;
        out->points[out->point_count++] = (struct asm_point){.offset = offset};
        region->count++;
    }
    add(&out->points[out->point_count - 1].figure, s);
    return 0;
}

static int put_sample(struct building *b, const struct asm_sample *s)
{
    struct asm_regions *out = b->out;
    const struct asm_snapshot *snapshot = s->snapshot ? &b->r->snapshots[s->snapshot - 1] : NULL;
    bool same = out->count && goes_on(&out->regions[out->count - 1], snapshot, s);
    if (!same && begin_region(b, snapshot, s))
        return -ENOMEM;
    struct asm_region *region = &out->regions[out->count - 1];
    add(&region->figure, s);
    if (!snapshot)
        return 0;
    region->end = (uint32_t)(s->pc - snapshot->address);
    return add_point(out, region, region->end, s);
}

/* ---- groups ---- */

static int by_method(const void *left, const void *right)
{
    const struct asm_group *a = left, *b = right;
    return a->source != b->source ? compare(a->source, b->source) : compare(a->name, b->name);
}

static int by_weight(const void *left, const void *right)
{
    const struct asm_group *a = left, *b = right;
    if (a->figure.weight != b->figure.weight)
        return compare(b->figure.weight, a->figure.weight);
    return by_method(left, right);
}

static int by_region_weight(const void *left, const void *right)
{
    const struct asm_region *a = left, *b = right;
    if (a->figure.weight != b->figure.weight)
        return compare(b->figure.weight, a->figure.weight);
    if (a->snapshot != b->snapshot)
        return compare(a->snapshot, b->snapshot);
    if (a->begin != b->begin)
        return compare(a->begin, b->begin);
    return a->source != b->source ? compare(a->source, b->source) : compare(a->name, b->name);
}

/* Adds up the regions by source and, if by_name is set, also by name. */
static int group(const struct asm_regions *s, bool by_name, struct asm_group **out, uint32_t *count)
{
    struct asm_group *all = calloc(s->count + 1u, sizeof *all);
    uint32_t kept = 0;
    if (!all)
        return -ENOMEM;
    for (uint32_t i = 0; i < s->count; i++)
        all[i] = (struct asm_group){s->regions[i].source, by_name ? s->regions[i].name : 0, 1, s->regions[i].figure};
    qsort(all, s->count, sizeof *all, by_method);
    for (uint32_t i = 0; i < s->count; i++) {
        if (kept && !by_method(&all[kept - 1], &all[i])) {
            all[kept - 1].regions++;
            all[kept - 1].figure.weight += all[i].figure.weight;
            all[kept - 1].figure.samples += all[i].figure.samples;
        } else
            all[kept++] = all[i];
    }
    for (uint32_t i = 0; i < kept; i++)
        finish(s, &all[i].figure);
    qsort(all, kept, sizeof *all, by_weight);
    *out = all;
    *count = kept;
    return 0;
}

/* ---- all regions ---- */

static int name_sources(struct building *b)
{
    char source[64];
    b->sources = calloc(b->r->snapshot_count + 1u, sizeof *b->sources);
    for (uint32_t i = 0; b->sources && i < b->r->snapshot_count; i++)
        b->sources[i] = strtab_add_text(&b->r->strings, asm_source(b->r, &b->r->snapshots[i], source, sizeof source));
    return b->sources ? 0 : -ENOMEM;
}

static void count_all(struct asm_regions *s, const struct asm_recording *r)
{
    double squares = 0;
    for (uint32_t i = 0; i < r->sample_count; i++) {
        add(&s->all, &r->samples[i]);
        squares += (double)r->samples[i].weight * (double)r->samples[i].weight;
    }
    s->effective = stats_effective_size((double)s->all.weight, squares);
    finish(s, &s->all);
}

static int put_samples(struct building *b)
{
    const struct asm_recording *r = b->r;
    uint32_t *order = calloc(r->sample_count + 1u, sizeof *order);
    int rc = order ? 0 : -ENOMEM;
    for (uint32_t i = 0; order && i < r->sample_count; i++)
        order[i] = i;
    sorting = r;
    if (order)
        qsort(order, r->sample_count, sizeof *order, by_place);
    for (uint32_t i = 0; !rc && i < r->sample_count; i++)
        rc = put_sample(b, &r->samples[order[i]]);
    free(order);
    return rc;
}

int asm_regions_build(struct asm_regions *out, struct asm_recording *r)
{
    struct building b = {.out = out, .r = r};
    memset(out, 0, sizeof *out);
    count_all(out, r);
    int rc = name_sources(&b);
    if (!rc)
        rc = put_samples(&b);
    free(b.sources);
    for (uint32_t i = 0; i < out->count; i++)
        finish(out, &out->regions[i].figure);
    for (uint32_t i = 0; i < out->point_count; i++)
        finish(out, &out->points[i].figure);
    if (!rc && out->count)
        qsort(out->regions, out->count, sizeof *out->regions, by_region_weight);
    if (!rc)
        rc = group(out, true, &out->methods, &out->method_count);
    if (!rc)
        rc = group(out, false, &out->sources, &out->source_count);
    return rc;
}

void asm_regions_deinit(struct asm_regions *s)
{
    free(s->regions);
    free(s->points);
    free(s->methods);
    free(s->sources);
    memset(s, 0, sizeof *s);
}
