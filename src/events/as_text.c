#include "events/as_text.h"

#include "base/text/utf8.h"
#include "events/as_text_number.h"

#include <inttypes.h>
#include <string.h>

static void put_value(struct as_text *w, struct jfr_value v, const struct jfr_field *f, int depth);

static void indent(struct as_text *w, int depth)
{
    fprintf(w->out, "%*s", 2 * depth, "");
}

static void put_plain(struct as_text *w, struct jfr_text text)
{
    utf8_write(w->out, text.bytes, text.len);
}

/* Whether a field is printed late. The place of an event is printed after the event's other fields, in all types. */
static bool is_late(const struct jfr_field *f)
{
    return !strcmp(f->name, "eventThread") || !strcmp(f->name, "stackTrace");
}

static void put_quoted(struct as_text *w, struct jfr_text text)
{
    fputc('"', w->out);
    for (size_t from = 0, at = 0; at <= text.len; at++) {
        bool end = at == text.len;
        char c = end ? 0 : text.bytes[at];
        if (!end && c != '"' && c != '\\' && c != '\n' && c != '\t' && c != '\r')
            continue;
        utf8_write(w->out, text.bytes + from, at - from);
        from = at + 1;
        if (!end)
            fprintf(w->out, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : c == '\r' ? 'r' : c);
    }
    fputc('"', w->out);
}

/* ---- types with a form of their own ---- */

static void put_thread(struct as_text *w, struct jfr_value v)
{
    struct jfr_thread_info t;
    jfr_thread_of(v, &t);
    put_quoted(w, t.java_name.len ? t.java_name : t.os_name);
    if (t.java_id)
        fprintf(w->out, " (javaThreadId = %" PRIu64 "%s)", t.java_id, t.is_virtual ? ", virtual" : "");
    else
        fprintf(w->out, " (osThreadId = %" PRIu64 ")", t.os_id);
}

static void put_dotted(struct as_text *w, const char *name, size_t len)
{
    for (size_t from = 0, at = 0; at <= len; at++)
        if (at == len || name[at] == '/') {
            utf8_write(w->out, name + from, at - from);
            from = at + 1;
            if (at < len)
                fputc('.', w->out);
        }
}

/* Prints the type "[Ljava/util/Map;" or "[[I" as in Java's sources. package: the package is kept. Returns the number of bytes that were
 * read. */
static size_t put_descriptor(struct as_text *w, const char *at, size_t len, bool package)
{
    static const char letters[] = "BCDFIJSZV";
    static const char *const words[] = {"byte", "char", "double", "float", "int", "long", "short", "boolean", "void"};
    size_t dimensions = 0, from, end;
    while (dimensions < len && at[dimensions] == '[')
        dimensions++;
    if (dimensions == len)
        return len;
    const char *primitive = strchr(letters, at[dimensions]);
    from = end = dimensions + 1;
    if (primitive && *primitive) {
        fputs(words[primitive - letters], w->out);
    } else {
        while (end < len && at[end] != ';') {
            end++;
            if (!package && at[end - 1] == '/')
                from = end;
        }
        put_dotted(w, at + from, end - from);
        end += end < len;
    }
    while (dimensions--)
        fputs("[]", w->out);
    return end;
}

static void put_class_name(struct as_text *w, struct jfr_text name)
{
    if (name.len && *name.bytes == '[')
        put_descriptor(w, name.bytes, name.len, true);
    else
        put_dotted(w, name.bytes, name.len);
}

static void put_class(struct as_text *w, struct jfr_value v)
{
    struct jfr_text loader = jfr_value_text(jfr_value_member(jfr_value_member(v, "classLoader"), "name"));
    put_class_name(w, jfr_value_text(jfr_value_member(v, "name")));
    if (loader.len) {
        fputs(" (classLoader = ", w->out);
        put_plain(w, loader);
        fputc(')', w->out);
    }
}

static void put_loader(struct as_text *w, struct jfr_value v)
{
    struct jfr_value type = jfr_value_member(v, "type");
    struct jfr_text name = jfr_value_text(jfr_value_member(v, "name"));
    if (jfr_value_none(type)) {
        put_plain(w, name);
        return;
    }
    put_class_name(w, jfr_value_text(jfr_value_member(type, "name")));
    if (name.len) {
        fputs(" (name = ", w->out);
        put_plain(w, name);
        fputc(')', w->out);
    }
}

static void put_method(struct as_text *w, struct jfr_value v)
{
    struct jfr_method_info m;
    jfr_method_of(v, &m);
    if (m.class_name.len) {
        put_plain(w, m.class_name);
        fputc('.', w->out);
    }
    put_plain(w, m.name);
    if (m.descriptor.len < 2 || *m.descriptor.bytes != '(')
        return;
    const char *at = m.descriptor.bytes + 1, *end = m.descriptor.bytes + m.descriptor.len;
    fputc('(', w->out);
    for (bool first = true; at < end && *at != ')'; first = false) {
        if (!first)
            fputs(", ", w->out);
        at += put_descriptor(w, at, (size_t)(end - at), false);
    }
    fputc(')', w->out);
}

