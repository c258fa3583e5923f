#include "format/otlp.h"

#include "base/text/number.h"
#include "format/export.h"
#include "format/label.h"
#include "format/otlp_fields.h"
#include "base/pb.h"
#include "format/system_name.h"
#include "format/write/fold.h"
#include "format/write/value_type.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_MAX = 1 << 30 };

/* The indices of entries in a table of the dictionary. The dictionary grows while samples are written, and is written after them. Its
 * locations are the frames of the model that occur in stacks, its functions are their methods, and its stacks are those of samples. */
struct ids {
    struct map map;
    uint32_t before; /* the number of entries in the table from earlier profiles */
};

struct writer {
    const struct otlp_request *request;
    const struct profile *p; /* the profile that is being written */
    const struct otlp_sample_fields *fields;
    struct buffer profiles, profile, locations, functions, attributes, stacks, links, one, part, inner;
    struct strtab strings;
    struct ids location_of, function_of, stack_of, attribute_of, link_of;
    bool failed;
};

static uint32_t string(struct writer *w, const char *text)
{
    uint32_t id = strtab_add_text(&w->strings, text);
    w->failed |= *text && !id;
    return id;
}

/* Returns the index of the key in its table. It is at least 1, because entry 0 of each table is empty. *added: the entry is new, and the
 * caller must write it. */
static uint32_t index_of(struct writer *w, struct ids *ids, uint64_t key, bool *added)
{
    uint32_t *place = map_add(&ids->map, key, added);
    if (!place) {
        w->failed = true;
        *added = false;
        return 0;
    }
    if (*added)
        *place = ids->before + (uint32_t)ids->map.count;
    return *place;
}

static void put_any(struct buffer *out, struct buffer *room, uint32_t number, const char *text, uint64_t value)
{
    buffer_reset(room);
    if (text)
        pb_put_text(room, OTLP_STRING, text);
    else
        pb_put_present(room, OTLP_INT, value);
    pb_put_message(out, number, room);
}

/* Returns the index of an attribute. Its value is a text, or a number if text is NULL. */
static uint32_t attribute_of_unit(struct writer *w, const char *key, const char *text, uint64_t value, const char *unit)
{
    bool added;
    uint64_t hash = text ? hash_bytes(text, strlen(text)) : hash_mix(value + 1);
    uint64_t words = (uint64_t)string(w, key) << 32 | string(w, unit);
    uint32_t index = index_of(w, &w->attribute_of, hash_mix(hash ^ hash_mix(words)), &added);
    if (added) {
        buffer_reset(&w->part);
        pb_put_uint(&w->part, OTLP_KEY, string(w, key));
        put_any(&w->part, &w->inner, OTLP_VALUE, text, value);
        pb_put_uint(&w->part, OTLP_KEY_UNIT, string(w, unit));
        pb_put_message(&w->attributes, OTLP_ATTRIBUTES, &w->part);
    }
    return index;
}

static uint32_t attribute(struct writer *w, const char *key, const char *text, uint64_t value)
{
    return attribute_of_unit(w, key, text, value, "");
}

static uint32_t label(struct writer *w, const struct profile_label *l)
{
    const char *key = profile_text(w->p, l->key), *value = profile_text(w->p, l->value), *unit = profile_text(w->p, l->unit);
    return attribute_of_unit(w, key, l->number ? NULL : value, l->number ? (uint64_t)label_number_of(w->p, l) : 0, unit);
}

static uint32_t function(struct writer *w, const struct profile_frame *f)
{
    bool added;
    uint32_t index = index_of(w, &w->function_of, (uint64_t)f->method << 1 | (f->type == JFR_FRAME_FAILED), &added);
    if (added) {
        buffer_reset(&w->inner);
        system_name_put(&w->inner, w->p, f);
        w->failed |= w->inner.failed;
        uint32_t system = w->inner.failed ? 0 : string(w, (const char *)w->inner.data);
        buffer_reset(&w->part);
        pb_put_uint(&w->part, OTLP_FUNCTION_NAME, string(w, profile_text(w->p, f->label)));
        pb_put_uint(&w->part, OTLP_FUNCTION_SYSTEM_NAME, system);
        pb_put_message(&w->functions, OTLP_FUNCTIONS, &w->part);
    }
    return index;
}

/* Returns OpenTelemetry's word for a type of frame; NULL if it has none. */
static const char *kind_word(uint8_t type)
{
    switch (type) {
    case JFR_FRAME_KERNEL:
        return "kernel";
    case JFR_FRAME_NATIVE:
    case JFR_FRAME_STUB:
        return "native";
    case JFR_FRAME_FAILED:
    case JFR_FRAME_PSEUDO:
    case PROFILE_TYPE_OTHER:
    case PROFILE_TYPE_MARK:
        return NULL;
    default:
        return "jvm";
    }
}

