#include "format/speedscope.h"

#include "base/array.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

struct reader {
    struct profile *p;
    const struct import *in;
    uint32_t *frames; /* indexed by the file's frame numbers */
    size_t frame_count;
    struct import_stack stack;
    uint64_t scale;
    bool unit_known, time;
    uint64_t refused, left_out;
};

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static int take_frames(struct reader *r, const json_t *list)
{
    r->frame_count = json_array_size(list);
    r->frames = calloc(r->frame_count + 1, sizeof *r->frames);
    int rc = r->frames ? 0 : -ENOMEM;
    for (size_t i = 0; !rc && i < r->frame_count; i++) {
        const json_t *one = json_array_get(list, i);
        double line = json_number_value(json_object_get(one, "line"));
        const char *name = text_of(one, "name");
        rc = import_frame(r->p, name, strlen(name), line > 0 && line < INT32_MAX ? (int32_t)line : 0, PROFILE_TYPE_OTHER, &r->frames[i]);
    }
    return rc;
}

/* Sets the unit, or checks it: if the file has profiles of several units, those with the first one's unit are read. */
static int take_unit(struct reader *r, const char *unit, bool *same)
{
    struct profile *p = r->p;
    enum profile_unit before = p->unit;
    bool none = !strcmp(unit, "none") || !*unit;
    *same = true;
    if (r->unit_known) {
        uint32_t value = p->value, name = p->unit_name;
        int rc = import_unit(p, "", none ? "samples" : unit, &r->scale);
        *same = p->unit == before;
        p->unit = before;
        p->value = value;
        p->unit_name = name;
        return rc;
    }
    r->unit_known = true;
    return import_unit(p, "", none ? "samples" : unit, &r->scale);
}

static uint64_t weigh(const struct reader *r, double number)
{
    double weight = number * (double)r->scale;
    return weight >= 0 && weight < 4e18 ? (uint64_t)llround(weight) : UINT64_MAX;
}

static int add(struct reader *r, uint32_t thread, uint32_t stack, bool truncated, uint64_t weight)
{
    struct profile_sample s = {.thread = thread, .stack = stack, .weight = weight, .count = 1};
    int rc = stack ? 0 : import_no_stack(r->p, &s.stack);
    if (r->p->unit == PROFILE_UNIT_SAMPLES)
        s.count = weight < UINT32_MAX ? (uint32_t)weight : UINT32_MAX;
    return rc ? rc : import_sample(r->p, &s, truncated, &r->refused);
}

/* Returns the number of the frame in the file, or -1 if it is invalid. */
static int64_t frame_at(const struct reader *r, const json_t *number)
{
    double v = json_is_number(number) ? json_number_value(number) : -1;
    return v >= 0 && v < (double)r->frame_count ? (int64_t)v : -1;
}

static int take_stack(struct reader *r, const json_t *list, uint32_t *stack, bool *truncated)
{
    r->stack.count = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        int64_t frame = frame_at(r, json_array_get(list, i));
        if (frame >= 0 && import_stack_add(&r->stack, r->frames[frame]))
            return -ENOMEM;
    }
    return import_stack_take(&r->stack, r->p, false, stack, truncated);
}

static int take_sampled(struct reader *r, const json_t *profile, uint32_t thread)
{
    const json_t *samples = json_object_get(profile, "samples"), *weights = json_object_get(profile, "weights");
    size_t n = json_array_size(samples);
    int rc = 0;
    r->left_out += n > json_array_size(weights) ? n - json_array_size(weights) : 0;
    for (size_t i = 0; !rc && i < n && i < json_array_size(weights); i++) {
        const json_t *number = json_array_get(weights, i);
        uint32_t stack;
        bool truncated;
        uint64_t weight =
            json_is_integer(number) ? import_weight(json_integer_value(number), r->scale) : weigh(r, json_number_value(number));
        rc = take_stack(r, json_array_get(samples, i), &stack, &truncated);
        rc = rc ? rc : add(r, thread, stack, truncated, weight);
    }
    return rc;
}

/* The open frames of an evented profile. `stacks` has a stack for each depth, each one frame longer than the one before. For frames
 * beyond the model's depth, only their number is kept. */
struct open {
    uint32_t *stacks;
    int64_t *frames; /* the file's numbers of all open frames */
    size_t depth, cap;
};

static uint32_t top_of(const struct open *o)
{
    size_t known = o->depth < PROFILE_DEPTH_MAX - 1 ? o->depth : PROFILE_DEPTH_MAX - 1;
    return known ? o->stacks[known - 1] : 0;
}

