#include "server/answers/query.h"

#include "base/text/trace_link.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "format/export.h"
#include "format/page/flamegraph.h"
#include "report/report.h"
#include "server/fleet/function_match.h"
#include "server/request/question.h"
#include "server/spans/picked.h"
#include "server/spans/spans_cell.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_DEFAULT = 20000, NODES_MAX = 1000000, LIMIT_DEFAULT = 100, LIMIT_MAX = 100000, TRACE_DIGITS = 32, SPAN_DIGITS = 16 };

/* ---- profiles ---- */

struct answer {
    struct http *http;
    struct question query;
    struct profile profile;
    struct store_result result;
    char *trace, *span;     /* only samples of this trace, or span; NULL = all samples */
    struct spans_cell cell; /* only samples of these spans */
    bool matching;          /* the parameter `match` counts: only samples in whose stacks these methods are */
    struct function_match match;
    uint32_t limit;
    bool labels;           /* samples need their labels */
    export_writer *export; /* of the format that was asked for, for write_export */
};

typedef int write_answer(struct answer *a, struct http_writer *w); /* returns 0 or a code */

/* Writes the trace and the span that were asked for, and where a tracing system shows the trace. */
static void put_trace(const struct answer *a, struct jsonw *j)
{
    char link[TRACE_LINK_MAX];
    const char *template = a->http->server->options->trace_link;
    if (a->trace)
        jsonw_member_text(j, "trace_id", a->trace);
    if (a->span)
        jsonw_member_text(j, "span_id", a->span);
    if (a->trace && template)
        jsonw_member_text(j, "trace_link", trace_link_write(link, sizeof link, template, a->trace, a->span ? a->span : ""));
}

static void put_server(struct answer *a, struct jsonw *j)
{
    const struct store_result *r = &a->result;
    jsonw_key(j, "server");
    jsonw_object(j);
    jsonw_member_text(j, "type", r->type);
    jsonw_member_uint(j, "recordings", r->recordings);
    put_trace(a, j);
    question_put_span(j, r);
    jsonw_member_uint(j, "total", r->weight);
    jsonw_member_uint(j, "shown", a->profile.weight - r->pruned.weight);
    jsonw_member_uint(j, "pruned", r->pruned.weight);
    jsonw_member_uint(j, "nodes_pruned", r->pruned.nodes);
    question_put_complete(j, &r->missing, r->type, false);
    question_put_books(j, r);
    jsonw_key(j, "unreadable");
    jsonw_array(j);
    for (size_t at = 0; at < r->unreadable.len;) {
        const char *line = (const char *)r->unreadable.data + at;
        size_t n = (size_t)((const char *)memchr(line, '\n', r->unreadable.len - at) - line);
        jsonw_string(j, line, n);
        at += n + 1;
    }
    jsonw_array_end(j);
    jsonw_object_end(j);
}

/* Adds the missing data, and that weights are rounded, to the profile's problems, which the report and the page show. */
static int say_incomplete(struct profile *p, const struct store_result *r, struct error *e)
{
    char text[HTTP_EXTRA_BYTES];
    missing_text(&r->missing, r->type, text, sizeof text);
    if ((*text && profile_add_problem(p, "warning", "%s", text)) ||
        (r->missing.rounded_since && profile_add_problem(p, "info", "%s", question_rounded_text)))
        return error_set(e, -ENOMEM, "out of memory");
    return 0;
}

/* Reads an id of at most this many hexadecimal digits. Returns 0, or a code if it has already answered with an error. */
static int read_id(struct http *h, const char *name, size_t digits, char **id)
{
    size_t len;
    const char *text = http_parameter(h, name, &len);
    *id = NULL;
    if (!text || !*text)
        return 0;
    if (len > digits || strspn(text, "0123456789abcdefABCDEF") != len) {
        http_error(h, HTTP_BAD_REQUEST, "%s: '%.40s' is not an id of at most %zu hexadecimal digits", name, text, digits);
        return -EINVAL;
    }
    *id = (char *)(uintptr_t)text;
    return 0;
}

/* Loads the samples. Those of a trace or span are searched for in the recordings. They are few, so that no node is left out. */
static int load_samples(struct answer *a, struct error *e)
{
    struct server *s = a->http->server;
    const struct picked_wanted wanted = {&a->trace, &a->span, a->trace != NULL, a->span != NULL};
    if (a->trace || a->span)
        return picked_profile(a->http, &a->query.q, &wanted, &a->profile, &a->result, e);
    if (!a->cell.is_all)
        return spans_cell_profile(&a->cell, a->http, &a->query, &a->profile, &a->result, e);
    return store_profile(s->store, &a->query.q, &a->profile, &a->result, e);
}

