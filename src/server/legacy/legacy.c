#include "server/legacy/legacy.h"

#include "base/text/number.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "server/connect/call.h"
#include "server/connect/connect.h"
#include "server/connect/dot.h"
#include "server/connect/flamebearer.h"
#include "server/legacy/legacy_time.h"
#include "server/connect/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DOT_NODES = 100, TIMELINE_POINTS = 1500, TIMELINE_STEP_S = 15 };

/* ---- the parameters ---- */

/* Reads a time parameter of one side. prefix: "", "left" or "right"; after one of these, the name begins with a capital. */
static int read_time(struct call *c, const char *prefix, const char *name, const char *otherwise, int64_t *ms)
{
    char full[32];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    if (*prefix)
        full[strlen(prefix)] = (char)(full[strlen(prefix)] - 'a' + 'A');
    const char *text = http_parameter(c->http, full, NULL);
    text = text && *text ? text : otherwise;
    if (legacy_time_parse(text, (int64_t)(clock_realtime_ns() / NS_PER_MS), ms))
        return error_set(&c->error, -EINVAL, "%s: '%.40s' is not a time; write now-1h, or seconds since the epoch", full, text);
    return 0;
}

static int read_times(struct call *c, const char *prefix, struct asked *a)
{
    int rc = read_time(c, prefix, "from", "now-1h", &a->start);
    return rc ? rc : read_time(c, prefix, "until", "now", &a->end);
}

/* Reads a query, such as process_cpu:cpu:nanoseconds:cpu:nanoseconds{service_name="shop"}. */
static int read_query(struct call *c, const char *name, struct asked *a)
{
    size_t len = 0;
    const char *text = http_parameter(c->http, name, &len);
    if (!text || !*text || strlen(text) != len)
        return error_set(&c->error, -EINVAL, "%s is missing; write it like %s{service_name=\"shop\"}", name,
                         "process_cpu:cpu:nanoseconds:cpu:nanoseconds");
    size_t type = strcspn(text, "{"), end = type;
    while (end && text[end - 1] == ' ')
        end--;
    const char *selector = text[type] ? text + type : "{}";
    int rc = asked_add(&a->profile_type, text, end);
    rc = rc ? rc : asked_add(&a->selector, selector, strlen(selector));
    return rc ? error_set(&c->error, rc, "out of memory") : 0;
}

static int read_nodes(struct call *c, struct asked *a)
{
    const char *text = http_parameter(c->http, "max-nodes", NULL);
    text = text ? text : http_parameter(c->http, "maxNodes", NULL);
    if (text && *text && number_parse_signed(text, INT64_MIN, INT64_MAX, &a->max_nodes))
        return error_set(&c->error, -EINVAL, "max-nodes: '%.40s' is not a number", text);
    return 0;
}

/* ---- the answer ---- */

typedef int legacy_write(struct call *c, struct http_writer *w); /* returns 0, or a code with a message in c->error */

/* Answers with what `write` writes, or with an error in the query API's form. */
static void answer(struct call *c, legacy_write *write, const char *type)
{
    struct http *h = c->http;
    struct http_writer w;
    char text[200];
    if (http_write_begin(h, &w))
        return;
    int rc = write(c, &w);
    fflush(w.out);
    if (!rc && w.full)
        rc = error_set(&c->error, -EFBIG, "%s", http_full_text(&w, text, sizeof text));
    if (rc) {
        http_write_abandon(&w);
        counters_gave_up(&h->server->counters, rc);
        connect_error(h, call_code(rc), c->error.text);
        return;
    }
    call_say_missing(h, &c->missing);
    http_write_end(h, &w, HTTP_OK, type);
}

