#include "server/spans/spans_cell.h"

#include "base/text/number.h"
#include "base/time_units.h"
#include "server/spans/picked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the question ---- */

static int read_order(struct spans_cell *c, struct http *h)
{
    const char *order = http_parameter(h, "order", NULL);
    for (c->order = 0; order && *order && c->order < SPANS_ORDERS; c->order++)
        if (!strcmp(spans_orders[c->order].order, order))
            break;
    if (c->order < SPANS_ORDERS)
        return 0;
    http_error(h, HTTP_BAD_REQUEST, "order: '%.40s' is none of cpu, wall, alloc and duration", order);
    return -EINVAL;
}

/* Reads two whole numbers FROM..TO. TO may be missing; then it stays as it is. */
static bool parse_range(const char *text, uint64_t most, uint64_t *from, uint64_t *to)
{
    char first[32];
    const char *dots = strstr(text, "..");
    if (!dots || (size_t)(dots - text) >= sizeof first)
        return false;
    snprintf(first, sizeof first, "%.*s", (int)(dots - text), text);
    if (number_parse(first, 0, most, from) || (dots[2] && number_parse(dots + 2, 0, most, to)))
        return false;
    return *from < *to;
}

int spans_cell_read(struct spans_cell *c, struct http *h)
{
    const char *began = http_parameter(h, "began", NULL), *value = http_parameter(h, "value", NULL);
    uint64_t from = 0, to = INT64_MAX;
    *c = (struct spans_cell){.is_all = !began && !value, .most = UINT64_MAX};
    if (read_order(c, h))
        return -EINVAL;
    if (began && !parse_range(began, INT64_MAX, &from, &to)) {
        http_error(h, HTTP_BAD_REQUEST, "began: '%.40s' is not FROM..TO, in seconds since the epoch", began);
        return -EINVAL;
    }
    if (value && !parse_range(value, INT64_MAX, &c->least, &c->most)) {
        http_error(h, HTTP_BAD_REQUEST, "value: '%.40s' is not LEAST..MOST, two whole numbers", value);
        return -EINVAL;
    }
    c->from_s = (int64_t)from;
    c->to_s = (int64_t)to;
    return 0;
}

bool spans_cell_has(const struct spans_cell *c, const struct span *s)
{
    uint64_t value = spans_value(s, c->order);
    int64_t second = kept_second(s->from_ns);
    return c->is_all || (second >= c->from_s && second < c->to_s && value >= c->least && value < c->most);
}

/* ---- the profile ---- */

/* The ids of the chosen spans, and of their traces. Lists are sorted, and borrow the texts. */
struct chosen {
    char **spans, **traces;
    uint32_t count, traced;
};

static int by_text(const void *left, const void *right)
{
    return strcasecmp(*(char *const *)left, *(char *const *)right);
}

static int choose(struct chosen *out, const struct spans_cell *c, const struct spans *t)
{
    out->spans = calloc((size_t)t->count + 1, sizeof *out->spans);
    out->traces = calloc((size_t)t->count + 1, sizeof *out->traces);
    if (!out->spans || !out->traces)
        return -ENOMEM;
    for (uint32_t i = 0; i < t->count; i++) {
        const char *trace = strtab_text(&t->texts, t->list[i].trace);
        if (!spans_cell_has(c, &t->list[i]))
            continue;
        out->spans[out->count++] = (char *)(uintptr_t)strtab_text(&t->texts, t->list[i].id);
        if (*trace)
            out->traces[out->traced++] = (char *)(uintptr_t)trace;
    }
    qsort(out->spans, out->count, sizeof *out->spans, by_text);
    qsort(out->traces, out->traced, sizeof *out->traces, by_text);
    return 0;
}

/* A span without a trace must not be asked for one. Without any span, no sample is wanted, which an empty list would not say. */
static int pick(const struct chosen *chosen, struct http *h, const struct question *query, struct profile *p, struct store_result *r,
                struct error *e)
{
    static char none[] = "";
    char *const nothing[] = {none};
    bool traced = chosen->count && chosen->traced == chosen->count;
    const struct picked_wanted wanted = {.traces = chosen->traces,
                                         .trace_count = traced ? chosen->traced : 0,
                                         .spans = chosen->count ? chosen->spans : nothing,
                                         .span_count = chosen->count ? chosen->count : 1,
                                         .sorted = true};
    return picked_profile(h, &query->q, &wanted, p, r, e);
}

int spans_cell_profile(const struct spans_cell *c, struct http *h, const struct question *query, struct profile *p, struct store_result *r,
                       struct error *e)
{
    struct spans t;
    struct chosen chosen = {0};
    int rc = spans_sum_init(&t);
    t.kept.most = KEPT_MAX;
    rc = rc ? error_set(e, rc, "out of memory") : spans_sum(&t, h, query, e);
    if (!rc && t.beyond)
        rc = error_set(e, -E2BIG, "more than %d spans: ask for less time, or select fewer of them", SPANS_MAX);
    if (!rc && choose(&chosen, c, &t))
        rc = error_set(e, -ENOMEM, "out of memory");
    if (rc)
        *r = (struct store_result){0};
    else
        rc = pick(&chosen, h, query, p, r, e);
    if (!rc && t.kept.unread)
        missing_add(&r->missing, MISSING_UNREAD, t.kept.unread, 0, 0);
    free(chosen.spans);
    free(chosen.traces);
    spans_sum_deinit(&t);
    return rc;
}
