/* Spans of a page: samples add up by span and thread, whichever names their labels have; whole traces are left out, the shortest.
 * tier: quick
 * timeout: 60 */
#include "../tap.h"

#include "base/time_units.h"
#include "format/page/spans.h"
#include "profile_maker.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { START_MS = 1700000000 };

static uint32_t label(struct profile *p, uint32_t parent, const char *key, const char *value)
{
    struct profile_label l = {.parent = parent, .key = maker_string(p, key), .value = maker_string(p, value)};
    uint32_t id = 0;
    tap_ok(profile_label(p, &l, &id) == 0, "a label");
    return id;
}

static void sample(struct profile *p, const char *thread, uint32_t labels, int64_t ms, uint64_t weight)
{
    maker_sample_of(p, thread, "A.b", weight);
    struct profile_sample *s = &p->samples[p->sample_count - 1];
    s->labels = labels;
    s->time_ns = ms ? (START_MS + ms) * (int64_t)NS_PER_MS : 0;
}

static uint32_t context(struct profile *p, const char *trace, const char *span, const char *endpoint)
{
    uint32_t labels = endpoint ? label(p, 0, "endpoint", endpoint) : 0;
    return label(p, label(p, labels, "trace_id", trace), "span_id", span);
}

static json_t *written(struct spans *s, const char *link)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    tap_ok(spans_write(f, s, link) == 0, "written");
    fclose(f);
    json_t *json = json_loadb(text, size, 0, NULL);
    free(text);
    return json;
}

static const struct span_row *row_of(const struct spans *s, const char *span, const char *thread)
{
    for (uint32_t i = 0; i < s->row_count; i++)
        if (!strcmp(strtab_text(&s->texts, s->rows[i].span), span) && !strcmp(strtab_text(&s->texts, s->rows[i].thread), thread))
            return &s->rows[i];
    return NULL;
}

static long long number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static const json_t *endpoint_of(const json_t *json, const char *name)
{
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(json, "endpoints"), i,
                       one) if (!strcmp(json_string_value(json_object_get(one, "name")), name)) return one;
    return NULL;
}

/* Endpoints without spans are listed; of too many, those with fewest samples are added up. */
static void test_endpoints(void)
{
    struct profile p;
    struct spans s;
    char name[32];
    maker_init(&p);
    for (int i = 0; i < PAGE_ENDPOINTS + 9; i++) {
        snprintf(name, sizeof name, "GET /%d", i);
        uint32_t set = label(&p, 0, "endpoint", name);
        for (int k = 0; k < (i < 10 ? 1 : 2); k++)
            sample(&p, "w", set, i + 1, 3);
    }
    tap_ok(!spans_init(&s) && !spans_add(&s, &p) && !s.row_count && spans_any(&s), "samples with an endpoint need no span");
    json_t *json = written(&s, NULL);
    const json_t *more = json_object_get(json, "more_endpoints");
    tap_ok(json_array_size(json_object_get(json, "endpoints")) == PAGE_ENDPOINTS && number(more, "count") == 9 &&
               number(more, "cpu_ns") == 27 && number(more, "samples") == 9,
           "the endpoints that do not fit are added up");
    json_decref(json);
    spans_deinit(&s);
    profile_deinit(&p);
}

