/* What profiles are made of, by the names the JDK gave the fields; a recording without one of them just lacks that. */
#include "jfr/reader.h"

#include "jfr/reader_internal.h"

static uint64_t member_int(struct jfr_value v, const char *name)
{
    return (uint64_t)jfr_value_int(jfr_value_member(v, name));
}

static struct jfr_text member_text(struct jfr_value v, const char *name)
{
    return jfr_value_text(jfr_value_member(v, name));
}

bool jfr_thread_of(struct jfr_value thread, struct jfr_thread_info *out)
{
    *out = (struct jfr_thread_info){
        .os_name = member_text(thread, "osName"),
        .java_name = member_text(thread, "javaName"),
        .group = member_text(jfr_value_member(thread, "group"), "name"),
        .os_id = member_int(thread, "osThreadId"),
        .java_id = member_int(thread, "javaThreadId"),
        .is_virtual = member_int(thread, "virtual") != 0,
    };
    return !jfr_value_none(thread);
}

bool jfr_method_of(struct jfr_value method, struct jfr_method_info *out)
{
    struct jfr_text class_name = member_text(jfr_value_member(method, "type"), "name");
    *out = (struct jfr_method_info){
        .class_name = class_name.len ? jfr_text_replace(method.chunk, class_name, '/', '.') : class_name,
        .name = member_text(method, "name"),
        .descriptor = member_text(method, "descriptor"),
        .hidden = member_int(method, "hidden") != 0,
    };
    return !jfr_value_none(method);
}

bool jfr_stack_of(struct jfr_value trace, struct jfr_stack *out)
{
    struct jfr_value frames = jfr_value_member(trace, "frames");
    *out = (struct jfr_stack){
        .frames = jfr_array_of(frames),
        .truncated = member_int(trace, "truncated") != 0,
        .method = jfr_type_field(frames.type, "method"),
        .line = jfr_type_field(frames.type, "lineNumber"),
        .bci = jfr_type_field(frames.type, "bytecodeIndex"),
        .frame_type = jfr_type_field(frames.type, "type"),
    };
    return !jfr_value_none(trace);
}

bool jfr_stack_next(struct jfr_stack *s, struct jfr_frame_info *out)
{
    struct jfr_value frame;
    if (!jfr_array_next(&s->frames, &frame))
        return false;
    *out = (struct jfr_frame_info){
        .method_key = jfr_value_key(frame, s->method),
        .method = jfr_value_field(frame, s->method),
        .line = (int32_t)jfr_value_int(jfr_value_field(frame, s->line)),
        .bci = (int32_t)jfr_value_int(jfr_value_field(frame, s->bci)),
        .type = jfr_value_text(jfr_value_field(frame, s->frame_type)),
    };
    return true;
}