static int load(struct answer *a, struct error *e)
{
    int rc = load_samples(a, e);
    return rc || !a->match.text ? rc : function_match_keep(&a->match, &a->profile, e);
}

/* Reads the methods that must be in the stacks, if the question may have any. Returns 0, or a code if it has already answered. */
static int read_match(struct answer *a)
{
    size_t len;
    const char *text = a->matching ? http_parameter(a->http, "match", &len) : NULL;
    return text && len ? function_match_init(&a->match, a->http) : 0;
}

/* Refuses a question that chooses spans in two ways, of which only one would be heeded. */
static int check_choice(const struct answer *a)
{
    if (a->cell.is_all || (!a->trace && !a->span))
        return 0;
    http_error(a->http, HTTP_BAD_REQUEST, "trace_id and span_id exclude began and value");
    return -EINVAL;
}

static void answer_profile(const struct answer *asked, uint32_t keep, const char *type, write_answer *write)
{
    struct answer a = *asked;
    struct http *h = a.http;
    struct http_writer w;
    struct error e;
    int rc = question_init_of_samples(&a.query, h);
    rc = rc ? rc : read_id(h, "trace_id", TRACE_DIGITS, &a.trace);
    rc = rc ? rc : read_id(h, "span_id", SPAN_DIGITS, &a.span);
    rc = rc ? rc : spans_cell_read(&a.cell, h);
    rc = rc ? rc : check_choice(&a);
    rc = rc ? rc : read_match(&a);
    if (!rc && profile_init(&a.profile)) {
        question_failed(h, rc = -ENOMEM, &e);
    } else if (!rc) {
        a.query.q.keep = a.match.text ? 0 : keep; /* the stacks that are not wanted would leave no room for the others */
        a.query.q.books = true;
        a.query.q.labels = a.labels;
        rc = load(&a, &e);
        rc = rc ? rc : say_incomplete(&a.profile, &a.result, &e);
        if (rc) {
            question_failed(h, rc, &e);
        } else if (!http_write_begin(h, &w)) {
            rc = write(&a, &w);
            if (rc && !w.full) {
                http_write_abandon(&w);
                error_set(&e, rc, "%s", strerror(-rc));
                question_failed(h, rc, &e);
            } else {
                http_write_end(h, &w, HTTP_OK, type);
            }
        }
        profile_deinit(&a.profile);
        store_result_deinit(&a.result);
    }
    function_match_deinit(&a.match);
    question_deinit(&a.query);
}

static int write_methods(struct answer *a, struct http_writer *w)
{
    struct report_options o = {.sections = REPORT_METHODS | REPORT_LINES | REPORT_THREADS | REPORT_BOOKS, .top_set = true, .top = a->limit};
    struct stats s = {0};
    jsonw_object(&w->json);
    put_server(a, &w->json);
    jsonw_key(&w->json, "report");
    int rc = stats_compute(&s, &a->profile);
    rc = rc ? rc : report_json(w->out, &a->profile, &s, &o);
    stats_deinit(&s);
    jsonw_object_end(&w->json);
    return rc;
}

void query_methods(struct http *h)
{
    uint32_t limit;
    if (!question_number(h, "limit", LIMIT_DEFAULT, LIMIT_MAX, &limit))
        answer_profile(&(struct answer){.http = h, .limit = limit}, 0, "application/json", write_methods);
}

static void make_title(const struct answer *a, char *out, size_t size)
{
    const char *select = http_parameter(a->http, "select", NULL);
    size_t n = 0;
    if (a->span)
        n += (size_t)snprintf(out, size, "span %s, ", a->span);
    if (a->trace)
        n += (size_t)snprintf(out + n, size - n, "trace %s, ", a->trace);
    snprintf(out + n, size - n, "%.200s", select && *select ? select : "all services");
}

/* Writes the graph. The tables of the page cover all rows, even those of nodes that were pruned from the graph. */
static int write_graph(struct answer *a, struct http_writer *w, const char *title, bool data)
{
    const struct store_result *r = &a->result;
    if (r->pruned.nodes)
        return flamegraph_write_pruned(w->out, &a->profile, title, data, r->methods, r->method_count);
    return data ? flamegraph_write_data(w->out, &a->profile, title) : flamegraph_write(w->out, &a->profile, title, false);
}

static int write_page(struct answer *a, struct http_writer *w)
{
    char title[320];
    make_title(a, title, sizeof title);
    return write_graph(a, w, title, false);
}

