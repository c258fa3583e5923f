#include "format/pprof.h"

#include "format/export.h"
#include "format/write/fold.h"
#include "format/write/gzip.h"
#include "base/pb.h"
#include "format/label.h"
#include "format/pprof_fields.h"
#include "format/system_name.h"
#include "format/write/value_type.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_MAX = 1 << 24 }; /* of one message of the outermost level: a text, a sample, a function */

/* The state of the writer. Each message of the outermost level is written as soon as it is complete. Ids of functions, locations and
 * mappings are those of the model plus 1. A method has two functions, because it has another name in a failed frame. */
struct writer {
    struct gzip gzip;
    const struct profile *p;
    const struct pprof_types *types;
    bool brief; /* leave out what only tools for a single file need */
    struct buffer message, part, tag;
    struct strtab strings;
    struct map mapping_of;
};

static uint32_t string(struct writer *w, const char *text)
{
    uint32_t id = strtab_add_text(&w->strings, text);
    gzip_fail(&w->gzip, *text && !id ? -ENOMEM : 0);
    return id;
}

/* Writes the message as field `number`, and empties its buffer. */
static void put(struct writer *w, uint32_t number)
{
    buffer_reset(&w->tag);
    pb_put_message(&w->tag, number, &w->message);
    gzip_put(&w->gzip, w->tag.data, w->tag.len);
    gzip_fail(&w->gzip, buffer_code(&w->tag));
    buffer_reset(&w->message);
}

static void put_number(struct writer *w, uint32_t number, int64_t value)
{
    buffer_reset(&w->tag);
    pb_put_int(&w->tag, number, value);
    gzip_put(&w->gzip, w->tag.data, w->tag.len);
}

static void put_value_type(struct writer *w, uint32_t number, const char *type, const char *unit)
{
    pb_put_uint(&w->message, PPROF_VALUE_TYPE, string(w, type));
    pb_put_uint(&w->message, PPROF_VALUE_UNIT, string(w, unit));
    put(w, number);
}

static void put_types(struct writer *w)
{
    const struct profile *p = w->p;
    const struct pprof_types *types = w->types;
    if (p->unit != PROFILE_UNIT_SAMPLES)
        put_value_type(w, PPROF_SAMPLE_TYPE, types->count, "count");
    put_value_type(w, PPROF_SAMPLE_TYPE, types->value, types->unit);
    if (types->period)
        put_value_type(w, PPROF_PERIOD_TYPE, types->period, types->period_unit);
    if (p->interval_ns && types->period && !strcmp(types->period_unit, "nanoseconds"))
        put_number(w, PPROF_PERIOD, (int64_t)p->interval_ns);
    put_number(w, PPROF_DEFAULT_SAMPLE_TYPE, string(w, types->value));
    put_number(w, PPROF_TIME_NANOS, p->start_ns);
    put_number(w, PPROF_DURATION_NANOS, (int64_t)p->duration_ns);
}

static void put_comment(struct writer *w, const char *word, const char *text)
{
    struct buffer b;
    if (!*text)
        return;
    buffer_init(&b, 1 << 20);
    buffer_text(&b, word);
    buffer_text(&b, text);
    buffer_u8(&b, 0);
    if (!b.failed)
        put_number(w, PPROF_COMMENT, string(w, (const char *)b.data));
    buffer_deinit(&b);
}

static void put_comments(struct writer *w)
{
    char pid[24] = "";
    if (w->p->pid)
        snprintf(pid, sizeof pid, "%llu", (unsigned long long)w->p->pid);
    put_comment(w, PPROF_PROCESS, profile_text(w->p, w->p->command));
    put_comment(w, PPROF_PID, pid);
    put_comment(w, PPROF_JVM, profile_text(w->p, w->p->jvm_version));
    put_comment(w, PPROF_SOURCE, profile_text(w->p, w->p->source));
}

/* Writes the first mapping, which pprof takes for the program. */
static void put_program(struct writer *w)
{
    const char *command = profile_text(w->p, w->p->command);
    char name[256];
    bool added;
    command = *command ? command : "java";
    snprintf(name, sizeof name, "%.*s", (int)strcspn(command, " "), command);
    uint32_t id = string(w, name), *place = map_add(&w->mapping_of, id, &added);
    if (!place) {
        gzip_fail(&w->gzip, -ENOMEM);
        return;
    }
    *place = 1;
    pb_put_uint(&w->message, PPROF_MAPPING_ID, 1);
    pb_put_uint(&w->message, PPROF_MAPPING_FILENAME, id);
    pb_put_uint(&w->message, PPROF_MAPPING_HAS_FUNCTIONS, 1);
    put(w, PPROF_MAPPING);
}

