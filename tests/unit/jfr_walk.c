#include "jfr_walk.h"

#include "base/text/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pools may refer to each other in circles, and arrays may refer to one entry a thousand times. The reader follows references only on
 * request, so code that walks everything needs a limit. */
enum { DEPTH_MAX = 6, VALUES_MAX = 5000, FRAMES_MAX = 3000 };

static void fault(const char *what)
{
    fprintf(stderr, "jfr_walk: %s\n", what);
    abort();
}

static void note_text(struct jfr_walk *w, struct jfr_text text)
{
    for (size_t i = 0, used; i < text.len; i += used)
        if (!(used = utf8_length(text.bytes + i, text.len - i)))
            fault("a text is not UTF-8");
    w->text_bytes += text.len;
}

static void walk_value(struct jfr_walk *w, struct jfr_value v, int depth);

static void walk_array(struct jfr_walk *w, struct jfr_value v, int depth)
{
    struct jfr_value element;
    for (struct jfr_array a = jfr_array_of(v); w->values < VALUES_MAX && jfr_array_next(&a, &element);)
        walk_value(w, element, depth + 1);
}

static void walk_value(struct jfr_walk *w, struct jfr_value v, int depth)
{
    if (depth > DEPTH_MAX || ++w->values > VALUES_MAX)
        return;
    volatile double number = jfr_value_number(v);
    volatile int64_t integer = jfr_value_int(v);
    (void)number;
    (void)integer;
    note_text(w, jfr_value_text(v));
    walk_array(w, v, depth);
    for (uint32_t i = 0; !jfr_value_none(v) && !v.array && i < v.type->field_count; i++) {
        jfr_value_key(v, &v.type->fields[i]);
        walk_value(w, jfr_value_field(v, &v.type->fields[i]), depth + 1);
    }
}

static void walk_frames(struct jfr_walk *w, struct jfr_value trace)
{
    struct jfr_stack stack;
    struct jfr_frame_info frame;
    struct jfr_method_info method;
    jfr_stack_of(trace, &stack);
    for (int i = 0; i < FRAMES_MAX && jfr_stack_next(&stack, &frame); i++) {
        jfr_method_of(frame.method, &method);
        note_text(w, frame.type);
        note_text(w, method.class_name);
        note_text(w, method.name);
        note_text(w, method.descriptor);
    }
}

/* The next frame, found by its key; if it has no key, without one. */
static bool next_raw(struct jfr_stack *stack, struct jfr_raw_frame *raw)
{
    struct jfr_frame_key key;
    if (!jfr_stack_next_keys(stack, &key, 1))
        return jfr_stack_next_raw(stack, raw);
    jfr_stack_decode(stack, &key, raw);
    return true;
}

/* The fast walks must see the same frames as the slow one, in the same places. */
static void walk_raw_frames(struct jfr_value trace)
{
    struct jfr_stack slow, fast, many;
    struct jfr_frame_info frame;
    struct jfr_raw_frame raw;
    struct jfr_frame_key keys[FRAMES_MAX];
    jfr_stack_of(trace, &slow);
    jfr_stack_of(trace, &fast);
    jfr_stack_of(trace, &many);
    uint32_t count = many.raw ? jfr_stack_next_keys(&many, keys, FRAMES_MAX) : 0;
    for (uint32_t i = 0; fast.raw && i < FRAMES_MAX; i++) {
        bool one = jfr_stack_next(&slow, &frame), other = next_raw(&fast, &raw);
        if (one != other || (i < count && !one))
            fault("the fast walk of a stack is longer or shorter");
        if (!one)
            break;
        if (frame.method_key != raw.method || frame.line != raw.line || frame.bci != raw.bci)
            fault("the fast walk of a stack sees another frame");
        if (slow.frames.next.at != fast.frames.next.at || (i + 1 == count && many.frames.next.at != fast.frames.next.at))
            fault("a frame is not as long as it was said to be");
        if (i < count)
            jfr_stack_decode(&many, &keys[i], &raw);
        if (frame.method_key != raw.method || frame.line != raw.line || frame.bci != raw.bci)
            fault("many frames at once are others");
    }
}