static int write_data(struct answer *a, struct http_writer *w)
{
    char title[320];
    make_title(a, title, sizeof title);
    jsonw_object(&w->json);
    put_server(a, &w->json);
    jsonw_key(&w->json, "page");
    int rc = write_graph(a, w, title, true);
    jsonw_object_end(&w->json);
    return rc;
}

void query_flamegraph(struct http *h)
{
    const char *format = http_parameter(h, "format", NULL);
    uint32_t nodes;
    if (question_number(h, "max_nodes", NODES_DEFAULT, NODES_MAX, &nodes))
        return;
    if (format && !strcmp(format, "html"))
        answer_profile(&(struct answer){.http = h, .matching = true}, nodes, "text/html; charset=utf-8", write_page);
    else
        answer_profile(&(struct answer){.http = h, .matching = true}, nodes, "application/json", write_data);
}

/* Adds headers with facts for which a profile has no field, so that its reader knows whether the answer is complete. */
static void tell_sums(struct answer *a)
{
    char text[HTTP_EXTRA_BYTES];
    http_add_number(a->http, "X-Candor-Recordings", a->result.recordings);
    http_add_number(a->http, "X-Candor-Total", a->result.weight);
    http_add_text(a->http, "X-Candor-Complete", missing_parts(&a->result.missing) ? "false" : "true");
    missing_text(&a->result.missing, a->result.type, text, sizeof text);
    if (*text)
        http_add_text(a->http, "X-Candor-Missing", text);
    question_coarse_text(&a->result, text, sizeof text);
    if (*text)
        http_add_text(a->http, "X-Candor-Coarse", text);
}

static int write_export(struct answer *a, struct http_writer *w)
{
    char title[320];
    make_title(a, title, sizeof title);
    tell_sums(a);
    return a->export(&(struct export_request){.profile = &a->profile, .title = title}, w->out);
}

void query_profile(struct http *h)
{
#define ROW(name, words, extensions, media) {#name, media, name##_export},
    static const struct {
        const char *name, *media;
        export_writer *export;
    } formats[] = {FORMAT_NAMES_BOTH(ROW)};
#undef ROW
    const char *format = http_parameter(h, "format", NULL);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(formats[i].name, format ? format : "otlp")) {
            answer_profile(&(struct answer){.http = h, .labels = true, .export = formats[i].export}, 0, formats[i].media, write_export);
            return;
        }
    http_error(h, HTTP_BAD_REQUEST, "format: '%.40s' is none of these:" FORMAT_NAMES_BOTH(FORMAT_NAMES_BLANK), format);
}

/* ---- series ---- */

static void put_series(struct http *h, const struct question *query, int64_t step, const struct store_series *s,
                       const struct store_result *r)
{
    struct http_writer w;
    if (http_write_begin(h, &w))
        return;
    struct jsonw *j = &w.json;
    jsonw_object(j);
    jsonw_member_text(j, "type", r->type);
    jsonw_member_uint(j, "recordings", r->recordings);
    question_put_complete(j, &r->missing, r->type, false);
    question_put_books(j, r);
    question_put_span(j, r);
    jsonw_key(j, "step");
    jsonw_int(j, step);
    jsonw_key(j, "from");
    jsonw_int(j, query->q.from);
    jsonw_key(j, "to");
    jsonw_int(j, query->q.to);
    jsonw_key(j, "series");
    jsonw_array(j);
    for (uint32_t i = 0; i < s->point_count;) {
        uint32_t series = s->points[i].series;
        jsonw_object(j);
        jsonw_member_text(j, "value", s->values[series]);
        jsonw_key(j, "points");
        jsonw_array(j);
        for (; i < s->point_count && s->points[i].series == series; i++) {
            jsonw_array(j);
            jsonw_int(j, query->q.from + s->points[i].step * step);
            jsonw_uint(j, s->points[i].weight);
            jsonw_array_end(j);
        }
        jsonw_array_end(j);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
    jsonw_object_end(j);
    http_write_end(h, &w, HTTP_OK, "application/json");
}

void query_series(struct http *h)
{
    struct question query;
    struct store_series series = {0};
    struct store_result result = {0};
    struct error e;
    int64_t step;
    const char *by = http_parameter(h, "by", NULL);
    int rc = question_init_of_samples(&query, h);
    rc = rc ? rc : question_step(h, &query, &step);
    if (!rc) {
        query.q.books = true;
        rc = store_series(h->server->store, &query.q, step, by && *by ? by : NULL, &series, &result, &e);
        if (rc)
            question_failed(h, rc, &e);
        else
            put_series(h, &query, step, &series, &result);
        store_series_deinit(&series);
        store_result_deinit(&result);
    }
    question_deinit(&query);
}
