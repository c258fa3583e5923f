#include "server/spans/spans_sum.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct spans_order spans_orders[SPANS_ORDERS] = {{"cpu", "cpu:ns", "cpu_ns"},
                                                       {"wall", "wall:ns", "wall_ns"},
                                                       {"alloc", "alloc_space:bytes", "allocated_bytes"},
                                                       {"duration", NULL, "sampled_ns"}};

int spans_sum_init(struct spans *t)
{
    *t = (struct spans){0};
    map_init(&t->traces);
    map_init(&t->places);
    return strtab_init(&t->texts);
}

void spans_sum_deinit(struct spans *t)
{
    strtab_deinit(&t->texts);
    map_deinit(&t->traces);
    map_deinit(&t->places);
    free(t->list);
}

static int add_text(struct spans *t, const char *text, uint32_t *id)
{
    *id = *text ? strtab_add_text(&t->texts, text) : 0;
    return *text && !*id ? -ENOMEM : 0;
}

/* Whether the list has a span of this sample, of any service. */
static bool is_known(const struct spans *t, const struct profile *p, const struct profile_sample *s)
{
    const char *trace = kept_label(p, s, "trace_id"), *id = kept_label(p, s, "span_id");
    uint64_t of_trace = strtab_find(&t->texts, trace, strlen(trace)), of_id = strtab_find(&t->texts, id, strlen(id));
    return of_id && (of_trace || !*trace) && map_find(&t->traces, of_trace << 32 | of_id);
}

/* Finds or adds the span of a sample. *out = NULL: there are too many. Nothing is kept of those beyond. */
static int find_span(struct spans *t, const struct profile *p, const struct profile_sample *s, const struct span *like, struct span **out)
{
    struct span one = *like;
    bool added;
    *out = NULL;
    if (t->count == SPANS_MAX && !is_known(t, p, s))
        return 0;
    if (add_text(t, kept_label(p, s, "trace_id"), &one.trace) || add_text(t, kept_label(p, s, "span_id"), &one.id))
        return -ENOMEM;
    uint32_t *number = map_add(&t->traces, (uint64_t)one.trace << 32 | one.id, &added);
    if (number && added)
        *number = (uint32_t)t->traces.count;
    uint32_t *place = number ? map_add(&t->places, (uint64_t)*number << 32 | one.service, &added) : NULL;
    if (!place || ARRAY_GROW(t->list, t->cap, t->count))
        return -ENOMEM;
    if (added && t->count == SPANS_MAX) {
        *place = UINT32_MAX;
    } else if (added) {
        if (add_text(t, kept_label(p, s, "root_span_id"), &one.root) || add_text(t, kept_label(p, s, "endpoint"), &one.endpoint))
            return -ENOMEM;
        one.from_ns = one.to_ns = s->time_ns;
        *place = t->count;
        t->list[t->count++] = one;
    }
    if (*place != UINT32_MAX)
        *out = &t->list[*place];
    return 0;
}

static int add_sample(struct spans *t, const struct profile *p, const struct profile_sample *s, unsigned weight, const struct span *like)
{
    struct span *span;
    if (!*kept_label(p, s, "span_id")) {
        t->without += s->count;
        return 0;
    }
    int rc = find_span(t, p, s, like, &span);
    if (rc)
        return rc;
    if (!span) {
        t->beyond += s->count;
        return 0;
    }
    span->weights[weight] += s->weight;
    span->samples += s->count;
    span->from_ns = s->time_ns < span->from_ns ? s->time_ns : span->from_ns;
    span->to_ns = s->time_ns > span->to_ns ? s->time_ns : span->to_ns;
    return 0;
}

static int take_recording(void *context, uint64_t id, const struct labels *labels, struct store_profiles *profiles)
{
    struct spans *t = context;
    struct span like = {.recording = id};
    char type[CATALOGUE_TYPE_MAX];
    int rc = add_text(t, labels_get(labels, "service"), &like.service);
    rc = rc ? rc : add_text(t, labels_get(labels, "host"), &like.host);
    for (uint32_t i = 0; i < profiles->count; i++) {
        const struct profile *p = &profiles->list[i];
        unsigned weight = 0;
        store_type_of(p, type);
        while (weight < SPANS_WEIGHTS && strcmp(type, spans_orders[weight].type))
            weight++;
        for (uint32_t k = 0; !rc && weight < SPANS_WEIGHTS && k < p->sample_count; k++)
            if (kept_has(t->query, p, &p->samples[k]))
                rc = add_sample(t, p, &p->samples[k], weight, &like);
    }
    return rc;
}

uint64_t spans_value(const struct span *s, unsigned order)
{
    return order < SPANS_WEIGHTS ? s->weights[order] : (uint64_t)(s->to_ns - s->from_ns);
}

int spans_sum(struct spans *t, struct http *h, const struct question *query, struct error *e)
{
    t->query = query;
    return kept_read(&t->kept, h, query, take_recording, t, e);
}