/* Writes a mapping for a frame, if it is new: its library for native code, else its type, such as "[JIT compiled]". */
static int put_mapping(struct writer *w, const struct profile_frame *f, uint32_t *id)
{
    const char *library = system_name_library(w->p, f);
    char type[64];
    bool added;
    snprintf(type, sizeof type, "[%s]", profile_type_name(f->type));
    uint32_t name = string(w, library ? library : type);
    uint32_t *place = map_add(&w->mapping_of, name, &added);
    if (!name || !place)
        return -ENOMEM;
    if (added) {
        *place = (uint32_t)w->mapping_of.count;
        pb_put_uint(&w->message, PPROF_MAPPING_ID, *place);
        pb_put_uint(&w->message, PPROF_MAPPING_FILENAME, name);
        pb_put_uint(&w->message, PPROF_MAPPING_HAS_FUNCTIONS, 1);
        pb_put_uint(&w->message, PPROF_MAPPING_HAS_LINES, 1);
        uint32_t number = *place;
        put(w, PPROF_MAPPING);
        *id = number;
    } else {
        *id = *place;
    }
    return 0;
}

static uint64_t function_id(const struct profile_frame *f)
{
    return (uint64_t)f->method * 2 + (f->type == JFR_FRAME_FAILED) + 1;
}

static int put_function(struct writer *w, const struct profile_frame *f)
{
    struct buffer system;
    buffer_init(&system, MESSAGE_MAX);
    system_name_put(&system, w->p, f);
    int rc = buffer_code(&system);
    pb_put_uint(&w->message, PPROF_FUNCTION_ID, function_id(f));
    pb_put_uint(&w->message, PPROF_FUNCTION_NAME, string(w, profile_text(w->p, f->label)));
    if (!rc)
        pb_put_uint(&w->message, PPROF_FUNCTION_SYSTEM_NAME, string(w, (const char *)system.data));
    put(w, PPROF_FUNCTION);
    buffer_deinit(&system);
    return rc;
}

/* Writes a location. The bytecode index is written as its address. */
static void put_location(struct writer *w, uint32_t frame, uint32_t mapping)
{
    const struct profile_frame *f = &w->p->frames[frame];
    buffer_reset(&w->part);
    pb_put_uint(&w->part, PPROF_LINE_FUNCTION, function_id(f));
    pb_put_int(&w->part, PPROF_LINE_LINE, f->line);
    pb_put_uint(&w->message, PPROF_LOCATION_ID, (uint64_t)frame + 1);
    pb_put_uint(&w->message, PPROF_LOCATION_MAPPING, mapping);
    pb_put_uint(&w->message, PPROF_LOCATION_ADDRESS, f->bci);
    pb_put_message(&w->message, PPROF_LOCATION_LINE, &w->part);
    put(w, PPROF_LOCATION);
}

/* Writes the frames that occur in samples. */
static int put_frames(struct writer *w, const struct fold *fold)
{
    const struct profile *p = w->p;
    uint8_t *used = calloc(p->frame_count + 1, 1), *functions = calloc(2 * (size_t)p->method_count + 2, 1);
    uint8_t *nodes = calloc(p->node_count, 1);
    int rc = used && functions && nodes ? 0 : -ENOMEM;
    for (uint32_t i = 0; !rc && i < fold->count; i++)
        for (uint32_t node = fold->rows[i].stack; node && !nodes[node]; node = p->nodes[node].parent)
            used[p->nodes[node].frame] = nodes[node] = 1;
    for (uint32_t i = 0; !rc && i < p->frame_count; i++) {
        uint32_t mapping = 0;
        if (!used[i])
            continue;
        rc = put_mapping(w, &p->frames[i], &mapping);
        if (!rc && !functions[function_id(&p->frames[i])]++)
            rc = put_function(w, &p->frames[i]);
        put_location(w, i, mapping);
    }
    free(used);
    free(functions);
    free(nodes);
    return rc;
}

static void put_label(struct writer *w, const char *key, const char *text, uint64_t number)
{
    buffer_reset(&w->part);
    pb_put_uint(&w->part, PPROF_LABEL_KEY, string(w, key));
    pb_put_uint(&w->part, PPROF_LABEL_STR, string(w, text));
    pb_put_uint(&w->part, PPROF_LABEL_NUM, number);
    if (*text || number)
        pb_put_message(&w->message, PPROF_SAMPLE_LABEL, &w->part);
}

