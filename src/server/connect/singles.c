#include "server/connect/singles.h"

#include "base/array.h"
#include "base/time_units.h"
#include "server/connect/recording_id.h"
#include "server/spans/picked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(struct call *c)
{
    return error_set(&c->error, -ENOMEM, "out of memory");
}

/* ---- the order ---- */

static int compare(const void *left, const void *right)
{
    const struct single *a = left, *b = right;
    if (a->series != b->series)
        return a->series < b->series ? -1 : 1;
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return (a->recording > b->recording) - (a->recording < b->recording);
}

static void settle(struct singles *v)
{
    if (v->count)
        qsort(v->list, v->count, sizeof *v->list, compare);
}

const struct single *singles_heaviest(struct singles *v, const char *series, int64_t step)
{
    uint32_t text = strtab_add_text(&v->texts, series), low = 0, high = v->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct single *one = &v->list[middle];
        bool before = one->series != text ? one->series < text : one->step < step;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    bool found = low < v->count && v->list[low].series == text && v->list[low].step == step;
    return found && (text || !*series) ? &v->list[low] : NULL;
}

void singles_deinit(struct singles *v)
{
    free(v->list);
    strtab_deinit(&v->texts);
    *v = (struct singles){0};
}

/* ---- of recordings ---- */

static int copy(struct singles *out, const struct store_values *from)
{
    for (uint32_t i = 0; i < from->count; i++) {
        const struct store_value *one = &from->list[i];
        const char *text = from->values[one->series];
        uint32_t series = strtab_add_text(&out->texts, text);
        if ((*text && !series) || ARRAY_GROW(out->list, out->cap, out->count))
            return -ENOMEM;
        out->list[out->count++] = (struct single){.series = series, .step = one->step, .recording = one->recording, .weight = one->weight};
    }
    return 0;
}

int singles_of_recordings(struct call *c, const struct store_query *q, int64_t step, const char *by, struct singles *out)
{
    struct store_values found;
    struct store_result result;
    *out = (struct singles){0};
    if (strtab_init(&out->texts))
        return no_memory(c);
    int rc = store_values(c->store, q, step, by, &found, &result, &c->error);
    missing_add_all(&c->missing, &result.missing);
    if (!rc && copy(out, &found))
        rc = no_memory(c);
    settle(out);
    store_values_deinit(&found);
    store_result_deinit(&result);
    return rc;
}

/* ---- of spans ---- */

struct taking {
    struct call *call;
    struct singles *out;
    const struct store_query *query;
    int64_t step;
    const char *by;
    struct map places; /* (span, step) of one recording -> place in the list */
};

/* Adds the recording's values of the labels `by` to the texts. Returns their id, or 0 if there is no text or no memory. */
static int series_of(const struct taking *t, const struct labels *labels, uint32_t *series)
{
    struct buffer text;
    buffer_init(&text, 1 << 16);
    for (const char *at = t->by; at && *at;) {
        char name[LABEL_NAME_MAX + 1];
        size_t n = strcspn(at, (char[]){STORE_BY_SEPARATOR, 0});
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        buffer_text(&text, labels_get(labels, name));
        at += n;
        if (*at == STORE_BY_SEPARATOR) {
            buffer_u8(&text, STORE_BY_SEPARATOR);
            at++;
        }
    }
    *series = text.len ? strtab_add(&t->out->texts, (const char *)text.data, text.len) : 0;
    bool failed = text.failed || (text.len && !*series);
    buffer_deinit(&text);
    return failed ? -ENOMEM : 0;
}

/* Returns the value of the sample's label as a text of the values. 0 = it has none. */
static uint32_t label_of(struct singles *out, const struct profile *p, uint32_t set, const char *key)
{
    for (; set; set = p->labels[set].parent)
        if (!strcmp(profile_text(p, p->labels[set].key), key))
            return strtab_add_text(&out->texts, profile_text(p, p->labels[set].value));
    return 0;
}

