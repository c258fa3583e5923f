#include "format/page/spans.h"

#include "base/array.h"
#include "base/time_units.h"
#include "format/page/column.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int spans_init(struct spans *s)
{
    *s = (struct spans){0};
    map_init(&s->trace_of);
    map_init(&s->endpoint_of);
    map_init(&s->pairs);
    map_init(&s->row_of);
    return strtab_init(&s->texts);
}

void spans_deinit(struct spans *s)
{
    strtab_deinit(&s->texts);
    map_deinit(&s->trace_of);
    map_deinit(&s->endpoint_of);
    map_deinit(&s->pairs);
    map_deinit(&s->row_of);
    free(s->rows);
    free(s->traces);
    free(s->endpoints);
    *s = (struct spans){0};
}

/* ---- from labels to spans ---- */

enum part { PART_TRACE, PART_ROOT, PART_SPAN, PART_ENDPOINT, PARTS };

/* The keys of labels: Candor's, those of Datadog's tracer in JFR, and those in its pprof. */
static const char *const keys[PARTS][3] = {[PART_TRACE] = {"trace_id"},
                                           [PART_ROOT] = {"root_span_id", "localRootSpanId", "local root span id"},
                                           [PART_SPAN] = {"span_id", "spanId", "span id"},
                                           [PART_ENDPOINT] = {"endpoint", "operation", "trace endpoint"}};

static enum part part_of(const char *key)
{
    for (int part = 0; part < PARTS; part++)
        for (int i = 0; i < 3 && keys[part][i]; i++)
            if (!strcmp(key, keys[part][i]))
                return (enum part)part;
    return PARTS;
}

/* What a set of labels says. */
struct labelled {
    uint32_t trace; /* index of spans.traces */
    uint32_t pair;  /* number of (trace, span); 0 = no span */
    uint32_t span, endpoint;
};

static int intern(struct strtab *texts, const char *text, uint32_t *id)
{
    *id = *text ? strtab_add_text(texts, text) : 0;
    return *text && !*id ? -ENOMEM : 0;
}

static int intern_text(struct strtab *texts, struct jfr_text text, uint32_t *id)
{
    *id = text.len ? strtab_add(texts, text.bytes, text.len) : 0;
    return text.len && !*id ? -ENOMEM : 0;
}

static int find_trace(struct spans *s, uint32_t id, bool by_root, uint32_t *trace)
{
    bool added;
    uint32_t *place = map_add(&s->trace_of, id, &added);
    if (!place || ARRAY_GROW(s->traces, s->trace_cap, s->trace_count))
        return -ENOMEM;
    if (added) {
        *place = s->trace_count;
        s->traces[s->trace_count++] = (struct span_trace){.id = id, .by_root = by_root, .from_ns = INT64_MAX, .to_ns = INT64_MIN};
    }
    *trace = *place;
    return 0;
}

static int find_pair(struct spans *s, struct labelled *l)
{
    bool added;
    uint32_t *pair = map_add(&s->pairs, (uint64_t)l->trace << 32 | l->span, &added);
    if (!pair)
        return -ENOMEM;
    if (added)
        *pair = (uint32_t)s->pairs.count;
    l->pair = *pair;
    return 0;
}

/* Reads a set of labels. Without a trace, the spans of one root are a trace. timed: whether a sample with them has a time; otherwise its
 * span is not read. */
static int read_labels(struct spans *s, const struct profile *p, uint32_t labels, bool timed, struct labelled *out)
{
    const char *found[PARTS] = {"", "", "", ""};
    uint32_t id;
    for (; labels; labels = p->labels[labels].parent) {
        enum part part = part_of(profile_text(p, p->labels[labels].key));
        if (part < PARTS)
            found[part] = profile_text(p, p->labels[labels].value);
    }
    *out = (struct labelled){0};
    if (intern(&s->texts, found[PART_ENDPOINT], &out->endpoint))
        return -ENOMEM;
    if (!timed || !*found[PART_SPAN])
        return 0;
    const char *trace = *found[PART_TRACE] ? found[PART_TRACE] : *found[PART_ROOT] ? found[PART_ROOT] : found[PART_SPAN];
    if (intern(&s->texts, trace, &id) || find_trace(s, id, !*found[PART_TRACE], &out->trace) ||
        intern(&s->texts, found[PART_SPAN], &out->span))
        return -ENOMEM;
    return find_pair(s, out);
}

