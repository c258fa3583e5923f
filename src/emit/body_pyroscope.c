#include "emit/body.h"

#include "base/pb.h"
#include "format/pprof.h"
#include "profile/kinds.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The fields of push.v1: PushRequest{series=1*}, RawProfileSeries{labels=1*, samples=2*}, LabelPair{name=1, value=2},
 * RawSample{raw_profile=1}. */
enum { SERIES = 1, LABELS = 1, SAMPLES = 2, NAME = 1, VALUE = 2, RAW_PROFILE = 1, MESSAGE_MAX = 1 << 30 };

/* The series of a kind, and its types, by which Grafana knows the units. */
struct family {
    const char *name;
    struct pprof_types types;
};

static struct family family_of(const struct profile *p)
{
    static const struct family families[PROFILE_KINDS] = {
        [PROFILE_RUNNING] = {"process_cpu", {"samples", "cpu", "nanoseconds", "cpu", "nanoseconds"}},
        [PROFILE_WALL] = {"wall", {"samples", "wall", "nanoseconds", "wall", "nanoseconds"}},
        [PROFILE_ALLOC] = {"memory", {"samples", "alloc_space", "bytes", "space", "bytes"}},
        [PROFILE_LIVE] = {"memory", {"samples", "inuse_space", "bytes", "space", "bytes"}},
        [PROFILE_LOCK] = {"mutex", {"contentions", "delay", "nanoseconds", "mutex", "count"}},
        [PROFILE_HOLDER] = {"mutex", {"samples", "holder", "nanoseconds", "mutex", "count"}},
    };
    /* A counter of perf, or samples of an unknown period, keep their own names. */
    if (p->unit != profile_kinds[p->kind].unit)
        return (struct family){"process_events", {.value = NULL}};
    return families[p->kind];
}

static void put_label(struct buffer *out, const char *name, const char *value)
{
    struct buffer pair;
    if (!*value)
        return;
    buffer_init(&pair, MESSAGE_MAX);
    pb_put_text(&pair, NAME, name);
    pb_put_text(&pair, VALUE, value);
    pb_put_message(out, LABELS, &pair);
    buffer_deinit(&pair);
}

static void put_labels(struct buffer *out, const struct profile *p, const char *family, const struct emit_labels *labels)
{
    char number[24] = "", room[64];
    put_label(out, "__name__", family);
    for (uint32_t i = 0; i < labels->count; i++)
        put_label(out, emit_label_pyroscope(labels->names[i], room), labels->values[i]);
    if (p->pid)
        snprintf(number, sizeof number, "%" PRIu64, p->pid);
    put_label(out, "pid", number);
}

static int put_profile(struct buffer *out, const struct profile *p, const struct pprof_types *types)
{
    struct buffer sample;
    char *bytes = NULL;
    size_t size = 0;
    FILE *packed = open_memstream(&bytes, &size);
    int rc = packed ? pprof_write_as(packed, p, types) : -ENOMEM;
    if (packed && (ferror(packed) | fclose(packed)))
        rc = rc ? rc : -ENOMEM;
    buffer_init(&sample, MESSAGE_MAX);
    if (!rc)
        pb_put_bytes(&sample, RAW_PROFILE, bytes, size);
    pb_put_message(out, SAMPLES, &sample);
    buffer_deinit(&sample);
    free(bytes);
    return rc;
}

static int put_series(FILE *out, const struct profile *p, const struct emit_labels *labels)
{
    struct family family = family_of(p);
    struct buffer series, field;
    buffer_init(&series, MESSAGE_MAX);
    buffer_init(&field, MESSAGE_MAX);
    put_labels(&series, p, family.name, labels);
    int rc = put_profile(&series, p, family.types.value ? &family.types : NULL);
    pb_put_message(&field, SERIES, &series);
    rc = rc ? rc : buffer_code(&field);
    if (!rc)
        fwrite(field.data, 1, field.len, out);
    buffer_deinit(&series);
    buffer_deinit(&field);
    return rc;
}

int emit_body_pyroscope(FILE *out, const struct profile *const *profiles, uint32_t count, const struct emit_labels *labels)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < count; i++)
        rc = put_series(out, profiles[i], labels);
    return rc;
}