static void put_levels(struct jsonw *j, const struct flamebearer *f)
{
    jsonw_key(j, "names");
    jsonw_array(j);
    for (uint32_t i = 0; i < f->name_count; i++)
        jsonw_text(j, f->names[i]);
    jsonw_array_end(j);
    jsonw_key(j, "levels");
    jsonw_array(j);
    for (uint32_t i = 0; i < f->level_count; i++) {
        jsonw_array(j);
        for (uint32_t k = 0; k < f->levels[i].count; k++)
            jsonw_int(j, f->levels[i].values[k]);
        jsonw_array_end(j);
    }
    jsonw_array_end(j);
    jsonw_key(j, "numTicks");
    jsonw_int(j, f->totals[0] + f->totals[1]);
    jsonw_key(j, "maxSelf");
    jsonw_int(j, f->most_self);
}

/* Writes the units as the older clients know them. Times are counted as samples at a rate of a thousand million per second. */
static void put_metadata(struct jsonw *j, const struct asked *a, const char *format)
{
    char type[CATALOGUE_TYPE_MAX];
    struct kind kind;
    struct error e;
    if (kinds_parse(asked_last(&a->profile_type), type, &kind, &e))
        kind = (struct kind){.id = ""};
    const char *name = kind.parts[1], *units = kind.parts[2];
    bool is_time = !strcmp(units, "nanoseconds");
    bool is_objects =
        !strcmp(name, "inuse_objects") || !strcmp(name, "alloc_objects") || !strcmp(name, "goroutine") || !strcmp(name, "samples");
    jsonw_key(j, "metadata");
    jsonw_object(j);
    jsonw_member_text(j, "format", format);
    jsonw_member_text(j, "spyName", "");
    jsonw_member_uint(j, "sampleRate", is_time ? NS_PER_S : 100);
    jsonw_member_text(j, "units", is_time ? "samples" : is_objects ? "objects" : units);
    jsonw_member_text(j, "name", name);
    jsonw_object_end(j);
}

static int put_flamebearer(struct call *c, struct jsonw *j, struct profile *const sides[], int count)
{
    struct flamebearer f;
    int rc = flamebearer_build(&f, sides, count);
    if (rc) {
        error_set(&c->error, rc, rc == -EFBIG ? "more nodes than a flame graph can have" : "out of memory");
    } else {
        jsonw_key(j, "flamebearer");
        jsonw_object(j);
        put_levels(j, &f);
        jsonw_object_end(j);
        if (count > 1) {
            jsonw_key(j, "leftTicks");
            jsonw_int(j, f.totals[0]);
            jsonw_key(j, "rightTicks");
            jsonw_int(j, f.totals[1]);
        }
    }
    flamebearer_deinit(&f);
    return rc;
}

/* ---- the time series ---- */

struct line {
    struct store_query q;
    int64_t step;
    struct store_series series;
};

/* Writes the steps of one value; those without weight are 0. *at: the next point of the series. */
static void put_line(struct jsonw *j, const struct line *l, uint32_t *at)
{
    int64_t steps = (l->q.to - l->q.from) / l->step;
    uint32_t series = *at < l->series.point_count ? l->series.points[*at].series : 0;
    jsonw_object(j);
    jsonw_key(j, "startTime");
    jsonw_int(j, l->q.from);
    jsonw_key(j, "samples");
    jsonw_array(j);
    for (int64_t step = 0; step < steps; step++) {
        const struct store_point *p = *at < l->series.point_count ? &l->series.points[*at] : NULL;
        bool here = p && p->series == series && p->step == step;
        jsonw_uint(j, here ? p->weight : 0);
        *at += here;
    }
    jsonw_array_end(j);
    jsonw_key(j, "durationDelta");
    jsonw_int(j, l->step);
    jsonw_key(j, "watermarks");
    jsonw_null(j);
    jsonw_object_end(j);
}

static int load_line(struct call *c, struct line *l, const char *by)
{
    struct store_result result = {0};
    int64_t range_ms = c->asked.end - c->asked.start;
    c->asked.step = (double)(range_ms / 1000 / TIMELINE_POINTS);
    if (c->asked.step < TIMELINE_STEP_S)
        c->asked.step = TIMELINE_STEP_S;
    int rc = timeline_range(c, &l->q, &l->step);
    if (rc)
        return rc;
    rc = store_series(c->store, &l->q, l->step, by, &l->series, &result, &c->error);
    store_result_deinit(&result);
    return rc;
}