/* Reads the sets of labels of all samples, each set once. NULL when out of memory. */
static struct labelled *read_sets(struct spans *s, const struct profile *p)
{
    struct labelled *sets = calloc(p->label_count + 1, sizeof *sets);
    uint8_t *known = calloc(p->label_count + 1, 1);
    bool failed = !sets || !known;
    for (uint32_t i = 0; !failed && i < p->sample_count; i++) {
        uint32_t set = p->samples[i].labels;
        uint8_t known_with = p->samples[i].time_ns ? 2 : 1;
        if (set && known[set] < known_with) {
            failed = read_labels(s, p, set, known_with == 2, &sets[set]) != 0;
            known[set] = known_with;
        }
    }
    free(known);
    if (failed) {
        free(sets);
        return NULL;
    }
    return sets;
}

/* ---- from samples to rows ---- */

static int find_row(struct spans *s, const struct labelled *l, uint32_t thread, struct span_row **row)
{
    bool added;
    uint32_t *place = map_add(&s->row_of, (uint64_t)l->pair << 32 | thread, &added);
    if (!place || ARRAY_GROW(s->rows, s->row_cap, s->row_count))
        return -ENOMEM;
    if (added) {
        *place = s->row_count;
        s->rows[s->row_count++] =
            (struct span_row){.trace = l->trace, .span = l->span, .thread = thread, .from_ns = INT64_MAX, .to_ns = INT64_MIN};
    }
    *row = &s->rows[*place];
    if (!(*row)->endpoint)
        (*row)->endpoint = l->endpoint;
    return 0;
}

static void widen(int64_t *from, int64_t *to, int64_t time)
{
    *from = time < *from ? time : *from;
    *to = time > *to ? time : *to;
}

static int find_endpoint(struct spans *s, uint32_t id, struct span_endpoint **endpoint)
{
    bool added;
    uint32_t *place = map_add(&s->endpoint_of, id, &added);
    if (!place || ARRAY_GROW(s->endpoints, s->endpoint_cap, s->endpoint_count))
        return -ENOMEM;
    if (added) {
        *place = s->endpoint_count;
        s->endpoints[s->endpoint_count++] = (struct span_endpoint){.id = id};
    }
    *endpoint = &s->endpoints[*place];
    return 0;
}

static int add_to_endpoint(struct spans *s, const struct profile_sample *sample, uint32_t id, enum spans_weight weight)
{
    struct span_endpoint *endpoint;
    if (find_endpoint(s, id, &endpoint))
        return -ENOMEM;
    endpoint->weights[weight] += sample->weight;
    endpoint->samples += sample->count;
    return 0;
}

static int add_sample(struct spans *s, const struct profile *p, const struct profile_sample *sample, const struct labelled *l,
                      enum spans_weight weight)
{
    struct span_row *row;
    uint32_t thread;
    if (intern(&s->texts, profile_text(p, p->threads[sample->thread].name), &thread) || find_row(s, l, thread, &row))
        return -ENOMEM;
    row->weights[weight] += sample->weight;
    row->samples += sample->count;
    widen(&row->from_ns, &row->to_ns, sample->time_ns);
    widen(&s->traces[l->trace].from_ns, &s->traces[l->trace].to_ns, sample->time_ns);
    return 0;
}

/* ---- from events to rows ---- */

/* Gives a span without an id one of its own, which no tracing system finds. */
static int add_own_id(struct spans *s, struct labelled *l)
{
    char id[32];
    snprintf(id, sizeof id, "event %llu", (unsigned long long)s->events);
    return intern(&s->texts, id, &l->span) || find_trace(s, l->span, true, &l->trace) ? -ENOMEM : 0;
}

static int add_id(struct spans *s, const struct span_event *event, struct labelled *l)
{
    uint32_t id;
    if (!event->span.len)
        return add_own_id(s, l);
    if (intern_text(&s->texts, event->span, &l->span) || intern_text(&s->texts, event->trace.len ? event->trace : event->span, &id))
        return -ENOMEM;
    return find_trace(s, id, !event->trace.len, &l->trace);
}

