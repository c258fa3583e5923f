#include "format/write/fold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_kind(const struct profile_sample *a, const struct profile_sample *b)
{
    int by = order(a->thread, b->thread);
    by = by ? by : order(a->stack, b->stack);
    by = by ? by : order(a->state, b->state);
    by = by ? by : order(a->labels, b->labels);
    return by ? by : order(a->outcome, b->outcome);
}

int fold_compare(const struct profile_sample *a, const struct profile_sample *b)
{
    int by = compare_kind(a, b);
    return by ? by : (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

static int compare(const void *left, const void *right)
{
    return fold_compare(left, right);
}

int fold_samples(struct fold *f, const struct profile *p)
{
    *f = (struct fold){.rows = malloc(((size_t)p->sample_count + 1) * sizeof *f->rows)};
    if (!f->rows)
        return -ENOMEM;
    if (p->sample_count)
        memcpy(f->rows, p->samples, p->sample_count * sizeof *f->rows);
    qsort(f->rows, p->sample_count, sizeof *f->rows, compare);
    for (uint32_t i = 0; i < p->sample_count; i++) {
        struct profile_sample *last = f->count ? &f->rows[f->count - 1] : NULL;
        if (last && !compare_kind(last, &f->rows[i])) {
            last->weight += f->rows[i].weight;
            last->count += f->rows[i].count;
        } else {
            f->rows[f->count++] = f->rows[i];
        }
    }
    return 0;
}

void fold_deinit(struct fold *f)
{
    free(f->rows);
    *f = (struct fold){0};
}