/* Writes the time series of all samples, and then one for each value of the label in the parameter groupBy. */
static int put_timeline(struct call *c, struct jsonw *j)
{
    struct selector selector = {0};
    char type[CATALOGUE_TYPE_MAX];
    bool nothing = false;
    const char *by = http_parameter(c->http, "groupBy", NULL);
    struct line all = {0}, groups = {0};
    uint32_t at = 0;
    int rc = call_query(c, &c->asked, &all.q, &selector, type, &nothing);
    groups.q = all.q;
    rc = rc || nothing ? rc : load_line(c, &all, NULL);
    jsonw_key(j, "timeline");
    if (!rc && nothing)
        jsonw_null(j);
    else if (!rc)
        put_line(j, &all, &at);
    jsonw_key(j, "groups");
    if (!rc && !nothing && by && *by) {
        rc = load_line(c, &groups, series_is_service(by) ? "service" : by);
        jsonw_object(j);
        for (at = 0; !rc && at < groups.series.point_count;) {
            const char *value = groups.series.values[groups.series.points[at].series];
            jsonw_key(j, *value ? value : "*");
            put_line(j, &groups, &at);
        }
        jsonw_object_end(j);
    } else {
        jsonw_null(j);
    }
    store_series_deinit(&all.series);
    store_series_deinit(&groups.series);
    selector_deinit(&selector);
    return rc;
}

/* ---- render ---- */

static int load_side(struct call *c, const struct asked *a, uint32_t nodes, struct profile *p)
{
    return profile_init(p) ? error_set(&c->error, -ENOMEM, "out of memory") : call_profile(c, a, nodes, p);
}

static int write_render(struct call *c, struct http_writer *w)
{
    struct jsonw *j = &w->json;
    struct profile p = {0}, *side = &p;
    uint32_t nodes = 0;
    int rc = call_nodes(c, &c->asked, &nodes);
    rc = rc ? rc : load_side(c, &c->asked, nodes, &p);
    jsonw_object(j);
    jsonw_member_uint(j, "version", 1);
    rc = rc ? rc : put_flamebearer(c, j, &side, 1);
    if (!rc)
        put_metadata(j, &c->asked, "single");
    rc = rc ? rc : put_timeline(c, j);
    jsonw_key(j, "heatmap");
    jsonw_null(j);
    jsonw_object_end(j);
    profile_deinit(&p);
    return rc;
}

static int write_dot(struct call *c, struct http_writer *w)
{
    struct profile p = {0};
    int64_t most = c->asked.max_nodes;
    int rc = load_side(c, &c->asked, 0, &p);
    if (!rc && dot_write(w->out, &p, most > 0 && most < DOT_NODES ? (uint32_t)most : DOT_NODES))
        rc = error_set(&c->error, -ENOMEM, "out of memory");
    profile_deinit(&p);
    return rc;
}

/* Answers with an error if the parameters cannot be read. Returns whether they can. */
static bool has_read(struct call *c, int rc)
{
    if (rc)
        connect_error(c->http, call_code(rc), c->error.text);
    return !rc;
}

void legacy_render(struct http *h)
{
    struct call c = {.http = h, .store = h->server->store};
    const char *format = http_parameter(h, "format", NULL);
    bool dot = format && !strcmp(format, "dot");
    int rc = read_query(&c, "query", &c.asked);
    rc = rc ? rc : read_times(&c, "", &c.asked);
    rc = rc ? rc : read_nodes(&c, &c.asked);
    if (!rc && format && *format && !dot && strcmp(format, "json"))
        rc = error_set(&c.error, -EINVAL, "format: '%.40s' is neither json nor dot", format);
    if (has_read(&c, rc))
        answer(&c, dot ? write_dot : write_render, dot ? "text/plain; charset=utf-8" : "application/json");
    asked_deinit(&c.asked);
}