static uint32_t location(struct writer *w, uint32_t frame)
{
    const struct profile_frame *f = &w->p->frames[frame];
    bool added;
    uint32_t index = index_of(w, &w->location_of, frame, &added);
    if (!added)
        return index;
    uint32_t attributes[3], count = 0, method = function(w, f);
    if (kind_word(f->type))
        attributes[count++] = attribute(w, OTLP_FRAME_KIND, kind_word(f->type), 0);
    attributes[count++] = attribute(w, OTLP_FRAME_TYPE, profile_type_name(f->type), 0);
    if (f->bci)
        attributes[count++] = attribute(w, OTLP_BCI, NULL, f->bci);
    buffer_reset(&w->part);
    buffer_reset(&w->inner);
    pb_put_uint(&w->inner, OTLP_LINE_FUNCTION, method);
    pb_put_int(&w->inner, OTLP_LINE_LINE, f->line);
    pb_put_message(&w->part, OTLP_LOCATION_LINE, &w->inner);
    buffer_reset(&w->inner);
    for (uint32_t i = 0; i < count; i++)
        pb_put_varint(&w->inner, attributes[i]);
    pb_put_message(&w->part, OTLP_LOCATION_ATTRIBUTES, &w->inner);
    pb_put_message(&w->locations, OTLP_LOCATIONS, &w->part);
    return index;
}

static uint32_t stack(struct writer *w, uint32_t id)
{
    bool added;
    uint32_t index = id ? index_of(w, &w->stack_of, id, &added) : 0;
    if (!id || !added)
        return index;
    struct buffer packed;
    buffer_init(&packed, MESSAGE_MAX);
    for (uint32_t node = id; node; node = w->p->nodes[node].parent)
        pb_put_varint(&packed, location(w, w->p->nodes[node].frame));
    buffer_reset(&w->part);
    pb_put_message(&w->part, OTLP_STACK_LOCATIONS, &packed);
    pb_put_message(&w->stacks, OTLP_STACKS, &w->part);
    buffer_deinit(&packed);
    return index;
}

/* ---- links: the span that a sample belongs to ---- */

/* Whether the text is an id of that many bytes in hexadecimal. Writes the bytes to out. */
static bool id_of(const char *text, uint8_t *out, size_t bytes)
{
    size_t digits = strspn(text, "0123456789abcdef");
    if (digits != 2 * bytes || text[digits])
        return false;
    for (size_t i = 0; i < digits; i++)
        out[i / 2] = (uint8_t)(out[i / 2] << 4 | number_hex_digit(text[i]));
    return true;
}

struct span {
    uint8_t trace[OTLP_TRACE_BYTES], span[OTLP_SPAN_BYTES];
    bool has_trace, has_span;
};

/* Whether the label is a part of the link, so that it need not be an attribute. */
static bool take_span(struct span *s, const struct profile *p, const struct profile_label *l)
{
    const char *key = profile_text(p, l->key), *value = profile_text(p, l->value);
    if (l->number)
        return false;
    if (!strcmp(key, OTLP_TRACE_LABEL))
        return s->has_trace = id_of(value, s->trace, sizeof s->trace);
    return !strcmp(key, OTLP_SPAN_LABEL) && (s->has_span = id_of(value, s->span, sizeof s->span));
}

static uint32_t link_of(struct writer *w, const struct span *s)
{
    bool added;
    if (!s->has_trace && !s->has_span)
        return 0;
    uint64_t key = hash_bytes(s->trace, sizeof s->trace) ^ hash_mix(hash_bytes(s->span, sizeof s->span));
    uint32_t index = index_of(w, &w->link_of, key, &added);
    if (added) {
        buffer_reset(&w->part);
        pb_put_bytes(&w->part, OTLP_LINK_TRACE, s->trace, s->has_trace ? sizeof s->trace : 0);
        pb_put_bytes(&w->part, OTLP_LINK_SPAN, s->span, s->has_span ? sizeof s->span : 0);
        pb_put_message(&w->links, OTLP_LINKS, &w->part);
    }
    return index;
}

/* ---- samples ---- */