static void put_observed(struct writer *w, const struct profile_sample *s)
{
    const struct profile_thread *t = &w->p->threads[s->thread];
    const char *outcome = profile_text(w->p, s->outcome);
    put_label(w, PPROF_THREAD, profile_text(w->p, t->name), 0);
    put_label(w, PPROF_THREAD_ID, "", t->os_id);
    put_label(w, PPROF_JAVA_THREAD_ID, "", t->java_id);
    if (s->state != JFR_STATE_UNKNOWN)
        put_label(w, PPROF_STATE, jfr_thread_state_names[s->state], 0);
    if (strcmp(outcome, "complete") && strcmp(outcome, "truncated"))
        put_label(w, PPROF_OUTCOME, outcome, 0);
}

static void put_labels(struct writer *w, uint32_t labels)
{
    const struct profile_label *list[PROFILE_LABELS_MAX];
    uint32_t count = profile_label_list(w->p, labels, list);
    for (uint32_t i = 0; i < count; i++) {
        const struct profile_label *l = list[i];
        buffer_reset(&w->part);
        pb_put_uint(&w->part, PPROF_LABEL_KEY, string(w, profile_text(w->p, l->key)));
        if (l->number)
            pb_put_int(&w->part, PPROF_LABEL_NUM, label_number_of(w->p, l));
        else
            pb_put_uint(&w->part, PPROF_LABEL_STR, string(w, profile_text(w->p, l->value)));
        pb_put_uint(&w->part, PPROF_LABEL_UNIT, string(w, profile_text(w->p, l->unit)));
        pb_put_message(&w->message, PPROF_SAMPLE_LABEL, &w->part);
    }
}

static void put_sample(struct writer *w, const struct profile_sample *s)
{
    const struct profile *p = w->p;
    buffer_reset(&w->part);
    for (uint32_t node = s->stack; node; node = p->nodes[node].parent)
        pb_put_varint(&w->part, (uint64_t)p->nodes[node].frame + 1);
    pb_put_message(&w->message, PPROF_SAMPLE_LOCATION, &w->part);
    buffer_reset(&w->part);
    if (p->unit != PROFILE_UNIT_SAMPLES)
        pb_put_varint(&w->part, s->count);
    pb_put_varint(&w->part, s->weight);
    pb_put_message(&w->message, PPROF_SAMPLE_VALUE, &w->part);
    if (!w->brief)
        put_observed(w, s);
    put_labels(w, s->labels);
    put(w, PPROF_SAMPLE);
}

static void put_strings(struct writer *w)
{
    for (uint32_t i = 0; i < w->strings.count; i++) {
        buffer_text(&w->message, strtab_text(&w->strings, i));
        put(w, PPROF_STRING);
    }
}

static struct pprof_types own_types(const struct profile *p)
{
    const char *period = p->interval_ns ? value_type_period(p) : NULL;
    return (struct pprof_types){"samples", value_type_name(p), value_type_unit(p), period, "nanoseconds"};
}

static int write_profile(FILE *out, const struct profile *p, const struct pprof_types *types, bool packed, bool brief)
{
    const struct pprof_types own = own_types(p);
    struct writer w = {.p = p, .types = types ? types : &own, .brief = brief};
    struct fold fold;
    int rc = fold_samples(&fold, p);
    buffer_init(&w.message, MESSAGE_MAX);
    buffer_init(&w.part, MESSAGE_MAX);
    buffer_init(&w.tag, MESSAGE_MAX);
    if (!rc)
        rc = strtab_init(&w.strings) ? -ENOMEM : 0;
    if (!rc && packed)
        rc = gzip_open(&w.gzip, out);
    else if (!rc)
        gzip_open_plain(&w.gzip, out);
    if (!rc) {
        put_types(&w);
        if (!brief)
            put_comments(&w);
        put_program(&w);
        rc = put_frames(&w, &fold);
        for (uint32_t i = 0; !rc && i < fold.count; i++)
            put_sample(&w, &fold.rows[i]);
        put_strings(&w);
        int closed = gzip_close(&w.gzip);
        rc = rc ? rc : closed;
    }
    strtab_deinit(&w.strings);
    map_deinit(&w.mapping_of);
    buffer_deinit(&w.message);
    buffer_deinit(&w.part);
    buffer_deinit(&w.tag);
    fold_deinit(&fold);
    return rc;
}

int pprof_write(FILE *out, const struct profile *p)
{
    return write_profile(out, p, NULL, true, false);
}

int pprof_write_as(FILE *out, const struct profile *p, const struct pprof_types *types)
{
    return write_profile(out, p, types, true, true);
}

int pprof_write_plain(FILE *out, const struct profile *p)
{
    return write_profile(out, p, NULL, false, false);
}

int pprof_export(const struct export_request *as, FILE *out)
{
    return pprof_write(out, as->profile);
}
