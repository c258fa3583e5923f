/* Reads Honest-Profiler's logs (.hpl): big-endian records, each after a byte with its kind.
 *
 *     1 trace: frames i32, thread i64        11 the same, and seconds i64, nanoseconds i64
 *     2 frame: bci i32, method i64           21 frame: bci i32, line i32, method i64        innermost first
 *     3 method: id i64, file, class, name    31 the same, with generic class, signature and generic signature
 *     4 thread: id i64, name                 0 the end of the data;   a text: length i32, bytes
 *
 * Weights count samples. If Honest-Profiler could not walk a stack, the log has a frame of the class AGCT, and Candor makes a failed
 * sample of it. */
#include "base/time_units.h"
#include "format/import.h"

#include "base/array.h"

#include <errno.h>
#include <string.h>

enum kind { TRACE = 1, FRAME = 2, METHOD = 3, THREAD = 4, TRACE_TIMED = 11, FRAME_FULL = 21, METHOD_FULL = 31 };

struct text {
    const char *bytes;
    size_t len;
};

struct record {
    uint8_t kind;
    int32_t frames, bci, line;
    uint64_t id; /* the id of the thread, or of the method */
    int64_t time_ns;
    struct text texts[6]; /* kind 31: file, class, generic class, name, signature; kind 3: file, class, name */
};

struct cursor {
    const uint8_t *at, *end;
    bool short_of_bytes, unknown;
};

static uint64_t take_number(struct cursor *c, size_t size)
{
    uint64_t v = 0;
    if ((size_t)(c->end - c->at) < size) {
        c->short_of_bytes = true;
        return 0;
    }
    for (size_t i = 0; i < size; i++)
        v = v << 8 | *c->at++;
    return v;
}

static struct text take_text(struct cursor *c)
{
    uint32_t len = (uint32_t)take_number(c, 4);
    if (c->short_of_bytes || len > (size_t)(c->end - c->at)) {
        c->short_of_bytes = true;
        return (struct text){"", 0};
    }
    c->at += len;
    return (struct text){(const char *)c->at - len, len};
}

static void take_trace(struct cursor *c, struct record *r)
{
    r->frames = (int32_t)take_number(c, 4);
    r->id = take_number(c, 8);
    if (r->kind != TRACE_TIMED)
        return;
    uint64_t seconds = take_number(c, 8), ns = take_number(c, 8);
    r->time_ns = seconds < 1ull << 33 && ns < NS_PER_S ? (int64_t)(seconds * NS_PER_S + ns) : 0;
}

static void take_frame(struct cursor *c, struct record *r)
{
    r->bci = (int32_t)take_number(c, 4);
    r->line = r->kind == FRAME_FULL ? (int32_t)take_number(c, 4) : 0;
    r->id = take_number(c, 8);
}

static void take_method(struct cursor *c, struct record *r)
{
    size_t texts = r->kind == METHOD ? 3 : 6;
    r->id = take_number(c, 8);
    for (size_t i = 0; i < texts; i++)
        r->texts[i] = take_text(c);
}

/* Reads the next record. Returns false at the end, at an incomplete record, and at a record of an unknown kind. */
static bool next(struct cursor *c, struct record *r)
{
    if (c->at == c->end || !*c->at)
        return false;
    *r = (struct record){.kind = *c->at++};
    switch (r->kind) {
    case TRACE:
    case TRACE_TIMED:
        take_trace(c, r);
        break;
    case FRAME:
    case FRAME_FULL:
        take_frame(c, r);
        break;
    case METHOD:
    case METHOD_FULL:
        take_method(c, r);
        break;
    case THREAD:
        r->id = take_number(c, 8);
        r->texts[0] = take_text(c);
        break;
    default:
        c->unknown = true;
    }
    return !c->short_of_bytes && !c->unknown;
}

bool hpl_is(const uint8_t *bytes, size_t size)
{
    struct cursor c = {bytes, bytes + size, false, false};
    struct record r;
    bool found = false;
    if (!size || (bytes[0] != TRACE && bytes[0] != TRACE_TIMED && bytes[0] != METHOD && bytes[0] != METHOD_FULL && bytes[0] != THREAD))
        return false;
    while (next(&c, &r))
        found = true;
    return !c.unknown && (found || c.short_of_bytes);
}

/* ---- the model ---- */

struct method {
    uint32_t id; /* its id in the profile */
    bool failed;
};

struct reader {
    struct profile *p;
    struct method *methods;
    uint32_t method_count, method_cap;
    struct map method_of; /* id -> index in methods */
    struct map name_of;   /* thread id -> string id */
    struct import_stack stack;
    struct profile_sample sample;
    const char *outcome;
    int32_t frames_left;
    bool open;
    uint64_t refused;
};

/* Adds the name of a class: "Ljava/lang/String;" and "java/lang/String" become java.lang.String. */
static int class_string(struct profile *p, struct text t, uint32_t *id)
{
    char name[1024];
    if (t.len > 2 && t.bytes[0] == 'L' && t.bytes[t.len - 1] == ';')
        t = (struct text){t.bytes + 1, t.len - 2};
    size_t len = t.len < sizeof name ? t.len : sizeof name;
    for (size_t i = 0; i < len; i++)
        name[i] = t.bytes[i] == '/' ? '.' : t.bytes[i];
    return profile_string(p, name, len, id);
}

