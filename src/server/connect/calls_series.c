/* Answers SelectSeries: weights over time. */
#include "server/connect/call.h"

#include "server/connect/timeline.h"
#include "server/connect/singles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A series of the answer: its range of the points, and their sum. */
struct part {
    uint32_t first, count;
    double sum;
    const char *value;
};

struct answer {
    struct call *call;
    struct store_query q;
    int64_t step;
    struct store_series series;
    struct singles values; /* for the exemplars; empty = none are wanted */
};

enum { EXEMPLAR_INDIVIDUAL = 2, EXEMPLAR_SPAN = 3 };

static int by_sum(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    return a->sum != b->sum ? (a->sum < b->sum ? 1 : -1) : strcmp(a->value, b->value);
}

static int put_point(struct answer *a, const struct store_point *point, const char *series)
{
    struct call *c = a->call;
    int64_t at = timeline_end_ms(&a->q, a->step, point->step);
    const struct single *heaviest = a->values.count ? singles_heaviest(&a->values, series, point->step) : NULL;
    int rc = 0;
    wire_message(&c->wire, 2, NULL);
    wire_double(&c->wire, 1, "value", (double)point->weight);
    wire_int(&c->wire, 2, "timestamp", at);
    wire_list(&c->wire, "exemplars");
    if (heaviest)
        rc = singles_put_exemplar(c, 4, &a->values, heaviest, at);
    wire_list_end(&c->wire);
    wire_message_end(&c->wire, 2);
    return rc;
}

static int put_series(struct answer *a, const struct part *part)
{
    struct call *c = a->call;
    int rc = store_is_over(c->store, &a->q, &c->error);
    wire_message(&c->wire, 1, NULL);
    timeline_put_labels(c, part->value);
    wire_list(&c->wire, "points");
    for (uint32_t i = part->first; !rc && i < part->first + part->count; i++)
        rc = put_point(a, &a->series.points[i], part->value);
    wire_list_end(&c->wire);
    wire_message_end(&c->wire, 1);
    return rc;
}

static int put_all(struct answer *a)
{
    struct call *c = a->call;
    const struct store_series *s = &a->series;
    struct part *parts = calloc((size_t)s->value_count + 1, sizeof *parts);
    uint32_t count = 0;
    int rc = 0;
    if (!parts)
        return error_set(&c->error, -ENOMEM, "out of memory");
    for (uint32_t i = 0; i < s->point_count; i++) {
        if (!i || s->points[i].series != s->points[i - 1].series)
            parts[count++] = (struct part){.first = i, .value = s->values[s->points[i].series]};
        parts[count - 1].count++;
        parts[count - 1].sum += (double)s->points[i].weight;
    }
    qsort(parts, count, sizeof *parts, by_sum);
    if (c->asked.limit > 0 && c->asked.limit < count)
        count = (uint32_t)c->asked.limit;
    wire_list(&c->wire, "series");
    for (uint32_t i = 0; !rc && i < count; i++)
        rc = put_series(a, &parts[i]);
    wire_list_end(&c->wire);
    free(parts);
    return rc;
}

static int check(struct call *c)
{
    const struct asked *a = &c->asked;
    if (a->aggregation)
        return error_set(&c->error, -ENOTSUP, "points are sums; averages are not made");
    if (a->call_site.count)
        return error_set(&c->error, -ENOTSUP,
                         "a series covers whole profiles and cannot be limited to a call site; leave out stack_trace_selector");
    return timeline_check(c);
}

static int select_series(struct answer *a, const char *by)
{
    struct call *c = a->call;
    struct store_result result = {0};
    int rc = timeline_range(c, &a->q, &a->step);
    if (rc)
        return rc;
    rc = store_series(c->store, &a->q, a->step, by, &a->series, &result, &c->error);
    missing_add_all(&c->missing, &result.missing);
    if (!rc && c->asked.exemplars == EXEMPLAR_INDIVIDUAL)
        rc = singles_of_recordings(c, &a->q, a->step, by, &a->values);
    else if (!rc && c->asked.exemplars == EXEMPLAR_SPAN)
        rc = singles_of_spans(c, &a->q, a->step, by, &a->values);
    rc = rc ? rc : put_all(a);
    singles_deinit(&a->values);
    store_series_deinit(&a->series);
    store_result_deinit(&result);
    return rc;
}

int calls_select_series(struct call *c)
{
    struct answer a = {.call = c};
    struct selector selector = {0};
    char type[CATALOGUE_TYPE_MAX];
    struct buffer by;
    bool nothing = false;
    buffer_init(&by, 1 << 16);
    int rc = check(c);
    rc = rc ? rc : call_query(c, &c->asked, &a.q, &selector, type, &nothing);
    rc = rc ? rc : timeline_by(c, &by);
    if (!rc && !nothing)
        rc = select_series(&a, *by.data ? (const char *)by.data : NULL);
    selector_deinit(&selector);
    buffer_deinit(&by);
    return rc;
}
