#include "server/spans/spans.h"

#include "base/text/trace_link.h"
#include "server/spans/spans_cell.h"
#include "server/spans/spans_heat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_DEFAULT = 20, LIMIT_MAX = 10000 };

struct listing {
    struct question query;
    struct spans sums;
    struct spans_cell cell;
    uint32_t limit, columns; /* of the heat map; 0 = none */
};

/* ---- the answer ---- */

static int compare_spans(const void *left, const void *right, void *context)
{
    const struct span *a = left, *b = right;
    const struct listing *l = context;
    const struct strtab *texts = &l->sums.texts;
    uint64_t value_a = spans_value(a, l->cell.order), value_b = spans_value(b, l->cell.order);
    if (value_a != value_b)
        return value_a < value_b ? 1 : -1;
    if (a->from_ns != b->from_ns)
        return a->from_ns < b->from_ns ? -1 : 1;
    return strcmp(strtab_text(texts, a->id), strtab_text(texts, b->id));
}

/* Leaves only the spans of the cell in the list, and sorts them. Returns the number of the others. */
static uint32_t choose(struct listing *l)
{
    struct spans *t = &l->sums;
    uint32_t left = 0, all = t->count;
    for (uint32_t i = 0; i < all; i++)
        if (spans_cell_has(&l->cell, &t->list[i]))
            t->list[left++] = t->list[i];
    t->count = left;
    if (left)
        qsort_r(t->list, left, sizeof *t->list, compare_spans, l);
    return all - left;
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
    for (unsigned i = 0; i < SPANS_ORDERS; i++)
        jsonw_member_uint(j, spans_orders[i].member, spans_value(s, i));
    jsonw_member_uint(j, "samples", s->samples);
    jsonw_member_uint(j, "recording", s->recording);
    jsonw_object_end(j);
}

/* The heat map has all spans; the list has those of the cell. */
static int put_spans(struct http *h, struct listing *l)
{
    struct http_writer w;
    struct spans *t = &l->sums;
    if (http_write_begin(h, &w))
        return 0;
    jsonw_object(&w.json);
    jsonw_member_text(&w.json, "order", spans_orders[l->cell.order].order);
    if (l->columns && spans_heat_put(&w.json, t, l->cell.order, l->columns)) {
        http_write_abandon(&w);
        return -ENOMEM;
    }
    uint32_t outside = choose(l);
    bool more = t->count > l->limit;
    jsonw_key(&w.json, "spans");
    jsonw_array(&w.json);
    for (uint32_t i = 0; i < t->count && i < l->limit && !w.full; i++)
        put_span(&w.json, t, &t->list[i], h->server->options->trace_link);
    jsonw_array_end(&w.json);
    jsonw_member_uint(&w.json, "spans_left_out", more ? t->count - l->limit : 0);
    jsonw_member_uint(&w.json, "spans_outside", outside);
    jsonw_member_uint(&w.json, "samples_without", t->without);
    jsonw_member_uint(&w.json, "samples_beyond", t->beyond);
    kept_put(&w.json, &t->kept, more || t->beyond);
    jsonw_object_end(&w.json);
    http_write_end(h, &w, HTTP_OK, "application/json");
    return 0;
}

/* ---- from the question to the answer ---- */

static int read_columns(struct listing *l, struct http *h)
{
    return http_parameter(h, "heat", NULL) ? question_number(h, "heat", 1, SPANS_HEAT_COLUMNS, &l->columns) : 0;
}

static int read_question(struct listing *l, struct http *h)
{
    int rc = question_init_of_samples(&l->query, h);
    rc = rc ? rc : question_number(h, "limit", LIMIT_DEFAULT, LIMIT_MAX, &l->limit);
    rc = rc ? rc : spans_cell_read(&l->cell, h);
    rc = rc ? rc : read_columns(l, h);
    return rc ? rc : kept_init(&l->sums.kept, h);
}

void spans_answer(struct http *h)
{
    struct listing l = {0};
    struct error e;
    int rc = spans_sum_init(&l.sums);
    if (!read_question(&l, h)) {
        rc = rc ? rc : spans_sum(&l.sums, h, &l.query, &e);
        rc = rc ? rc : put_spans(h, &l);
        if (rc == -ENOMEM)
            error_set(&e, rc, "out of memory");
        if (rc)
            question_failed(h, rc, &e);
    }
    spans_sum_deinit(&l.sums);
    question_deinit(&l.query);
}