/* Writes the attributes of a sample, and its link. */
static void put_attributes(struct writer *w, const struct profile_sample *s)
{
    struct span span = {0};
    const struct profile *p = w->p;
    const struct profile_thread *t = &p->threads[s->thread];
    const char *outcome = profile_text(p, s->outcome);
    const struct profile_label *labels[PROFILE_LABELS_MAX];
    uint32_t list[6 + PROFILE_LABELS_MAX], count = 0, label_count = profile_label_list(p, s->labels, labels);
    if (t->name)
        list[count++] = attribute(w, OTLP_THREAD, profile_text(p, t->name), 0);
    if (t->os_id)
        list[count++] = attribute(w, OTLP_THREAD_ID, NULL, t->os_id);
    if (t->java_id)
        list[count++] = attribute(w, OTLP_JAVA_THREAD_ID, NULL, t->java_id);
    if (s->state != JFR_STATE_UNKNOWN)
        list[count++] = attribute(w, OTLP_STATE, jfr_thread_state_names[s->state], 0);
    if (strcmp(outcome, "complete") && strcmp(outcome, "truncated"))
        list[count++] = attribute(w, OTLP_OUTCOME, outcome, 0);
    if (s->count > 1)
        list[count++] = attribute(w, OTLP_COUNT, NULL, s->count);
    for (uint32_t i = 0; i < label_count; i++)
        if (!take_span(&span, p, labels[i]))
            list[count++] = label(w, labels[i]);
    pb_put_uint(&w->one, w->fields->link, link_of(w, &span));
    buffer_reset(&w->part);
    for (uint32_t i = 0; i < count; i++)
        pb_put_varint(&w->part, list[i]);
    pb_put_message(&w->one, w->fields->attributes, &w->part);
}

/* Writes the samples rows[0 .. n), which differ only in their time. If all their times are known, each gets a value and a timestamp. */
static void put_sample(struct writer *w, const struct profile_sample *rows, uint32_t n)
{
    uint32_t stack_index = stack(w, rows->stack);
    buffer_reset(&w->one);
    pb_put_uint(&w->one, w->fields->stack, stack_index);
    put_attributes(w, rows);
    buffer_reset(&w->part);
    for (uint32_t i = 0; i < n; i++)
        pb_put_varint(&w->part, rows[i].weight);
    pb_put_message(&w->one, w->fields->values, &w->part);
    buffer_reset(&w->part);
    for (uint32_t i = 0; i < n && rows[i].time_ns; i++)
        for (unsigned shift = 0; shift < 64; shift += 8)
            buffer_u8(&w->part, (uint8_t)((uint64_t)rows[i].time_ns >> shift));
    if (w->part.len)
        pb_put_message(&w->one, w->fields->timestamps, &w->part);
    pb_put_message(&w->profile, OTLP_SAMPLE, &w->one);
}

static int by_kind(const void *left, const void *right)
{
    return fold_compare(left, right);
}

static bool is_alike(const struct profile_sample *a, const struct profile_sample *b)
{
    return a->thread == b->thread && a->stack == b->stack && a->state == b->state && a->labels == b->labels && a->outcome == b->outcome &&
           a->count == 1 && b->count == 1 && a->time_ns && b->time_ns;
}

static void put_type(struct writer *w, uint32_t number, const char *type, const char *unit)
{
    buffer_reset(&w->one);
    pb_put_uint(&w->one, OTLP_TYPE, string(w, type));
    pb_put_uint(&w->one, OTLP_UNIT, string(w, unit));
    pb_put_message(&w->profile, number, &w->one);
}

static int put_profile(struct writer *w)
{
    const struct profile *p = w->p;
    struct profile_sample *rows = malloc(((size_t)p->sample_count + 1) * sizeof *rows);
    if (!rows)
        return -ENOMEM;
    if (p->sample_count)
        memcpy(rows, p->samples, p->sample_count * sizeof *rows);
    qsort(rows, p->sample_count, sizeof *rows, by_kind);
    put_type(w, OTLP_SAMPLE_TYPE, value_type_name(p), value_type_unit(p));
    pb_put_fixed64(&w->profile, OTLP_TIME, (uint64_t)p->start_ns);
    pb_put_uint(&w->profile, OTLP_DURATION, p->duration_ns);
    if (p->interval_ns) {
        put_type(w, OTLP_PERIOD_TYPE, value_type_period(p), "nanoseconds");
        pb_put_uint(&w->profile, OTLP_PERIOD, p->interval_ns);
    }
    for (uint32_t i = 0, end; i < p->sample_count; i = end) {
        for (end = i + 1; end < p->sample_count && is_alike(&rows[i], &rows[end]);)
            end++;
        put_sample(w, rows + i, end - i);
    }
    free(rows);
    return 0;
}

static void forget(struct ids *ids)
{
    ids->before += (uint32_t)ids->map.count;
    map_deinit(&ids->map);
    map_init(&ids->map);
}

/* Writes the profiles. All profiles share the attributes and links. The other tables are indexed by a profile's own numbers, so those
 * are forgotten after each profile. */
static int put_profiles(struct writer *w)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < w->request->count; i++) {
        w->p = w->request->profiles[i];
        buffer_reset(&w->profile);
        rc = put_profile(w);
        pb_put_message(&w->profiles, OTLP_PROFILE, &w->profile);
        forget(&w->location_of);
        forget(&w->function_of);
        forget(&w->stack_of);
    }
    return rc;
}