static int write_diff(struct call *c, struct http_writer *w)
{
    struct jsonw *j = &w->json;
    struct profile list[2] = {0}, *sides[2] = {&list[0], &list[1]};
    uint32_t nodes = 0;
    int rc = call_nodes(c, &c->asked, &nodes);
    for (int i = 0; !rc && i < 2; i++)
        rc = load_side(c, c->asked.sides[i], nodes, &list[i]);
    jsonw_object(j);
    jsonw_member_uint(j, "version", 1);
    rc = rc ? rc : put_flamebearer(c, j, sides, 2);
    if (!rc)
        put_metadata(j, c->asked.sides[0], "double");
    jsonw_object_end(j);
    profile_deinit(&list[0]);
    profile_deinit(&list[1]);
    return rc;
}

static int read_side(struct call *c, const char *prefix, const char *query, struct asked **side)
{
    *side = calloc(1, sizeof **side);
    int rc = *side ? read_query(c, query, *side) : error_set(&c->error, -ENOMEM, "out of memory");
    return rc ? rc : read_times(c, prefix, *side);
}

void legacy_render_diff(struct http *h)
{
    struct call c = {.http = h, .store = h->server->store};
    struct asked **sides = c.asked.sides;
    int rc = read_side(&c, "left", "leftQuery", &sides[0]);
    rc = rc ? rc : read_side(&c, "right", "rightQuery", &sides[1]);
    rc = rc ? rc : read_nodes(&c, &c.asked);
    if (!rc && strcmp(asked_last(&sides[0]->profile_type), asked_last(&sides[1]->profile_type)))
        rc = error_set(&c.error, -EINVAL, "leftQuery and rightQuery must be of the same profile type");
    if (has_read(&c, rc))
        answer(&c, write_diff, "application/json");
    asked_deinit(&c.asked);
}

/* ---- labels ---- */

static void put_word(void *json, const char *word)
{
    jsonw_text(json, word);
}

static int write_words(struct call *c, struct http_writer *w)
{
    const char *name = asked_last(&c->asked.name);
    jsonw_array(&w->json);
    int rc = call_words(c, true, *name ? name : NULL, put_word, &w->json);
    jsonw_array_end(&w->json);
    return rc;
}

/* Reads the times, if there are any, and a selector in the parameter query; a profile type before it does not matter. */
static int read_words(struct call *c)
{
    const char *query = http_parameter(c->http, "query", NULL);
    query = query ? strchr(query, '{') : NULL;
    int rc = 0;
    if (http_parameter(c->http, "from", NULL) || http_parameter(c->http, "until", NULL))
        rc = read_times(c, "", &c->asked);
    if (!rc && query && asked_add(&c->asked.matchers, query, strlen(query)))
        rc = error_set(&c->error, -ENOMEM, "out of memory");
    return rc;
}

void legacy_label_names(struct http *h)
{
    struct call c = {.http = h, .store = h->server->store};
    if (has_read(&c, read_words(&c)))
        answer(&c, write_words, "application/json");
    asked_deinit(&c.asked);
}

void legacy_label_values(struct http *h)
{
    struct call c = {.http = h, .store = h->server->store};
    const char *label = http_parameter(h, "label", NULL);
    label = label && !strcmp(label, "__name__") ? "__profile_type__" : label; /* the older clients' name of a type is its id */
    int rc = label && *label ? read_words(&c) : error_set(&c.error, -EINVAL, "label is missing");
    if (!rc && asked_add(&c.asked.name, label, strlen(label)))
        rc = error_set(&c.error, -ENOMEM, "out of memory");
    if (has_read(&c, rc))
        answer(&c, write_words, "application/json");
    asked_deinit(&c.asked);
}
