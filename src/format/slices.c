#include "format/slices.h"

#include <errno.h>
#include <stdlib.h>

enum {
    SLICES_MAX = 200000, /* two megabytes of a page, at most */
    BUCKETS_MIN = 60,    /* even then the time can be told in so many steps */
};

static const uint64_t shortest_ns = 10 * 1000 * 1000;

/* When the samples were taken: the first, and how many ns later the last. */
static int64_t span_of(const struct profile *p, uint64_t *length)
{
    int64_t first = p->sample_count ? p->samples[0].time_ns : 0, last = first;
    for (uint32_t i = 1; i < p->sample_count; i++) {
        int64_t t = p->samples[i].time_ns;
        first = t < first ? t : first;
        last = t > last ? t : last;
    }
    bool recorded = p->start_ns > 0 && p->start_ns <= first && (uint64_t)(first - p->start_ns) <= p->duration_ns;
    int64_t start = recorded ? p->start_ns : first;
    *length = (uint64_t)last - (uint64_t)start;
    return start;
}

static int by_place(const void *left, const void *right)
{
    const struct slice *a = left, *b = right;
    if (a->bucket != b->bucket)
        return a->bucket < b->bucket ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static int number_threads(struct slices *s, const struct profile *p, uint32_t *number_of)
{
    uint32_t *of_name = calloc(p->strings.count, sizeof *of_name); /* plus 1 */
    s->threads = calloc(p->thread_count + 1, sizeof *s->threads);
    if (!of_name || !s->threads) {
        free(of_name);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < p->thread_count; i++) {
        uint32_t name = p->threads[i].name;
        if (!of_name[name]) {
            s->threads[s->thread_count] = name;
            of_name[name] = ++s->thread_count;
        }
        number_of[i] = of_name[name] - 1;
    }
    free(of_name);
    return 0;
}

/* One slice per sample, sorted, then those of one place put together. */
static void slice(struct slices *s, const struct profile *p, const struct calltree *tree, const uint32_t *number_of,
                  int64_t start)
{
    for (uint32_t i = 0; i < p->sample_count; i++) {
        const struct profile_sample *sample = &p->samples[i];
        s->list[i] = (struct slice){
            .bucket = (uint32_t)(((uint64_t)sample->time_ns - (uint64_t)start) / s->bucket_ns),
            .thread = number_of[sample->thread],
            .node = tree->of_stack[sample->stack],
            .weight = sample->weight,
        };
    }
    qsort(s->list, p->sample_count, sizeof *s->list, by_place);
    s->count = 0;
    for (uint32_t i = 0; i < p->sample_count; i++) {
        if (s->count && !by_place(&s->list[s->count - 1], &s->list[i]))
            s->list[s->count - 1].weight += s->list[i].weight;
        else
            s->list[s->count++] = s->list[i];
    }
}

/* 10, 20, 50, 100, ... */
static uint64_t longer(uint64_t bucket_ns)
{
    uint64_t digit = bucket_ns;
    while (digit >= 10)
        digit /= 10;
    return digit == 2 ? bucket_ns / 2 * 5 : bucket_ns * 2;
}

int slices_init(struct slices *s, const struct profile *p, const struct calltree *tree)
{
    uint64_t length;
    int64_t start = span_of(p, &length);
    *s = (struct slices){.bucket_ns = shortest_ns};
    if (!length)
        return 0;
    uint32_t *number_of = calloc(p->thread_count + 1, sizeof *number_of);
    s->list = calloc(p->sample_count, sizeof *s->list);
    int rc = number_of && s->list ? number_threads(s, p, number_of) : -ENOMEM;
    while (!rc && length / s->bucket_ns > SLICES_MAX)
        s->bucket_ns = longer(s->bucket_ns);
    while (!rc) {
        slice(s, p, tree, number_of, start);
        uint64_t next = longer(s->bucket_ns);
        if (s->count <= SLICES_MAX || length / next < BUCKETS_MIN)
            break;
        s->bucket_ns = next;
    }
    s->buckets = (uint32_t)(length / s->bucket_ns) + 1;
    free(number_of);
    if (rc)
        slices_deinit(s);
    return rc;
}

void slices_deinit(struct slices *s)
{
    free(s->list);
    free(s->threads);
    *s = (struct slices){0};
}