static void put_resource_attribute(struct writer *w, struct buffer *out, const struct otlp_resource_attribute *a)
{
    if (a->text ? !*a->text : !a->number)
        return;
    buffer_reset(&w->part);
    pb_put_text(&w->part, OTLP_KEY, a->key);
    put_any(&w->part, &w->inner, OTLP_VALUE, a->text, a->number);
    pb_put_message(out, OTLP_RESOURCE_ATTRIBUTE, &w->part);
}

/* Writes the message for field 1 of the outermost message: resource, scope and profiles. */
static void put_resource_profiles(struct writer *w, struct buffer *out)
{
    struct buffer resource, scoped;
    buffer_init(&resource, MESSAGE_MAX);
    buffer_init(&scoped, MESSAGE_MAX);
    for (uint32_t i = 0; i < w->request->attribute_count; i++)
        put_resource_attribute(w, &resource, &w->request->attributes[i]);
    buffer_reset(&w->one);
    pb_put_text(&w->one, OTLP_SCOPE_NAME, "candor");
    pb_put_text(&w->one, OTLP_SCOPE_VERSION, CANDOR_VERSION);
    pb_put_message(&scoped, OTLP_SCOPE, &w->one);
    w->failed |= w->profiles.failed;
    buffer_put(&scoped, w->profiles.data, w->profiles.len);
    pb_put_message(out, OTLP_RESOURCE, &resource);
    pb_put_message(out, OTLP_SCOPE_PROFILES, &scoped);
    buffer_deinit(&resource);
    buffer_deinit(&scoped);
}

static void put_dictionary(struct writer *w, struct buffer *out)
{
    static const uint32_t tables[] = {OTLP_MAPPINGS, OTLP_LOCATIONS, OTLP_FUNCTIONS, OTLP_LINKS, OTLP_ATTRIBUTES, OTLP_STACKS};
    const struct buffer *filled[] = {&w->locations, &w->functions, &w->links, &w->attributes, &w->stacks};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        pb_put_bytes(out, tables[i], "", 0);
    for (size_t i = 0; i < sizeof filled / sizeof *filled; i++) {
        w->failed |= filled[i]->failed;
        buffer_put(out, filled[i]->data, filled[i]->len);
    }
    for (uint32_t i = 0; i < w->strings.count; i++)
        pb_put_text(out, OTLP_STRINGS, strtab_text(&w->strings, i));
}

static int put_file(struct writer *w, FILE *out)
{
    struct buffer head, message;
    int rc = put_profiles(w);
    for (uint32_t i = 0; !rc && i < 2; i++) {
        buffer_init(&message, MESSAGE_MAX);
        buffer_init(&head, 32);
        if (i)
            put_dictionary(w, &message);
        else
            put_resource_profiles(w, &message);
        pb_put_varint(&head, (uint64_t)(i ? OTLP_DICTIONARY : OTLP_RESOURCE_PROFILES) << 3 | PB_BYTES);
        pb_put_varint(&head, message.len);
        rc = message.failed || w->failed || w->profile.failed ? -ENOMEM : 0;
        fwrite(head.data, 1, head.len, out);
        fwrite(message.data, 1, message.len, out);
        buffer_deinit(&message);
        buffer_deinit(&head);
    }
    return rc;
}

static int write_request(FILE *out, const struct otlp_request *request, enum otlp_version version)
{
    struct writer w = {.request = request, .fields = &otlp_sample_fields[version]};
    struct buffer *buffers[] = {&w.profiles, &w.profile, &w.locations, &w.functions, &w.attributes,
                                &w.stacks,   &w.links,   &w.one,       &w.part,      &w.inner};
    struct ids *ids[] = {&w.location_of, &w.function_of, &w.stack_of, &w.attribute_of, &w.link_of};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        buffer_init(buffers[i], MESSAGE_MAX);
    int rc = strtab_init(&w.strings) ? -ENOMEM : put_file(&w, out);
    strtab_deinit(&w.strings);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        buffer_deinit(buffers[i]);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        map_deinit(&ids[i]->map);
    return rc;
}

int otlp_write_request(FILE *out, const struct otlp_request *request)
{
    return write_request(out, request, OTLP_1_10);
}

int otlp_write(FILE *out, const struct profile *p, enum otlp_version version)
{
    const struct otlp_resource_attribute attributes[] = {{OTLP_PID, NULL, p->pid},
                                                         {OTLP_COMMAND, profile_text(p, p->command), 0},
                                                         {OTLP_JVM, profile_text(p, p->jvm_version), 0},
                                                         {OTLP_HOST, profile_host(p), 0}};
    return write_request(out, &(struct otlp_request){&p, 1, attributes, sizeof attributes / sizeof *attributes}, version);
}

int otlp_export(const struct export_request *as, FILE *out)
{
    return otlp_write(out, as->profile, as->version && !strcmp(as->version, "1.9") ? OTLP_1_9 : OTLP_1_10);
}