static void test_rows(void)
{
    struct profile cpu, wall, other;
    struct spans s;
    maker_init(&cpu);
    maker_init(&wall);
    maker_init(&other);
    wall.kind = PROFILE_WALL;
    other.kind = PROFILE_HOLDER;
    uint32_t first = context(&cpu, "aa", "1", NULL), named = context(&cpu, "aa", "1", "GET /");
    sample(&cpu, "w-1", first, 10, 5);
    sample(&cpu, "w-1", named, 30, 7);
    sample(&cpu, "w-2", named, 20, 1);
    sample(&cpu, "w-1", 0, 40, 9);
    sample(&cpu, "w-1", named, 0, 9);
    sample(&wall, "w-1", context(&wall, "aa", "1", NULL), 50, 100);
    sample(&wall, "w-1", label(&wall, label(&wall, 0, "localRootSpanId", "77"), "spanId", "78"), 60, 3);
    sample(&other, "w-9", context(&other, "aa", "1", NULL), 70, 100);
    tap_ok(!spans_init(&s) && !spans_add(&s, &cpu) && !spans_add(&s, &wall) && !spans_add(&s, &other), "samples are added");
    const struct span_row *one = row_of(&s, "1", "w-1"), *two = row_of(&s, "1", "w-2"), *datadog = row_of(&s, "78", "w-1");
    tap_ok(s.row_count == 3 && s.trace_count == 2 && s.without == 2, "rows, traces, and samples without a span or a time");
    tap_ok(one && one->to_ns - one->from_ns == 40 * NS_PER_MS && one->weights[SPANS_CPU] == 12 && one->weights[SPANS_WALL] == 100 &&
               one->samples == 3,
           "a span of one thread, from its first to its last sample of any kind");
    tap_ok(one && !strcmp(strtab_text(&s.texts, one->endpoint), "GET /"), "its endpoint is the first that a sample has");
    tap_ok(two && two->from_ns == two->to_ns && two->trace == one->trace, "another thread of the same span");
    tap_ok(datadog && !strcmp(strtab_text(&s.texts, s.traces[datadog->trace].id), "77"), "without a trace, the root span stands for it");
    json_t *json = written(&s, "https://x/{trace}");
    tap_ok(json_integer_value(json_object_get(json, "count")) == 3 && json_integer_value(json_object_get(json, "without")) == 2 &&
               !strcmp(json_string_value(json_object_get(json, "link")), "https://x/{trace}") &&
               json_integer_value(json_object_get(json, "start_ns")) == (START_MS + 10) * (int64_t)NS_PER_MS,
           "the JSON has them");
    const json_t *named_sums = endpoint_of(json, "GET /"), *rest = endpoint_of(json, "");
    tap_ok(number(named_sums, "cpu_ns") == 17 && number(named_sums, "wall_ns") == 0 && number(named_sums, "samples") == 3 &&
               number(named_sums, "traces") == 1,
           "an endpoint has all of its samples, also one without a time");
    tap_ok(number(rest, "cpu_ns") == 14 && number(rest, "wall_ns") == 103 && number(rest, "samples") == 4 && number(rest, "traces") == 1,
           "and so have the samples without an endpoint");
    const json_t *roots = json_object_get(json, "roots");
    size_t root = (size_t)json_integer_value(json_array_get(roots, 0));
    tap_ok(json_array_size(roots) == 1 && !strcmp(json_string_value(json_array_get(json_object_get(json, "texts"), root)), "77"),
           "and which id is no trace's");
    json_decref(json);
    spans_deinit(&s);
    profile_deinit(&cpu);
    profile_deinit(&wall);
    profile_deinit(&other);
}

/* One long trace of two spans comes first; of the others, which are as long as each other, some are left out, whole. */
static void test_many(void)
{
    struct profile p;
    struct spans s;
    char trace[16], first[16], second[16];
    maker_init(&p);
    for (int i = 0; i < PAGE_SPANS; i++) {
        bool is_long = i == PAGE_SPANS - 1;
        snprintf(trace, sizeof trace, "t%d", i);
        snprintf(first, sizeof first, "a%d", i);
        snprintf(second, sizeof second, "b%d", i);
        struct profile_label l = {.key = maker_string(&p, "trace_id"), .value = maker_string(&p, trace)};
        uint32_t set = 0, a = 0, b = 0;
        profile_label(&p, &l, &set);
        profile_label(&p, &(struct profile_label){.parent = set, .key = maker_string(&p, "span_id"), .value = maker_string(&p, first)}, &a);
        profile_label(&p, &(struct profile_label){.parent = set, .key = maker_string(&p, "span_id"), .value = maker_string(&p, second)},
                      &b);
        sample(&p, "w", a, i + 1, 1);
        sample(&p, "w", b, i + (is_long ? 50 : 2), 1);
    }
    tap_ok(!spans_init(&s) && !spans_add(&s, &p) && s.row_count == 2 * PAGE_SPANS, "twice as many spans as fit");
    json_t *json = written(&s, NULL);
    tap_ok(json_integer_value(json_object_get(json, "count")) == PAGE_SPANS &&
               json_integer_value(json_object_get(json, "all")) == 2 * PAGE_SPANS &&
               json_integer_value(json_object_get(json, "traces")) == PAGE_SPANS,
           "the page has as many as fit, and says how many there are");
    tap_ok(json_array_size(json_object_get(json, "texts")) == 1 + PAGE_SPANS / 2 * 3 + 1, "and only their texts");
    uint32_t *rows_of = calloc(s.trace_count, sizeof *rows_of), halves = 0;
    for (uint32_t i = 0; i < PAGE_SPANS; i++)
        rows_of[s.rows[i].trace]++;
    for (uint32_t i = 0; i < s.trace_count; i++)
        halves += rows_of[i] == 1;
    tap_ok(!halves && rows_of[PAGE_SPANS - 1] == 2, "whole traces, with the longest");
    bool ordered = true;
    for (uint32_t i = 1; i < PAGE_SPANS; i++)
        ordered = ordered && s.rows[i - 1].from_ns <= s.rows[i].from_ns;
    tap_ok(ordered, "in order of time");
    free(rows_of);
    json_decref(json);
    spans_deinit(&s);
    profile_deinit(&p);
}

