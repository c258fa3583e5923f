#include "analysis/halt_groups.h"

#include "analysis/tally.h"
#include "base/array.h"

#include <string.h>

static int by_what_and_start(const void *left, const void *right, void *context)
{
    const struct halt *list = context, *a = &list[*(const uint32_t *)left], *b = &list[*(const uint32_t *)right];
    if (a->what != b->what)
        return a->what < b->what ? -1 : 1;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static int by_time(const void *left, const void *right, void *context)
{
    const struct halt *list = context, *a = &list[*(const uint32_t *)left], *b = &list[*(const uint32_t *)right];
    return (a->ns > b->ns) - (a->ns < b->ns);
}

/* Returns the part of a halt before `end`, the latest end of the earlier halts, in ns. */
static uint64_t overlap_ns(const struct halt *one, int64_t end)
{
    int64_t until = halt_end(one) < end ? halt_end(one) : end;
    return until > one->start_ns ? (uint64_t)(until - one->start_ns) : 0;
}

/* Sums up n halts of one group, which are sorted by their beginning. The list is sorted again. */
static int sum_group(struct halt_group *out, const struct halts *h, uint32_t *sorted, uint32_t n)
{
    struct tally sites, threads;
    int64_t end = INT64_MIN;
    tally_init(&sites);
    tally_init(&threads);
    *out = (struct halt_group){.what = h->list[sorted[0]].what, .count = n};
    for (uint32_t i = 0; i < n; i++) {
        const struct halt *one = &h->list[sorted[i]];
        out->at_once_ns += overlap_ns(one, end);
        end = halt_end(one) > end ? halt_end(one) : end;
        out->sum_ns += one->ns;
        uint64_t weight = one->ns ? one->ns : 1; /* halts without a duration are counted */
        tally_add(&sites, 0, one->site, weight);
        tally_add(&threads, 0, one->thread, weight);
    }
    int rc = sites.failed || threads.failed ? -ENOMEM : 0;
    if (!rc) {
        out->site = tally_largest(&sites, 0)->key;
        out->thread = tally_largest(&threads, 0)->key;
        out->threads = tally_keys(&threads, 0);
    }
    qsort_r(sorted, n, sizeof *sorted, by_time, h->list);
    out->median_ns = h->list[sorted[(n - 1) / 2]].ns;
    tally_deinit(&sites);
    tally_deinit(&threads);
    return rc;
}

static int add_groups(struct halt_groups *g, const struct halts *h, uint32_t *sorted, uint32_t count)
{
    int rc = 0;
    for (uint32_t i = 0, n; !rc && i < count; i += n) {
        for (n = 1; i + n < count && h->list[sorted[i + n]].what == h->list[sorted[i]].what; n++)
            ;
        rc = ARRAY_GROW(g->list, g->cap, g->count) ? -ENOMEM : sum_group(&g->list[g->count], h, sorted + i, n);
        g->count += !rc;
    }
    return rc;
}

int halt_groups_make(struct halt_groups *g, const struct halts *h, enum halt_kind kind)
{
    uint32_t *sorted = malloc(((size_t)h->count + 1) * sizeof *sorted), n = 0;
    *g = (struct halt_groups){0};
    if (!sorted)
        return -ENOMEM;
    for (uint32_t i = 0; i < h->count; i++)
        if (h->list[i].kind == kind)
            sorted[n++] = i;
    if (n)
        qsort_r(sorted, n, sizeof *sorted, by_what_and_start, h->list);
    int rc = add_groups(g, h, sorted, n);
    free(sorted);
    return rc;
}

void halt_groups_deinit(struct halt_groups *g)
{
    free(g->list);
    *g = (struct halt_groups){0};
}
