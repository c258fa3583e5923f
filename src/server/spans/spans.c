#include "server/spans/spans.h"

#include "base/text/trace_link.h"
#include "base/array.h"
#include "server/spans/kept.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_DEFAULT = 20, LIMIT_MAX = 10000, SPANS_MAX = 500000 };

/* The values by which spans are ordered: types of weight, and last the time from the first sample to the last. */
static const struct {
    const char *order, *type, *member;
} orders[] = {{"cpu", "cpu:ns", "cpu_ns"},
              {"wall", "wall:ns", "wall_ns"},
              {"alloc", "alloc_space:bytes", "allocated_bytes"},
              {"duration", NULL, "sampled_ns"}};
enum { ORDERS = sizeof orders / sizeof *orders, WEIGHTS = ORDERS - 1 };

struct span {
    uint32_t trace, id, root, endpoint, service, host; /* string ids */
    uint32_t samples;
    int64_t from_ns, to_ns; /* of the first and the last sample */
    uint64_t recording;     /* a recording with samples of the span */
    uint64_t weights[WEIGHTS];
};

struct spans {
    struct question query;
    struct kept kept;
    uint32_t limit;
    unsigned order;
    struct strtab texts;
    struct map traces; /* (trace, id) -> its number */
    struct map places; /* (that number, service) -> place in the list */
    struct span *list;
    uint32_t count, cap;
    uint64_t without; /* samples without a span */
    uint64_t beyond;  /* samples of spans beyond SPANS_MAX */
};

/* ---- from samples to spans ---- */

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
        while (weight < WEIGHTS && strcmp(type, orders[weight].type))
            weight++;
        for (uint32_t k = 0; !rc && weight < WEIGHTS && k < p->sample_count; k++)
            if (kept_has(&t->query, p, &p->samples[k]))
                rc = add_sample(t, p, &p->samples[k], weight, &like);
    }
    return rc;
}

/* ---- the answer ---- */

static uint64_t rank_of(const struct span *s, unsigned order)
{
    return order < WEIGHTS ? s->weights[order] : (uint64_t)(s->to_ns - s->from_ns);
}

static int compare_spans(const void *left, const void *right, void *context)
{
    const struct span *a = left, *b = right;
    const struct spans *t = context;
    uint64_t rank_a = rank_of(a, t->order), rank_b = rank_of(b, t->order);
    if (rank_a != rank_b)
        return rank_a < rank_b ? 1 : -1;
    if (a->from_ns != b->from_ns)
        return a->from_ns < b->from_ns ? -1 : 1;
    return strcmp(strtab_text(&t->texts, a->id), strtab_text(&t->texts, b->id));
}

static void put_time(struct jsonw *j, const char *key, int64_t ns)
{
    jsonw_key(j, key);
    jsonw_int(j, ns);
}

/* template: of the address of a trace; NULL = none. */
static void put_span(struct jsonw *j, const struct spans *t, const struct span *s, const char *template)
{
    char link[TRACE_LINK_MAX];
    const char *trace = strtab_text(&t->texts, s->trace), *id = strtab_text(&t->texts, s->id);
    jsonw_object(j);
    jsonw_member_text_or_null(j, "trace_id", trace);
    jsonw_member_text(j, "span_id", id);
    if (template && *trace)
        jsonw_member_text(j, "trace_link", trace_link_write(link, sizeof link, template, trace, id));
    jsonw_member_text_or_null(j, "root_span_id", strtab_text(&t->texts, s->root));
    jsonw_member_text(j, "service", strtab_text(&t->texts, s->service));
    jsonw_member_text_or_null(j, "host", strtab_text(&t->texts, s->host));
    jsonw_member_text_or_null(j, "endpoint", strtab_text(&t->texts, s->endpoint));
    put_time(j, "from_ns", s->from_ns);
    put_time(j, "to_ns", s->to_ns);
    for (unsigned i = 0; i < ORDERS; i++)
        jsonw_member_uint(j, orders[i].member, rank_of(s, i));
    jsonw_member_uint(j, "samples", s->samples);
    jsonw_member_uint(j, "recording", s->recording);
    jsonw_object_end(j);
}

static void put_spans(struct http *h, const struct spans *t)
{
    struct http_writer w;
    bool more = t->count > t->limit;
    if (http_write_begin(h, &w))
        return;
    jsonw_object(&w.json);
    jsonw_member_text(&w.json, "order", orders[t->order].order);
    jsonw_key(&w.json, "spans");
    jsonw_array(&w.json);
    for (uint32_t i = 0; i < t->count && i < t->limit && !w.full; i++)
        put_span(&w.json, t, &t->list[i], h->server->options->trace_link);
    jsonw_array_end(&w.json);
    jsonw_member_uint(&w.json, "spans_left_out", more ? t->count - t->limit : 0);
    jsonw_member_uint(&w.json, "samples_without", t->without);
    jsonw_member_uint(&w.json, "samples_beyond", t->beyond);
    kept_put(&w.json, &t->kept, more || t->beyond);
    jsonw_object_end(&w.json);
    http_write_end(h, &w, HTTP_OK, "application/json");
}

/* ---- from the question to the answer ---- */

static int read_order(struct spans *t, struct http *h)
{
    const char *order = http_parameter(h, "order", NULL);
    for (t->order = 0; order && *order && t->order < ORDERS; t->order++)
        if (!strcmp(orders[t->order].order, order))
            break;
    if (t->order < ORDERS)
        return 0;
    http_error(h, HTTP_BAD_REQUEST, "order: '%.40s' is none of cpu, wall, alloc and duration", order);
    return -EINVAL;
}

static int read_question(struct spans *t, struct http *h)
{
    int rc = question_init_of_samples(&t->query, h);
    rc = rc ? rc : question_number(h, "limit", LIMIT_DEFAULT, LIMIT_MAX, &t->limit);
    rc = rc ? rc : read_order(t, h);
    return rc ? rc : kept_init(&t->kept, h);
}

void spans_answer(struct http *h)
{
    struct spans t = {0};
    struct error e;
    map_init(&t.traces);
    map_init(&t.places);
    if (!read_question(&t, h)) {
        int rc = strtab_init(&t.texts) ? error_set(&e, -ENOMEM, "out of memory") : kept_read(&t.kept, h, &t.query, take_recording, &t, &e);
        if (!rc && t.count)
            qsort_r(t.list, t.count, sizeof *t.list, compare_spans, &t);
        if (rc)
            question_failed(h, rc, &e);
        else
            put_spans(h, &t);
    }
    strtab_deinit(&t.texts);
    map_deinit(&t.traces);
    map_deinit(&t.places);
    free(t.list);
    question_deinit(&t.query);
}