static int on_method(struct reader *r, const struct record *m)
{
    const struct text class_text = m->texts[1], name_text = m->texts[m->kind == METHOD ? 2 : 3];
    struct text signature = m->kind == METHOD ? (struct text){"", 0} : m->texts[4];
    struct method one = {.failed = class_text.len == 4 && !memcmp(class_text.bytes, "AGCT", 4)};
    uint32_t class_name, name, descriptor;
    bool added;
    if (one.failed ? profile_string(r->p, name_text.bytes, name_text.len, &class_name) || profile_string(r->p, "", 0, &name)
                   : class_string(r->p, class_text, &class_name) || profile_string(r->p, name_text.bytes, name_text.len, &name))
        return -ENOMEM;
    if (profile_string(r->p, signature.bytes, one.failed ? 0 : signature.len, &descriptor) ||
        profile_method(r->p, class_name, name, descriptor, &one.id) || ARRAY_GROW(r->methods, r->method_cap, r->method_count))
        return -ENOMEM;
    uint32_t *place = map_add(&r->method_of, m->id, &added);
    if (!place)
        return -ENOMEM;
    *place = r->method_count;
    r->methods[r->method_count++] = one;
    return 0;
}

static int on_thread(struct reader *r, const struct record *t)
{
    uint32_t name;
    bool added;
    if (profile_string(r->p, t->texts[0].bytes, t->texts[0].len, &name))
        return -ENOMEM;
    uint32_t *place = map_add(&r->name_of, t->id, &added);
    if (!place)
        return -ENOMEM;
    *place = name;
    return 0;
}

static int finish(struct reader *r)
{
    bool truncated;
    if (!r->open)
        return 0;
    r->open = false;
    int rc = import_stack_take(&r->stack, r->p, true, &r->sample.stack, &truncated);
    if (!rc && !r->sample.stack)
        rc = import_no_stack(r->p, &r->sample.stack);
    if (!rc && r->outcome)
        rc = profile_string(r->p, r->outcome, strlen(r->outcome), &r->sample.outcome);
    return rc ? rc : import_sample(r->p, &r->sample, truncated, &r->refused);
}

static int on_trace(struct reader *r, const struct record *t)
{
    int rc = finish(r);
    const uint32_t *name = map_find(&r->name_of, t->id);
    r->open = true;
    r->outcome = t->frames <= 0 ? "no stack" : NULL;
    r->frames_left = t->frames;
    r->sample = (struct profile_sample){.weight = 1, .count = 1, .time_ns = t->time_ns};
    struct profile *p = r->p;
    if (t->time_ns && (!p->start_ns || t->time_ns < p->start_ns)) {
        p->duration_ns += p->start_ns ? (uint64_t)(p->start_ns - t->time_ns) : 0;
        p->start_ns = t->time_ns;
    }
    if (t->time_ns && (uint64_t)(t->time_ns - p->start_ns) > p->duration_ns)
        p->duration_ns = (uint64_t)(t->time_ns - p->start_ns);
    return rc ? rc : profile_thread(p, name ? *name : 0, t->id, 0, &r->sample.thread);
}

static int on_frame(struct reader *r, const struct record *f)
{
    const uint32_t *place = map_find(&r->method_of, f->id);
    const struct method *m = place ? &r->methods[*place] : NULL;
    uint32_t frame;
    if (!r->open || r->frames_left <= 0)
        return 0;
    r->frames_left--;
    int rc = m ? profile_frame(r->p, m->id, f->line > 0 ? f->line : 0, f->bci > 0 ? (uint32_t)f->bci : 0,
                               m->failed ? JFR_FRAME_FAILED : JFR_FRAME_JAVA, &frame)
               : import_frame(r->p, "[unknown]", 9, 0, PROFILE_TYPE_OTHER, &frame);
    if (m && m->failed)
        r->outcome = profile_text(r->p, r->p->methods[m->id].class_name);
    return rc ? rc : import_stack_add(&r->stack, frame);
}

/* Reads the methods and threads in a first pass, because a method may follow its first frame, and a thread's name its first trace. */
static int on_names(struct reader *r, const struct record *one)
{
    if (one->kind == METHOD || one->kind == METHOD_FULL)
        return on_method(r, one);
    return one->kind == THREAD ? on_thread(r, one) : 0;
}

static int on_samples(struct reader *r, const struct record *one)
{
    if (one->kind == TRACE || one->kind == TRACE_TIMED)
        return on_trace(r, one);
    return one->kind == FRAME || one->kind == FRAME_FULL ? on_frame(r, one) : 0;
}

int hpl_read(struct profile *p, const struct import *in)
{
    struct reader r = {.p = p};
    struct record one;
    struct cursor c = {in->bytes, in->bytes + in->size, false, false};
    int rc = 0;
    p->unit = PROFILE_UNIT_SAMPLES;
    while (!rc && next(&c, &one))
        rc = on_names(&r, &one);
    size_t stopped = (size_t)(c.at - in->bytes);
    bool short_of_bytes = c.short_of_bytes, unknown = c.unknown;
    c = (struct cursor){in->bytes, in->bytes + in->size, false, false};
    while (!rc && next(&c, &one))
        rc = on_samples(&r, &one);
    rc = rc ? rc : finish(&r);
    if (!rc && !p->sample_count && (unknown || short_of_bytes))
        rc = import_bad(in, "damaged: this is not a log of Honest-Profiler, or it ends before the first sample");
    if (!rc && (unknown || short_of_bytes))
        rc = profile_add_problem(p, "warning", "reading: the log %s at byte %zu", unknown ? "holds no record" : "breaks off", stopped);
    free(r.methods);
    map_deinit(&r.method_of);
    map_deinit(&r.name_of);
    import_stack_deinit(&r.stack);
    return rc;
}
