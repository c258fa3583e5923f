/* Answers SelectHeatmap: in each step of time, how many recordings or spans have how much. */
#include "server/connect/call.h"

#include "server/connect/timeline.h"
#include "server/connect/singles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 20, OF_SPANS = 2, EXEMPLARS_NONE = 1 };

/* A series of the heat map: its range of the values, and their sum. */
struct part {
    uint32_t first, count;
    double sum;
    const char *text;
};

struct heat {
    struct call *call;
    struct store_query q;
    int64_t step;
    struct singles values;
    double least, width; /* of a bucket, over all series */
};

static int by_sum(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    return a->sum != b->sum ? (a->sum < b->sum ? 1 : -1) : strcmp(a->text, b->text);
}

static void choose_buckets(struct heat *h)
{
    double most = 0;
    for (uint32_t i = 0; i < h->values.count; i++) {
        double v = (double)h->values.list[i].weight;
        h->least = !i || v < h->least ? v : h->least;
        most = v > most ? v : most;
    }
    h->width = most > h->least ? (most - h->least) / BUCKETS : 1;
}

static int bucket_of(const struct heat *h, const struct single *v)
{
    int bucket = (int)(((double)v->weight - h->least) / h->width);
    return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

/* Writes the slot of the values from..to, which are of one step, the heaviest first. Each bucket's heaviest is its exemplar. */
static int put_slot(struct heat *h, uint32_t from, uint32_t to)
{
    struct wire *w = &h->call->wire;
    double bounds[BUCKETS];
    int32_t counts[BUCKETS] = {0};
    int64_t at = timeline_end_ms(&h->q, h->step, h->values.list[from].step);
    int rc = 0, last = BUCKETS;
    for (int i = 0; i < BUCKETS; i++)
        bounds[i] = h->least + i * h->width;
    for (uint32_t i = from; i < to; i++)
        counts[bucket_of(h, &h->values.list[i])]++;
    wire_message(w, 2, NULL);
    wire_int(w, 1, "timestamp", at);
    wire_doubles(w, 2, "yMin", bounds, BUCKETS);
    wire_int32s(w, 3, "counts", counts, BUCKETS);
    wire_list(w, "exemplars");
    for (uint32_t i = from; !rc && i < to && h->call->asked.exemplars > EXEMPLARS_NONE; i++) {
        const struct single *v = &h->values.list[i];
        if (bucket_of(h, v) < last)
            rc = singles_put_exemplar(h->call, 4, &h->values, v, at);
        last = bucket_of(h, v);
    }
    wire_list_end(w);
    wire_message_end(w, 2);
    return rc;
}

static int put_series(struct heat *h, const struct part *part)
{
    struct call *c = h->call;
    int rc = store_is_over(c->store, &h->q, &c->error);
    wire_message(&c->wire, 1, NULL);
    timeline_put_labels(c, part->text);
    wire_list(&c->wire, "slots");
    for (uint32_t i = part->first, next; !rc && i < part->first + part->count; i = next) {
        for (next = i; next < part->first + part->count && h->values.list[next].step == h->values.list[i].step;)
            next++;
        rc = put_slot(h, i, next);
    }
    wire_list_end(&c->wire);
    wire_message_end(&c->wire, 1);
    return rc;
}

static int put_all(struct heat *h)
{
    struct call *c = h->call;
    const struct singles *v = &h->values;
    struct part *parts = calloc((size_t)v->count + 1, sizeof *parts);
    uint32_t count = 0;
    int rc = 0;
    if (!parts)
        return error_set(&c->error, -ENOMEM, "out of memory");
    for (uint32_t i = 0; i < v->count; i++) {
        if (!i || v->list[i].series != v->list[i - 1].series)
            parts[count++] = (struct part){.first = i, .text = strtab_text(&v->texts, v->list[i].series)};
        parts[count - 1].count++;
        parts[count - 1].sum += (double)v->list[i].weight;
    }
    qsort(parts, count, sizeof *parts, by_sum);
    if (c->asked.limit > 0 && c->asked.limit < count)
        count = (uint32_t)c->asked.limit;
    wire_list(&c->wire, "series");
    for (uint32_t i = 0; !rc && i < count; i++)
        rc = put_series(h, &parts[i]);
    wire_list_end(&c->wire);
    free(parts);
    return rc;
}

static int select_values(struct heat *h, const char *by)
{
    struct call *c = h->call;
    int rc = timeline_range(c, &h->q, &h->step);
    if (rc)
        return rc;
    rc = (c->asked.heat == OF_SPANS ? singles_of_spans : singles_of_recordings)(c, &h->q, h->step, by, &h->values);
    choose_buckets(h);
    rc = rc ? rc : put_all(h);
    singles_deinit(&h->values);
    return rc;
}

int calls_heatmap(struct call *c)
{
    struct heat h = {.call = c};
    struct selector selector = {0};
    char type[CATALOGUE_TYPE_MAX];
    struct buffer by;
    bool nothing = false;
    buffer_init(&by, 1 << 16);
    int rc = timeline_check(c);
    if (!rc && c->asked.start >= c->asked.end)
        rc = error_set(&c->error, -EINVAL, "start must be before end");
    rc = rc ? rc : call_query(c, &c->asked, &h.q, &selector, type, &nothing);
    rc = rc ? rc : timeline_by(c, &by);
    if (!rc && !nothing)
        rc = select_values(&h, *by.data ? (const char *)by.data : NULL);
    selector_deinit(&selector);
    buffer_deinit(&by);
    return rc;
}