static void walk_event(struct jfr_walk *w, struct jfr_event *event)
{
    struct jfr_thread_info thread;
    w->events += strcmp(event->type->name, "candor.Padding") != 0;
    jfr_event_epoch_ns(event);
    for (uint32_t i = 0; i < event->type->field_count; i++) {
        const struct jfr_field *f = &event->type->fields[i];
        struct jfr_value v = jfr_event_value(event, f);
        jfr_event_key(event, f);
        walk_value(w, v, 0);
        if (jfr_thread_of(v, &thread)) {
            note_text(w, thread.os_name);
            note_text(w, thread.java_name);
            note_text(w, thread.group);
        }
        if (w->events < 50) {
            walk_frames(w, v);
            walk_raw_frames(v);
        }
    }
}

static void walk_chunk(struct jfr_walk *w, struct jfr_chunk *chunk)
{
    struct jfr_event event;
    uint32_t count;
    uint64_t counted = 0, met = 0;
    for (struct jfr_cursor cursor = jfr_cursor_init(chunk); jfr_cursor_next(&cursor, &event); met++)
        walk_event(w, &event);
    const struct jfr_type *types = jfr_chunk_types(chunk, &count);
    for (uint32_t i = 0; i < count; i++)
        counted += types[i].events;
    if (counted != met)
        fault("the types' counts do not add up to the events");
}

static bool same_field(const struct jfr_field *a, const struct jfr_field *b)
{
    return !strcmp(a->name, b->name) && !strcmp(a->label, b->label) && a->type->id == b->type->id && a->index == b->index &&
           a->array == b->array && a->pooled == b->pooled && a->is_unsigned == b->is_unsigned && a->unit == b->unit;
}

static bool same_type(const struct jfr_type *a, const struct jfr_type *b)
{
    bool same = a->id == b->id && !strcmp(a->name, b->name) && !strcmp(a->super, b->super) && !strcmp(a->label, b->label) &&
                !strcmp(a->category, b->category) && a->kind == b->kind && a->event == b->event && a->field_count == b->field_count &&
                a->min_size == b->min_size && a->varints == b->varints && a->texts == b->texts && a->events == b->events &&
                a->event_bytes == b->event_bytes && a->depth == b->depth && a->broken == b->broken;
    for (uint32_t i = 0; same && i < a->field_count; i++)
        same = same_field(&a->fields[i], &b->fields[i]);
    return same;
}

/* A chunk that is opened alone must have the same types. */
static void check_types(const struct jfr_file *file, uint32_t index, const struct jfr_chunk *chunk)
{
    struct jfr_chunk *alone;
    struct error e;
    uint32_t count, other;
    if (jfr_chunk_open(&alone, file, index, NULL, &e) || !alone)
        fault("a chunk cannot be opened by itself");
    const struct jfr_type *types = jfr_chunk_types(chunk, &count), *others = jfr_chunk_types(alone, &other);
    for (uint32_t i = 0; count == other && i < count; i++)
        if (!same_type(&types[i], &others[i]))
            fault("a type is another than in the chunk by itself");
    if (count != other)
        fault("there are other types than in the chunk by itself");
    jfr_chunk_close(alone);
}

int jfr_walk(const void *bytes, size_t size, struct jfr_walk *w)
{
    struct jfr_declared declared = {0};
    struct jfr_file *file;
    struct error e;
    *w = (struct jfr_walk){0};
    int rc = jfr_file_open_memory(&file, bytes, size, "test", &w->problems, &e);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < jfr_file_chunks(file); i++) {
        struct jfr_chunk *chunk;
        if (jfr_chunk_open_next(&chunk, file, i, &declared, &w->problems, &e))
            fault(e.text);
        if (chunk && i)
            check_types(file, i, chunk);
        if (chunk)
            walk_chunk(w, chunk);
        jfr_chunk_close(chunk);
    }
    jfr_declared_deinit(&declared);
    jfr_file_close(file);
    return 0;
}

int jfr_walk_copy(const void *bytes, size_t size, struct jfr_walk *w)
{
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, bytes, size);
    int rc = jfr_walk(copy, size, w);
    free(copy);
    return rc;
}

struct jfr_bytes jfr_bytes_of(const char *path)
{
    struct jfr_bytes b = {0};
    FILE *f = fopen(path, "rb");
    if (!f)
        return b;
    fseek(f, 0, SEEK_END);
    b.size = (size_t)ftell(f);
    rewind(f);
    b.data = malloc(b.size + 1);
    if (fread(b.data, 1, b.size, f) != b.size)
        b.size = 0;
    fclose(f);
    return b;
}
