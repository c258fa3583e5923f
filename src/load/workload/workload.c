#include "load/workload/workload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1 << 20 }; /* positions at which values begin */

static char *make_text(size_t n)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";
    struct draw d = {42}; /* the same text in every run: a table that one run has filled is checked by the next */
    char *text = malloc(n);
    for (size_t i = 0; text && i < n; i++)
        text[i] = letters[draw_bits(&d) >> 58];
    return text;
}

int workload_init(struct workload *w, const struct recipe *s, uint64_t seed, bool loading)
{
    double inserts = (double)s->operations * s->proportions[WORKLOAD_INSERT] * 2; /* as YCSB allows for */
    *w = (struct workload){.recipe = s, .seed = seed, .loading = loading, .text = make_text(TEXT + s->field_length)};
    keys_init(&w->keys, s->distribution, s->insert_start, s->insert_count, (uint64_t)inserts);
    w->keys.hot_set = s->hot_set, w->keys.hot_draws = s->hot_draws;
    keys_init(&w->scan_lengths, s->scan_distribution, s->scan_least, s->scan_most - s->scan_least + 1, 0);
    keys_init(&w->field_lengths, s->field_length_distribution, s->field_length_least, s->field_length - s->field_length_least + 1, 0);
    w->first = loading ? s->insert_start : s->insert_start + s->insert_count;
    int rc = inserted_init(&w->inserted, w->first);
    return rc || !w->text ? -ENOMEM : 0;
}

void workload_deinit(struct workload *w)
{
    inserted_deinit(&w->inserted);
    free(w->text);
}

int operation_init(struct operation *o, const struct workload *w)
{
    *o = (struct operation){.values = calloc(w->recipe->fields, sizeof *o->values)};
    return o->values ? 0 : -ENOMEM;
}

void operation_deinit(struct operation *o)
{
    free(o->values);
    o->values = NULL;
}

void workload_value(const struct workload *w, uint64_t record, uint32_t field, struct candor_load_bytes *value)
{
    struct draw d = draw_begin(record, field);
    uint64_t at = draw_below(&d, TEXT), length = w->recipe->field_length;
    if (w->recipe->field_length_distribution != KEYS_SEQUENTIAL)
        length = keys_draw(&w->field_lengths, &d, 0, 0);
    *value = (struct candor_load_bytes){w->text + at, length};
}

static void name_record(const struct workload *w, struct operation *o, uint64_t record)
{
    uint64_t number = w->recipe->ordered ? record : keys_hash(record);
    int n = snprintf(o->key, sizeof o->key, "user%0*" PRIu64, (int)w->recipe->zero_padding, number);
    o->record = record;
    o->request.key = (struct candor_load_bytes){o->key, (size_t)n};
}

/* Returns the number of a record, counted without those that other generators insert. */
static uint64_t choose_own(struct workload *w, struct draw *d, uint64_t n)
{
    uint64_t newest = inserted_newest(&w->inserted), own;
    do
        own = keys_draw(&w->keys, d, n, newest);
    while (own > newest && w->keys.kind != KEYS_SEQUENTIAL);
    return own;
}

static uint64_t record_of(const struct workload *w, uint64_t own)
{
    return own < w->first || !w->shares ? own : w->first + (own - w->first) * w->shares + w->share;
}

static void fill_values(const struct workload *w, struct operation *o)
{
    for (uint32_t f = 0; f < w->recipe->fields; f++)
        workload_value(w, o->record, f, &o->values[f]);
    o->request.values = o->values;
}

void workload_begin(struct workload *w, struct operation *o, uint64_t n, uint32_t type)
{
    static const enum candor_load_action actions[WORKLOAD_ACTIONS] = {CANDOR_LOAD_READ, CANDOR_LOAD_UPDATE, CANDOR_LOAD_INSERT,
                                                                      CANDOR_LOAD_SCAN, CANDOR_LOAD_READ};
    enum workload_action action = w->actions[type];
    const struct recipe *s = w->recipe;
    struct draw d = draw_begin(w->seed, n);
    o->request = (struct candor_load_request){.action = actions[action], .field = CANDOR_LOAD_ALL_FIELDS};
    o->inserts = action == WORKLOAD_INSERT;
    o->modifies = action == WORKLOAD_MODIFY;
    o->wrong = false;
    o->own = o->inserts ? inserted_begin(&w->inserted) : choose_own(w, &d, n);
    name_record(w, o, record_of(w, o->own));
    if (action == WORKLOAD_SCAN)
        o->request.scan_length = s->scan_distribution == KEYS_SEQUENTIAL ? s->scan_most : (uint32_t)keys_draw(&w->scan_lengths, &d, 0, 0);
    if (!s->read_all && o->request.action == CANDOR_LOAD_READ)
        o->request.field = (int32_t)draw_below(&d, s->fields);
    o->write_field = s->write_all ? CANDOR_LOAD_ALL_FIELDS : (int32_t)draw_below(&d, s->fields);
    if (action == WORKLOAD_UPDATE)
        o->request.field = o->write_field;
    if (action == WORKLOAD_UPDATE || action == WORKLOAD_INSERT || action == WORKLOAD_MODIFY)
        fill_values(w, o);
}

bool operation_modify(struct operation *o)
{
    if (!o->modifies)
        return false;
    o->modifies = false;
    o->request.action = CANDOR_LOAD_UPDATE;
    o->request.field = o->write_field;
    return true;
}

void workload_check(struct workload *w, struct operation *o, uint32_t field, const void *bytes, size_t n)
{
    struct candor_load_bytes value;
    if (field >= w->recipe->fields)
        return;
    workload_value(w, o->record, field, &value);
    __atomic_fetch_add(&w->checked, 1, __ATOMIC_RELAXED);
    if (value.len == n && !memcmp(value.at, bytes, n))
        return;
    __atomic_fetch_add(&w->wrong, 1, __ATOMIC_RELAXED);
    o->wrong = true;
}

void workload_end(struct workload *w, struct operation *o)
{
    if (o->inserts)
        inserted_end(&w->inserted, o->own);
    o->inserts = false;
}
