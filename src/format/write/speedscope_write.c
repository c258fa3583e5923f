#include "format/speedscope.h"

#include "base/text/jsonw.h"
#include "format/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The frames of the file: those frames of the model that occur in samples, distinguished by name and line. */
struct frames {
    struct map number_of; /* (label, line) -> number */
    uint32_t *number;     /* indexed by the model's frame: the number plus 1; 0 = not used yet */
};

static int put_frame(struct jsonw *j, const struct profile *p, struct frames *f, uint32_t id)
{
    const struct profile_frame *frame = &p->frames[id];
    bool added;
    if (f->number[id])
        return 0;
    uint32_t *place = map_add(&f->number_of, (uint64_t)frame->label << 32 | (uint32_t)frame->line, &added);
    if (!place)
        return -ENOMEM;
    if (added) {
        *place = (uint32_t)f->number_of.count - 1;
        jsonw_object(j);
        jsonw_key(j, "name");
        jsonw_string(j, profile_text(p, frame->label), strtab_len(&p->strings, frame->label));
        if (frame->line) {
            jsonw_key(j, "line");
            jsonw_int(j, frame->line);
        }
        jsonw_object_end(j);
    }
    f->number[id] = *place + 1;
    return 0;
}

static int put_frames(struct jsonw *j, const struct profile *p, struct frames *f)
{
    int rc = 0;
    jsonw_key(j, "shared");
    jsonw_object(j);
    jsonw_key(j, "frames");
    jsonw_array(j);
    for (uint32_t i = 0; !rc && i < p->sample_count; i++)
        for (uint32_t node = p->samples[i].stack; !rc && node; node = p->nodes[node].parent)
            rc = put_frame(j, p, f, p->nodes[node].frame);
    jsonw_array_end(j);
    jsonw_object_end(j);
    return rc;
}

static void put_stack(struct jsonw *j, const struct profile *p, const struct frames *f, uint32_t stack, uint32_t *path)
{
    uint32_t depth = 0;
    for (uint32_t node = stack; node; node = p->nodes[node].parent)
        path[depth++] = f->number[p->nodes[node].frame] - 1;
    jsonw_array(j);
    while (depth--)
        jsonw_uint(j, path[depth]);
    jsonw_array_end(j);
}

static const char *unit_word(const struct profile *p)
{
    return p->unit == PROFILE_UNIT_NS ? "nanoseconds" : p->unit == PROFILE_UNIT_BYTES ? "bytes" : "none";
}

/* Writes a thread. order[first .. end) are its samples. */
static void put_thread(struct jsonw *j, const struct profile *p, const struct frames *f, const uint32_t *order, uint32_t first,
                       uint32_t end, uint32_t *path)
{
    uint32_t name = p->threads[p->samples[order[first]].thread].name;
    uint64_t weight = 0;
    jsonw_object(j);
    jsonw_key(j, "type");
    jsonw_text(j, "sampled");
    jsonw_key(j, "name");
    jsonw_string(j, profile_text(p, name), strtab_len(&p->strings, name));
    jsonw_key(j, "unit");
    jsonw_text(j, unit_word(p));
    jsonw_key(j, "samples");
    jsonw_array(j);
    for (uint32_t i = first; i < end; i++)
        put_stack(j, p, f, p->samples[order[i]].stack, path);
    jsonw_array_end(j);
    jsonw_key(j, "weights");
    jsonw_array(j);
    for (uint32_t i = first; i < end; i++) {
        jsonw_uint(j, p->samples[order[i]].weight);
        weight += p->samples[order[i]].weight;
    }
    jsonw_array_end(j);
    jsonw_key(j, "startValue");
    jsonw_uint(j, 0);
    jsonw_key(j, "endValue");
    jsonw_uint(j, weight);
    jsonw_object_end(j);
}

static int by_thread_and_time(const void *left, const void *right, void *context)
{
    const struct profile_sample *samples = context;
    const struct profile_sample *a = &samples[*(const uint32_t *)left], *b = &samples[*(const uint32_t *)right];
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    return (a > b) - (a < b);
}

static void put_profiles(struct jsonw *j, const struct profile *p, const struct frames *f, uint32_t *order, uint32_t *path)
{
    for (uint32_t i = 0; i < p->sample_count; i++)
        order[i] = i;
    qsort_r(order, p->sample_count, sizeof *order, by_thread_and_time, p->samples);
    jsonw_key(j, "profiles");
    jsonw_array(j);
    for (uint32_t i = 0, end; i < p->sample_count; i = end) {
        for (end = i; end < p->sample_count && p->samples[order[end]].thread == p->samples[order[i]].thread;)
            end++;
        put_thread(j, p, f, order, i, end, path);
    }
    jsonw_array_end(j);
}

int speedscope_write(FILE *out, const struct profile *p, const char *title)
{
    struct jsonw j;
    struct frames frames = {.number = calloc((size_t)p->frame_count + 1, sizeof *frames.number)};
    uint32_t *order = calloc((size_t)p->sample_count + 1, sizeof *order), *path = calloc(PROFILE_DEPTH_MAX + 1, sizeof *path);
    int rc = frames.number && order && path ? 0 : -ENOMEM;
    jsonw_init(&j, out);
    j.line_depth = 2;
    if (!rc) {
        jsonw_object(&j);
        jsonw_key(&j, "$schema");
        jsonw_text(&j, "https://www.speedscope.app/file-format-schema.json");
        jsonw_key(&j, "exporter");
        jsonw_text(&j, "candor " CANDOR_VERSION);
        jsonw_key(&j, "name");
        jsonw_text(&j, title);
        rc = put_frames(&j, p, &frames);
        put_profiles(&j, p, &frames, order, path);
        jsonw_object_end(&j);
        jsonw_finish(&j);
    }
    map_deinit(&frames.number_of);
    free(frames.number);
    free(order);
    free(path);
    return rc;
}

int speedscope_export(const struct export_request *as, FILE *out)
{
    return speedscope_write(out, as->profile, as->title);
}