static int add_sample(struct taking *t, const struct profile *p, const struct profile_sample *s, const struct single *like)
{
    struct singles *out = t->out;
    bool added;
    uint32_t span = label_of(out, p, s->labels, "span_id");
    span = span ? span : label_of(out, p, s->labels, "root_span_id");
    span = span ? span : label_of(out, p, s->labels, "profile_id");
    int64_t second = s->time_ns ? s->time_ns / (int64_t)NS_PER_S : like->step;
    int64_t step = (second - t->query->from) / t->step;
    uint32_t *place = map_add(&t->places, (uint64_t)span << 32 | (uint32_t)step, &added);
    if (!place || ARRAY_GROW(out->list, out->cap, out->count))
        return -ENOMEM;
    if (added) {
        *place = out->count;
        out->list[out->count++] = (struct single){.series = like->series,
                                                  .step = step,
                                                  .recording = like->recording,
                                                  .span = span,
                                                  .trace = label_of(out, p, s->labels, "trace_id")};
    }
    out->list[*place].weight += s->weight;
    return 0;
}

static int take_spans(void *context, const struct profile *p, uint64_t recording)
{
    struct taking *t = context;
    struct catalogue_recording r = {0};
    struct single like = {.recording = recording};
    bool found;
    int rc = catalogue_get(store_catalogue(t->call->store), recording, &r, &found, &t->call->error);
    if (!rc && found) {
        like.step = r.first > t->query->from ? r.first : t->query->from; /* of samples without a time */
        map_init(&t->places);
        rc = series_of(t, &r.labels, &like.series);
        for (uint32_t i = 0; !rc && i < p->sample_count; i++)
            rc = add_sample(t, p, &p->samples[i], &like);
        map_deinit(&t->places);
    }
    catalogue_recording_deinit(&r);
    return rc == -ENOMEM ? no_memory(t->call) : rc;
}

int singles_of_spans(struct call *c, const struct store_query *q, int64_t step, const char *by, struct singles *out)
{
    static const struct picked_wanted any = {0};
    struct store_result result;
    struct taking t = {.call = c, .out = out, .query = q, .step = step, .by = by};
    *out = (struct singles){0};
    if (strtab_init(&out->texts))
        return no_memory(c);
    int rc = picked_each(c->http, q, &any, take_spans, &t, &result, &c->error);
    missing_add_all(&c->missing, &result.missing);
    settle(out);
    store_result_deinit(&result);
    return rc;
}

/* ---- exemplars ---- */

struct putting {
    struct call *call;
    const struct series *series;
};

static int put_label(void *context, const char *name)
{
    const struct putting *p = context;
    const struct asked_texts *by = &p->call->asked.group_by;
    struct wire *w = &p->call->wire;
    bool left_out = name[0] == '_' && name[1] == '_';
    for (uint32_t i = 0; i < by->count; i++)
        left_out = left_out || !strcmp(by->list[i], name);
    if (left_out)
        return 0;
    wire_message(w, 5, NULL);
    wire_text(w, 1, "name", name);
    wire_text(w, 2, "value", series_value(p->series, name));
    wire_message_end(w, 5);
    return 0;
}

int singles_put_exemplar(struct call *c, uint32_t number, const struct singles *of, const struct single *v, int64_t at_ms)
{
    struct catalogue_recording r = {0};
    char id[RECORDING_ID_CHARS + 1];
    bool found;
    int rc = catalogue_get(store_catalogue(c->store), v->recording, &r, &found, &c->error);
    if (rc)
        return rc;
    struct series one = {.labels = &r.labels};
    struct putting putting = {c, &one};
    recording_id_write(v->recording, id);
    wire_message(&c->wire, number, NULL);
    wire_int(&c->wire, 1, "timestamp", at_ms);
    wire_text(&c->wire, 2, "profileId", id);
    wire_text(&c->wire, 3, "spanId", v->span ? strtab_text(&of->texts, v->span) : "");
    wire_int(&c->wire, 4, "value", (int64_t)v->weight);
    wire_list(&c->wire, "labels");
    series_names(&one, put_label, &putting);
    wire_list_end(&c->wire);
    wire_text(&c->wire, 6, "traceId", v->trace ? strtab_text(&of->texts, v->trace) : "");
    wire_message_end(&c->wire, number);
    catalogue_recording_deinit(&r);
    return 0;
}
