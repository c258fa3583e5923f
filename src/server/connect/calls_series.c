/* Answers SelectSeries: weights over time. */
#include "server/connect/call.h"

#include "base/array.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 11000, NAMES_MAX = LABELS_MAX };

/* A series of the answer: its range of the points, and their sum. */
struct part {
    uint32_t first, count;
    double sum;
    const char *value;
};

static int by_sum(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    return a->sum != b->sum ? (a->sum < b->sum ? 1 : -1) : strcmp(a->value, b->value);
}

/* Writes the labels to split by for the store. service_name becomes our name for it. A label that describes the profile type has one value,
 * so it splits nothing. */
static int split_by(struct call *c, struct buffer *by)
{
    const struct asked_texts *names = &c->asked.group_by;
    for (uint32_t i = 0; i < names->count; i++) {
        if (i)
            buffer_u8(by, STORE_BY_SEPARATOR);
        buffer_text(by, series_is_service(names->list[i]) ? "service" : names->list[i]);
    }
    buffer_u8(by, 0);
    return by->failed ? error_set(&c->error, -EINVAL, "group_by is too long") : 0;
}

static void put_labels(struct call *c, const char *values)
{
    const struct asked_texts *names = &c->asked.group_by;
    char text[LABEL_VALUE_MAX + 1], type[CATALOGUE_TYPE_MAX];
    struct kind kind;
    kinds_parse(asked_last(&c->asked.profile_type), type, &kind, &c->error);
    wire_list(&c->wire, "labels");
    for (uint32_t i = 0; i < names->count; i++) {
        size_t n = strcspn(values, (char[]){STORE_BY_SEPARATOR, 0});
        const char *of_kind = kinds_label(&kind, names->list[i]);
        snprintf(text, sizeof text, "%.*s", (int)n, values);
        values += n + (values[n] != 0);
        if (!of_kind && !*text)
            continue;
        wire_message(&c->wire, 1, NULL);
        wire_text(&c->wire, 1, "name", names->list[i]);
        wire_text(&c->wire, 2, "value", of_kind ? of_kind : text);
        wire_message_end(&c->wire, 1);
    }
    wire_list_end(&c->wire);
}

static void put_series(struct call *c, const struct store_series *s, const struct part *part, int64_t first, int64_t step)
{
    wire_message(&c->wire, 1, NULL);
    put_labels(c, part->value);
    wire_list(&c->wire, "points");
    for (uint32_t i = part->first; i < part->first + part->count; i++) {
        wire_message(&c->wire, 2, NULL);
        wire_double(&c->wire, 1, "value", (double)s->points[i].weight);
        wire_int(&c->wire, 2, "timestamp", (first + (s->points[i].step + 1) * step) * 1000);
        wire_message_end(&c->wire, 2);
    }
    wire_list_end(&c->wire);
    wire_message_end(&c->wire, 1);
}

static int answer(struct call *c, const struct store_series *s, int64_t first, int64_t step)
{
    struct part *parts = calloc((size_t)s->value_count + 1, sizeof *parts);
    uint32_t count = 0;
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
    for (uint32_t i = 0; i < count; i++)
        put_series(c, s, &parts[i], first, step);
    wire_list_end(&c->wire);
    free(parts);
    return 0;
}

static int check(struct call *c)
{
    const struct asked *a = &c->asked;
    if (!(a->step >= 0.001) || a->step > 1e9)
        return error_set(&c->error, -EINVAL, "step must be at least 0.001, in seconds");
    for (uint32_t i = 0; i < a->group_by.count; i++)
        for (uint32_t k = 0; k < i || i >= NAMES_MAX; k++)
            if (i >= NAMES_MAX || !strcmp(a->group_by.list[i], a->group_by.list[k]))
                return error_set(&c->error, -EINVAL, "group_by: more than %d names, or one of them twice", NAMES_MAX);
    if (a->limit < 0)
        return error_set(&c->error, -EINVAL, "limit must not be negative");
    if (a->aggregation)
        return error_set(&c->error, -ENOTSUP, "points are sums; averages are not made");
    if (a->call_site.count)
        return error_set(&c->error, -ENOTSUP,
                         "a series covers whole profiles and cannot be limited to a call site; leave out stack_trace_selector");
    return 0;
}

/* Selects the series. Points are at multiples of the step since the epoch, so that they do not move when the range does. A point covers the
 * time from the previous point to itself. All points together cover at least the range. */
static int select_series(struct call *c, struct store_query *q, struct buffer *by)
{
    int64_t step = (int64_t)ceil(c->asked.step), first = q->from / step * step;
    struct store_series series = {0};
    struct store_result result = {0};
    q->from = first;
    q->to = (q->to + step - 1) / step * step;
    if ((q->to - q->from) / step > POINTS_MAX)
        return error_set(&c->error, -EINVAL, "more than %d points; make the step longer", POINTS_MAX);
    int rc = store_series(c->store, q, step, *by->data ? (const char *)by->data : NULL, &series, &result, &c->error);
    c->missing = result.missing;
    rc = rc ? rc : answer(c, &series, first, step);
    store_series_deinit(&series);
    store_result_deinit(&result);
    return rc;
}

int calls_select_series(struct call *c)
{
    struct store_query q;
    struct selector selector = {0};
    char type[CATALOGUE_TYPE_MAX];
    struct buffer by;
    bool nothing = false;
    buffer_init(&by, 1 << 16);
    int rc = check(c);
    rc = rc ? rc : call_query(c, &c->asked, &q, &selector, type, &nothing);
    rc = rc ? rc : split_by(c, &by);
    if (!rc && !nothing)
        rc = select_series(c, &q, &by);
    selector_deinit(&selector);
    buffer_deinit(&by);
    return rc;
}