static void test_none(void)
{
    struct profile p;
    struct spans s;
    maker_init(&p);
    tap_ok(!spans_init(&s) && !spans_add(&s, &p) && !s.row_count, "no samples");
    json_t *json = written(&s, NULL);
    tap_ok(json && !json_integer_value(json_object_get(json, "count")), "no spans");
    json_decref(json);
    spans_deinit(&s);
    profile_deinit(&p);
}

static struct jfr_text text_of(const char *text)
{
    return (struct jfr_text){text, strlen(text)};
}

static int event(struct spans *s, const char *trace, const char *span, const char *thread, int64_t from_ms, int64_t to_ms)
{
    return spans_add_event(s, &(struct span_event){.trace = text_of(trace),
                                                   .span = text_of(span),
                                                   .endpoint = text_of("pay"),
                                                   .thread = text_of(thread),
                                                   .from_ns = (START_MS + from_ms) * (int64_t)NS_PER_MS,
                                                   .to_ns = (START_MS + to_ms) * (int64_t)NS_PER_MS});
}

/* Events give spans their exact times, and spans without samples a row. */
static void test_events(void)
{
    struct profile cpu;
    struct spans s;
    maker_init(&cpu);
    sample(&cpu, "w-1", context(&cpu, "aa", "1", NULL), 30, 7);
    tap_ok(!spans_init(&s) && !spans_add(&s, &cpu) && !event(&s, "aa", "1", "w-1", 10, 90) && !event(&s, "aa", "2", "w-1", 20, 25) &&
               !event(&s, "", "7", "w-2", 40, 45) && !event(&s, "", "", "w-2", 50, 51) && !event(&s, "", "", "w-2", 50, 51),
           "events are added");
    const struct span_row *sampled = row_of(&s, "1", "w-1"), *not_sampled = row_of(&s, "2", "w-1"), *alone = row_of(&s, "7", "w-2");
    tap_ok(sampled && sampled->is_exact && sampled->to_ns - sampled->from_ns == 80 * NS_PER_MS && sampled->weights[SPANS_CPU] == 7 &&
               !strcmp(strtab_text(&s.texts, sampled->endpoint), "pay"),
           "a span with samples has the time and the name of its event");
    tap_ok(not_sampled && not_sampled->trace == sampled->trace && !not_sampled->samples, "another span of its trace has no sample");
    tap_ok(alone && s.traces[alone->trace].by_root && s.traces[alone->trace].id == alone->span, "a span without a trace is one");
    tap_ok(s.row_count == 5 && s.trace_count == 4 && s.rows[3].span != s.rows[4].span, "so is each event without an id");
    s.events = SPAN_EVENTS_MAX;
    tap_ok(!event(&s, "aa", "3", "w-1", 1, 2) && s.row_count == 5, "there is a largest number of them");
    json_t *json = written(&s, NULL);
    tap_ok(json_integer_value(json_object_get(json, "left_out")) == 1 && json_integer_value(json_object_get(json, "all")) == 6,
           "the others are counted");
    json_decref(json);
    spans_deinit(&s);
    profile_deinit(&cpu);
}

int main(void)
{
    test_rows();
    test_endpoints();
    test_many();
    test_events();
    test_none();
    return tap_done();
}