int spans_add_event(struct spans *s, const struct span_event *event)
{
    struct labelled l = {0};
    struct span_row *row;
    uint32_t thread;
    if (s->events == SPAN_EVENTS_MAX) {
        s->left_out++;
        return 0;
    }
    s->events++;
    if (add_id(s, event, &l) || find_pair(s, &l) || intern_text(&s->texts, event->endpoint, &l.endpoint) ||
        intern_text(&s->texts, event->thread, &thread) || find_row(s, &l, thread, &row))
        return -ENOMEM;
    row->is_exact = true;
    widen(&row->from_ns, &row->to_ns, event->from_ns);
    widen(&row->from_ns, &row->to_ns, event->to_ns);
    widen(&s->traces[l.trace].from_ns, &s->traces[l.trace].to_ns, event->from_ns);
    widen(&s->traces[l.trace].from_ns, &s->traces[l.trace].to_ns, event->to_ns);
    return 0;
}

/* ---- profiles ---- */

/* Returns the weight that the samples of a profile add to. */
static enum spans_weight weight_of(const struct profile *p)
{
    static const enum profile_kind kinds[SPANS_WEIGHTS] = {PROFILE_RUNNING, PROFILE_WALL, PROFILE_ALLOC, PROFILE_LOCK};
    for (int i = 0; i < SPANS_WEIGHTS; i++)
        if (p->kind == kinds[i] && p->unit == profile_kinds[p->kind].unit)
            return (enum spans_weight)i;
    return SPANS_WEIGHTS;
}

int spans_add(struct spans *s, const struct profile *p)
{
    enum spans_weight weight = weight_of(p);
    if (weight == SPANS_WEIGHTS)
        return 0;
    struct labelled *sets = read_sets(s, p);
    int rc = sets ? 0 : -ENOMEM;
    for (uint32_t i = 0; !rc && i < p->sample_count; i++) {
        const struct profile_sample *sample = &p->samples[i];
        const struct labelled *l = &sets[sample->labels];
        rc = add_to_endpoint(s, sample, l->endpoint, weight);
        if (!rc && l->pair && sample->time_ns)
            rc = add_sample(s, p, sample, l, weight);
        else if (!rc)
            s->without += sample->count;
    }
    free(sets);
    return rc;
}

/* ---- the rows of a page ---- */

static uint64_t length_of(const struct span_trace *t)
{
    return (uint64_t)t->to_ns - (uint64_t)t->from_ns;
}

/* Orders rows by their traces, the longest trace first. */
static int by_length(const void *left, const void *right, void *traces)
{
    const struct span_row *a = left, *b = right;
    const struct span_trace *all = traces;
    uint64_t length_a = length_of(&all[a->trace]), length_b = length_of(&all[b->trace]);
    if (length_a != length_b)
        return length_a < length_b ? 1 : -1;
    return (a->trace > b->trace) - (a->trace < b->trace);
}

static int by_time(const void *left, const void *right)
{
    const struct span_row *a = left, *b = right;
    if (a->from_ns != b->from_ns)
        return a->from_ns < b->from_ns ? -1 : 1;
    return (a->span > b->span) - (a->span < b->span);
}

/* Puts the rows of the page first, and returns their number: whole traces, the longest ones, in order of time. */
static uint32_t choose_rows(struct spans *s)
{
    uint32_t kept = s->row_count;
    if (kept > PAGE_SPANS) {
        qsort_r(s->rows, s->row_count, sizeof *s->rows, by_length, s->traces);
        for (kept = PAGE_SPANS; kept < s->row_count && s->rows[kept].trace == s->rows[kept - 1].trace;)
            kept++;
    }
    if (kept)
        qsort(s->rows, kept, sizeof *s->rows, by_time);
    return kept;
}

/* ---- columns ---- */

/* The rows of a page, and a member of struct span_row of which a column is written. */
struct rows {
    const struct spans *s;
    uint32_t *text_of; /* string id -> number of the text on the page */
    size_t member;
};

static const void *member_of(const void *rows, uint32_t i)
{
    const struct rows *r = rows;
    return (const char *)&r->s->rows[i] + r->member;
}