static void put_frame(struct as_text *w, struct jfr_frame_info *frame)
{
    static const char *const plain[] = {"Interpreted", "JIT compiled", "Inlined"};
    bool told = false;
    put_method(w, frame->method);
    if (frame->line > 0)
        fprintf(w->out, " line: %d", frame->line);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        told |= frame->type.len == strlen(plain[i]) && !memcmp(frame->type.bytes, plain[i], frame->type.len);
    if (told && !w->exact)
        return;
    fputs(" (", w->out);
    put_plain(w, frame->type);
    fputc(')', w->out);
}

static void put_stack(struct as_text *w, struct jfr_value v, int depth)
{
    struct jfr_stack stack;
    struct jfr_frame_info frame;
    uint32_t i = 0;
    jfr_stack_of(v, &stack);
    fputs("[\n", w->out);
    for (; (!w->stack_depth || i < w->stack_depth) && jfr_stack_next(&stack, &frame); i++) {
        indent(w, depth + 1);
        put_frame(w, &frame);
        fputc('\n', w->out);
    }
    if (stack.frames.left || stack.truncated) {
        indent(w, depth + 1);
        fputs("...\n", w->out);
    }
    indent(w, depth);
    fputc(']', w->out);
}

/* ---- any value ---- */

static void put_array(struct as_text *w, struct jfr_value v, const struct jfr_field *f, int depth)
{
    struct jfr_value element;
    fputc('[', w->out);
    bool first = true;
    for (struct jfr_array a = jfr_array_of(v); w->values < AS_TEXT_VALUES_MAX && jfr_array_next(&a, &element); first = false) {
        fputs(first ? "" : ", ", w->out);
        put_value(w, element, f, depth);
    }
    fputc(']', w->out);
}

static void put_field(struct as_text *w, const struct jfr_field *f, struct jfr_value v, int depth)
{
    indent(w, depth);
    fprintf(w->out, "%s = ", f->name);
    put_value(w, v, f, depth);
    fputc('\n', w->out);
}

static void put_members(struct as_text *w, struct jfr_value v, int depth)
{
    fputs("{\n", w->out);
    for (uint32_t i = 0; i < v.type->field_count; i++)
        put_field(w, &v.type->fields[i], jfr_value_field(v, &v.type->fields[i]), depth + 1);
    indent(w, depth);
    fputc('}', w->out);
}

static void put_struct(struct as_text *w, struct jfr_value v, int depth)
{
    const char *name = v.type->name;
    if (v.type->simple && v.type->field_count == 1)
        put_value(w, jfr_value_field(v, &v.type->fields[0]), &v.type->fields[0], depth);
    else if (!strcmp(name, "java.lang.Thread"))
        put_thread(w, v);
    else if (!strcmp(name, "java.lang.Class"))
        put_class(w, v);
    else if (!strcmp(name, "jdk.types.ClassLoader"))
        put_loader(w, v);
    else if (!strcmp(name, "jdk.types.Method"))
        put_method(w, v);
    else if (!strcmp(name, "jdk.types.StackTrace"))
        put_stack(w, v, depth);
    else
        put_members(w, v, depth);
}

static void put_value(struct as_text *w, struct jfr_value v, const struct jfr_field *f, int depth)
{
    if (jfr_value_none(v))
        fputs("N/A", w->out);
    else if (depth > AS_TEXT_DEPTH_MAX || w->values++ >= AS_TEXT_VALUES_MAX)
        fputs("...", w->out);
    else if (v.array)
        put_array(w, v, f, depth + 1);
    else if (v.type->kind == JFR_KIND_STRUCT)
        put_struct(w, v, depth);
    else if (v.type->kind == JFR_KIND_STRING)
        put_quoted(w, jfr_value_text(v));
    else if (v.type->kind == JFR_KIND_BOOLEAN)
        fputs(jfr_value_int(v) ? "true" : "false", w->out);
    else
        as_text_number(w->out, v, f, w->exact);
}

/* Whether a field is left out. An event with the duration 0 took no time, and a missing thread or stack means that the event has none. */
static bool says_nothing(const struct jfr_field *f, struct jfr_value v)
{
    return is_late(f) ? jfr_value_none(v) : !strcmp(f->name, "duration") && !jfr_value_int(v);
}

static void put_fields(struct as_text *w, struct jfr_event *event, bool late)
{
    for (uint32_t i = 0; i < event->type->field_count; i++) {
        const struct jfr_field *f = &event->type->fields[i];
        struct jfr_value v = jfr_event_value(event, f);
        if (is_late(f) == late && !says_nothing(f, v))
            put_field(w, f, v, 1);
    }
}

void as_text_event(struct as_text *w, struct jfr_event *event)
{
    w->values = 0;
    fprintf(w->out, "%s {\n", event->type->name);
    put_fields(w, event, false);
    put_fields(w, event, true);
    fputs("}\n\n", w->out);
}