static int open_frame(struct reader *r, struct open *o, int64_t frame)
{
    uint32_t stack = top_of(o), count = (uint32_t)o->depth, cap = (uint32_t)o->cap;
    if (ARRAY_GROW(o->frames, cap, count))
        return -ENOMEM;
    o->cap = cap;
    o->frames[o->depth++] = frame;
    return o->depth < PROFILE_DEPTH_MAX ? profile_stack(r->p, stack, r->frames[frame], &o->stacks[o->depth - 1]) : 0;
}

static const char *name_of(const struct reader *r, int64_t frame)
{
    return profile_text(r->p, r->p->frames[r->frames[frame]].label);
}

/* Opens or closes a frame. If events contradict each other, the file is refused, because the rest of it cannot be trusted. */
static int take_event(struct reader *r, struct open *o, const json_t *event, size_t number)
{
    int64_t frame = frame_at(r, json_object_get(event, "frame"));
    const char *type = text_of(event, "type");
    if (frame < 0 || (strcmp(type, "O") != 0 && strcmp(type, "C") != 0))
        return import_bad(r->in, "invalid: event %zu does not name a frame, or neither opens nor closes one", number);
    if (*type == 'O')
        return open_frame(r, o, frame);
    if (!o->depth)
        return import_bad(r->in, "invalid: event %zu closes '%.80s', but no frame is open", number, name_of(r, frame));
    if (o->frames[o->depth - 1] != frame)
        return import_bad(r->in, "invalid: event %zu closes '%.80s' while '%.80s' is open inside it", number, name_of(r, frame),
                          name_of(r, o->frames[o->depth - 1]));
    o->depth--;
    return 0;
}

/* Reads an evented profile. The frames that are open between two events make one sample. */
static int take_evented(struct reader *r, const json_t *profile, uint32_t thread)
{
    const json_t *events = json_object_get(profile, "events");
    double last = json_number_value(json_object_get(profile, "startValue"));
    struct open o = {.stacks = calloc(PROFILE_DEPTH_MAX, sizeof *o.stacks)};
    int rc = o.stacks ? 0 : -ENOMEM;
    for (size_t i = 0; !rc && i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        double at = json_number_value(json_object_get(event, "at"));
        if (i && at < last)
            rc = import_bad(r->in, "invalid: event %zu has an earlier time than the event before it", i);
        if (!rc && o.depth && at > last)
            rc = add(r, thread, top_of(&o), false, weigh(r, at - last));
        last = at;
        rc = rc ? rc : take_event(r, &o, event, i);
    }
    if (!rc && o.depth)
        rc = profile_add_problem(r->p, "warning", "%zu frames of a thread are never closed: their time after its last event is unknown",
                                 o.depth);
    free(o.stacks);
    free(o.frames);
    return rc;
}

static int take_profile(struct reader *r, const json_t *profile)
{
    const char *name = text_of(profile, "name"), *type = text_of(profile, "type");
    uint32_t string, thread;
    bool same;
    if (take_unit(r, text_of(profile, "unit"), &same))
        return -ENOMEM;
    if (!same)
        return profile_add_problem(r->p, "warning", "profiles with a different unit than the first one are left out");
    if (profile_string(r->p, name, strlen(name), &string) || profile_thread(r->p, string, 0, 0, &thread))
        return -ENOMEM;
    if (!strcmp(type, "sampled"))
        return take_sampled(r, profile, thread);
    if (!strcmp(type, "evented"))
        return take_evented(r, profile, thread);
    r->left_out++;
    return 0;
}

static int take_file(struct reader *r, const json_t *root)
{
    const json_t *frames = json_object_get(json_object_get(root, "shared"), "frames");
    const json_t *profiles = json_object_get(root, "profiles");
    if (!json_is_array(frames) || !json_is_array(profiles))
        return import_bad(r->in, "not a speedscope file: it has no shared.frames, or no profiles");
    int rc = take_frames(r, frames);
    const char *name = text_of(root, "name");
    rc = rc ? rc : profile_string(r->p, name, strlen(name), &r->p->command);
    for (size_t i = 0; !rc && i < json_array_size(profiles); i++)
        rc = take_profile(r, json_array_get(profiles, i));
    if (!rc && r->left_out)
        rc = profile_add_problem(r->p, "warning", "%llu samples, events or profiles left out, because they refer to nothing in the file",
                                 (unsigned long long)r->left_out);
    return rc ? rc : import_refused(r->p, r->refused);
}

int speedscope_read(struct profile *p, const struct import *in)
{
    struct reader r = {.p = p, .in = in};
    json_error_t error;
    json_t *root = json_loadb((const char *)in->bytes, in->size, 0, &error);
    if (!root)
        return import_bad(in, "damaged: not JSON (%.120s, line %d)", error.text, error.line);
    int rc = take_file(&r, root);
    json_decref(root);
    free(r.frames);
    import_stack_deinit(&r.stack);
    return rc;
}