static uint64_t number_at(const void *rows, uint32_t i)
{
    return *(const uint64_t *)member_of(rows, i);
}

static uint64_t exact_at(const void *rows, uint32_t i)
{
    return ((const struct rows *)rows)->s->rows[i].is_exact;
}

static uint64_t text_at(const void *rows, uint32_t i)
{
    return ((const struct rows *)rows)->text_of[*(const uint32_t *)member_of(rows, i)];
}

static uint64_t trace_at(const void *rows, uint32_t i)
{
    const struct rows *r = rows;
    return r->text_of[r->s->traces[r->s->rows[i].trace].id];
}

static uint64_t since_start(const void *rows, int64_t ns)
{
    return ((uint64_t)ns - (uint64_t)((const struct rows *)rows)->s->rows[0].from_ns) / NS_PER_US;
}

static uint64_t start_at(const void *rows, uint32_t i)
{
    return since_start(rows, ((const struct rows *)rows)->s->rows[i].from_ns);
}

static uint64_t length_at(const void *rows, uint32_t i)
{
    return since_start(rows, ((const struct rows *)rows)->s->rows[i].to_ns) - start_at(rows, i);
}

static void put_text(struct jsonw *j, struct rows *r, uint32_t id, uint32_t *texts)
{
    if (!id || r->text_of[id])
        return;
    jsonw_string(j, strtab_text(&r->s->texts, id), strtab_len(&r->s->texts, id));
    r->text_of[id] = (*texts)++;
}

/* Writes the texts of the rows, and numbers them. Text 0 is empty. */
static void put_texts(struct jsonw *j, struct rows *r, uint32_t count)
{
    uint32_t texts = 1;
    jsonw_key(j, "texts");
    jsonw_array(j);
    jsonw_text(j, "");
    for (uint32_t i = 0; i < count; i++) {
        const struct span_row *row = &r->s->rows[i];
        const uint32_t ids[] = {r->s->traces[row->trace].id, row->span, row->endpoint, row->thread};
        for (size_t k = 0; k < sizeof ids / sizeof *ids; k++)
            put_text(j, r, ids[k], &texts);
    }
    jsonw_array_end(j);
}

/* Writes the numbers of the texts of ids that lead to no trace in a tracing system. */
static void put_roots(struct jsonw *j, const struct rows *r)
{
    jsonw_key(j, "roots");
    jsonw_array(j);
    for (uint32_t i = 0; i < r->s->trace_count; i++)
        if (r->s->traces[i].by_root && r->text_of[r->s->traces[i].id])
            jsonw_uint(j, r->text_of[r->s->traces[i].id]);
    jsonw_array_end(j);
}

static int put_columns(struct jsonw *j, struct rows *r, uint32_t count)
{
    static const struct {
        const char *key;
        column_value *value;
        size_t member;
    } columns[] = {
        {"length_us", length_at, 0},
        {"exact", exact_at, 0},
        {"trace", trace_at, 0},
        {"span", text_at, offsetof(struct span_row, span)},
        {"endpoint", text_at, offsetof(struct span_row, endpoint)},
        {"thread", text_at, offsetof(struct span_row, thread)},
        {"cpu_ns", number_at, offsetof(struct span_row, weights[SPANS_CPU])},
        {"wall_ns", number_at, offsetof(struct span_row, weights[SPANS_WALL])},
        {"alloc_bytes", number_at, offsetof(struct span_row, weights[SPANS_ALLOC])},
        {"lock_ns", number_at, offsetof(struct span_row, weights[SPANS_LOCK])},
        {"samples", number_at, offsetof(struct span_row, samples)},
    };
    int rc = column_write(j, "start_us", start_at, r, count, COLUMN_ASCENDING);
    for (size_t i = 0; !rc && i < sizeof columns / sizeof *columns; i++) {
        r->member = columns[i].member;
        rc = column_write(j, columns[i].key, columns[i].value, r, count, COLUMN_PLAIN);
    }
    return rc;
}

/* ---- endpoints ---- */

bool spans_any(const struct spans *s)
{
    bool has = s->row_count > 0;
    for (uint32_t i = 0; !has && i < s->endpoint_count; i++)
        has = s->endpoints[i].id != 0;
    return has;
}

