/* Reads the fields of a form that Pyroscope's protocol sends with the profile: the names of the profile's values, and the labels of a JFR
 * recording's contexts. These labels are counted, but not kept. */
#include "compress/intake.h"
#include "base/pb.h"
#include "server/answers/ingest.h"

#include <inttypes.h>
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ingest_parts_init(struct ingest_parts *p)
{
    *p = (struct ingest_parts){0};
    buffer_init(&p->config, INGEST_PART_MAX);
    buffer_init(&p->labels, INGEST_PART_MAX);
}

void ingest_parts_deinit(struct ingest_parts *p)
{
    buffer_deinit(&p->config);
    buffer_deinit(&p->labels);
}

void ingest_take(struct ingest_parts *p, const char *name, const char *bytes, size_t n)
{
    if (!strcmp(name, "sample_type_config"))
        buffer_put(&p->config, bytes, n);
    else if (!strcmp(name, "labels"))
        buffer_put(&p->labels, bytes, n);
    else
        snprintf(p->others, sizeof p->others, "%s", name);
}

static void leave_out(struct ingest_parts *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void leave_out(struct ingest_parts *p, const char *format, ...)
{
    size_t used = strlen(p->left_out);
    va_list args;
    if (used)
        used += (size_t)snprintf(p->left_out + used, sizeof p->left_out - used, "; ");
    va_start(args, format);
    if (used < sizeof p->left_out)
        vsnprintf(p->left_out + used, sizeof p->left_out - used, format, args);
    va_end(args);
}

/* ---- sample_type_config: {"TYPE": {"display-name": NAME, "cumulative": false, ...}, ...} ---- */

/* Adds the configuration of a type to the note. A cumulative value is a sum since the program's start. Without the previous profile, its
 * increase is unknown, so it is left out. */
static int use_type(struct envelope_note *note, const char *type, const json_t *config, struct error *e)
{
    const char *name = json_string_value(json_object_get(config, "display-name"));
    bool cumulative = json_is_true(json_object_get(config, "cumulative"));
    if (!json_is_object(config))
        return error_set(e, -EINVAL, "sample_type_config: '%.40s' is not an object", type);
    if (cumulative)
        name = ENVELOPE_LEFT_OUT;
    else if (!name || !*name || !strcmp(name, ENVELOPE_LEFT_OUT) || !strcmp(type, "samples") || !strcmp(type, "cpu"))
        return 0; /* CPU time always has the same name */
    return labels_set(&note->values, type, strlen(type), name, strlen(name), e);
}

static int use_config(struct ingest_parts *p, struct envelope_note *note, struct error *e)
{
    json_error_t problem;
    json_t *config = json_loadb((const char *)p->config.data, p->config.len, 0, &problem), *one;
    const char *type;
    int rc = json_is_object(config) ? 0 : error_set(e, -EINVAL, "sample_type_config is not a JSON object");
    if (!rc)
        json_object_foreach(config, type, one)
        {
            rc = rc ? rc : use_type(note, type, one, e);
        }
    json_decref(config);
    return rc;
}

/* ---- labels: {contexts = 1: map of {labels = 1: map of ids}, strings = 2: map of texts} ---- */

enum { SNAPSHOT_CONTEXTS = 1, SNAPSHOT_STRINGS };

static int use_labels(struct ingest_parts *p, struct error *e)
{
    struct intake in;
    struct error ignored;
    uint64_t contexts = 0, strings = 0;
    if (intake_open_memory(&in, p->labels.data, p->labels.len, "labels", &ignored))
        return error_set(e, -EINVAL, "the field labels cannot be unpacked");
    struct pb m = pb_init(in.bytes, in.size);
    for (struct pb_field f; pb_next(&m, &f);) {
        contexts += f.number == SNAPSHOT_CONTEXTS;
        strings += f.number == SNAPSHOT_STRINGS;
    }
    bool bad = m.bad || *in.damage;
    intake_close(&in);
    if (bad)
        leave_out(p, "the field labels, which is damaged");
    else if (contexts)
        leave_out(p, "the field labels: %" PRIu64 " contexts of %" PRIu64 " names and values", contexts, strings);
    return 0;
}

int ingest_use(struct ingest_parts *p, struct envelope_note *note, struct error *e)
{
    if (p->config.failed || p->labels.failed)
        return error_set(e, -EFBIG, "a field of its form beside the profile has more than %d bytes", INGEST_PART_MAX);
    int rc = p->config.len ? use_config(p, note, e) : 0;
    rc = !rc && p->labels.len ? use_labels(p, e) : rc;
    if (*p->others)
        leave_out(p, "the field %s", p->others);
    return rc;
}