/* Counts the traces that each endpoint has. */
static int count_traces(struct spans *s)
{
    struct map seen;
    struct span_endpoint *endpoint;
    int rc = 0;
    map_init(&seen);
    for (uint32_t i = 0; !rc && i < s->row_count; i++) {
        const struct span_row *row = &s->rows[i];
        bool added;
        rc = map_add(&seen, (uint64_t)row->endpoint << 32 | row->trace, &added) ? find_endpoint(s, row->endpoint, &endpoint) : -ENOMEM;
        if (!rc)
            endpoint->traces += added;
    }
    map_deinit(&seen);
    return rc;
}

static int by_samples(const void *left, const void *right)
{
    const struct span_endpoint *a = left, *b = right;
    return a->samples != b->samples ? (a->samples < b->samples ? 1 : -1) : (a->id > b->id) - (a->id < b->id);
}

static void put_sums(struct jsonw *j, const struct span_endpoint *e)
{
    jsonw_member_uint(j, "traces", e->traces);
    jsonw_member_uint(j, "cpu_ns", e->weights[SPANS_CPU]);
    jsonw_member_uint(j, "wall_ns", e->weights[SPANS_WALL]);
    jsonw_member_uint(j, "alloc_bytes", e->weights[SPANS_ALLOC]);
    jsonw_member_uint(j, "lock_ns", e->weights[SPANS_LOCK]);
    jsonw_member_uint(j, "samples", e->samples);
}

static void put_endpoint(struct jsonw *j, const struct spans *s, const struct span_endpoint *e)
{
    jsonw_object(j);
    jsonw_key(j, "name");
    jsonw_string(j, strtab_text(&s->texts, e->id), strtab_len(&s->texts, e->id));
    put_sums(j, e);
    jsonw_object_end(j);
}

/* Writes the endpoints with most samples, and the sums of the others. */
static int put_endpoints(struct jsonw *j, struct spans *s)
{
    struct span_endpoint rest = {0};
    int rc = count_traces(s);
    if (s->endpoint_count)
        qsort(s->endpoints, s->endpoint_count, sizeof *s->endpoints, by_samples);
    jsonw_key(j, "endpoints");
    jsonw_array(j);
    for (uint32_t i = 0; i < s->endpoint_count && i < PAGE_ENDPOINTS; i++)
        put_endpoint(j, s, &s->endpoints[i]);
    jsonw_array_end(j);
    for (uint32_t i = PAGE_ENDPOINTS; i < s->endpoint_count; i++) {
        rest.traces += s->endpoints[i].traces;
        rest.samples += s->endpoints[i].samples;
        for (int k = 0; k < SPANS_WEIGHTS; k++)
            rest.weights[k] += s->endpoints[i].weights[k];
    }
    jsonw_key(j, "more_endpoints");
    jsonw_object(j);
    jsonw_member_uint(j, "count", s->endpoint_count > PAGE_ENDPOINTS ? s->endpoint_count - PAGE_ENDPOINTS : 0);
    put_sums(j, &rest);
    jsonw_object_end(j);
    return rc;
}

int spans_write(FILE *out, struct spans *s, const char *link)
{
    struct rows r = {.s = s, .text_of = calloc(s->texts.count, sizeof *r.text_of)};
    uint32_t count = choose_rows(s);
    struct jsonw j;
    if (!r.text_of)
        return -ENOMEM;
    jsonw_init(&j, out);
    jsonw_object(&j);
    jsonw_key(&j, "start_ns");
    jsonw_int(&j, count ? s->rows[0].from_ns : 0);
    jsonw_member_uint(&j, "traces", s->trace_count);
    jsonw_member_uint(&j, "all", s->row_count + s->left_out);
    jsonw_member_uint(&j, "left_out", s->left_out);
    jsonw_member_uint(&j, "count", count);
    jsonw_member_uint(&j, "without", s->without);
    jsonw_member_text_or_null(&j, "link", link ? link : "");
    put_texts(&j, &r, count);
    put_roots(&j, &r);
    int rc = put_columns(&j, &r, count);
    rc = rc ? rc : put_endpoints(&j, s);
    jsonw_object_end(&j);
    jsonw_finish(&j);
    free(r.text_of);
    return rc;
}
