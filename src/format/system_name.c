#include "format/system_name.h"

#include "format/import.h"

#include <errno.h>
#include <string.h>

static bool is_java(const struct profile *p, const struct profile_method *m)
{
    const char *descriptor = profile_text(p, m->descriptor);
    return m->class_name && *descriptor == '(' && strcmp(descriptor, JFR_NO_DESCRIPTOR);
}

static bool has_library(const struct profile *p, const struct profile_method *m)
{
    return m->class_name && !strcmp(profile_text(p, m->descriptor), JFR_NO_DESCRIPTOR);
}

const char *system_name_library(const struct profile *p, const struct profile_frame *f)
{
    const struct profile_method *m = &p->methods[f->method];
    return f->type == JFR_FRAME_NATIVE && has_library(p, m) ? profile_text(p, m->class_name) : NULL;
}

void system_name_put(struct buffer *out, const struct profile *p, const struct profile_frame *f)
{
    const struct profile_method *m = &p->methods[f->method];
    if (f->type == JFR_FRAME_FAILED || !(is_java(p, m) || has_library(p, m))) {
        buffer_text(out, profile_text(p, f->label));
    } else {
        buffer_text(out, profile_text(p, m->class_name));
        buffer_text(out, is_java(p, m) ? "." : "!");
        buffer_text(out, profile_text(p, m->name));
        buffer_text(out, is_java(p, m) ? profile_text(p, m->descriptor) : "");
    }
    buffer_u8(out, 0);
}

static int make(struct profile *p, struct system_name_text class_text, struct system_name_text name, struct system_name_text descriptor,
                uint32_t *method)
{
    uint32_t class_id, name_id, descriptor_id;
    if (profile_string(p, class_text.bytes, class_text.len, &class_id) || profile_string(p, name.bytes, name.len, &name_id) ||
        profile_string(p, descriptor.bytes, descriptor.len, &descriptor_id))
        return -ENOMEM;
    return profile_method(p, class_id, name_id, descriptor_id, method);
}

static struct system_name_text from(struct system_name_text t, size_t at)
{
    at = at < t.len ? at : t.len;
    return (struct system_name_text){t.bytes + at, t.len - at};
}

static struct system_name_text until(struct system_name_text t, size_t at)
{
    return (struct system_name_text){t.bytes, at < t.len ? at : t.len};
}

static bool starts(struct system_name_text t, struct system_name_text with)
{
    return t.len >= with.len && !memcmp(t.bytes, with.bytes, with.len);
}

int system_name_frame(struct profile *p, struct system_name_text name, struct system_name_text system, int32_t line, uint32_t bci,
                      uint8_t type, uint32_t *frame)
{
    static const struct system_name_text none = {JFR_NO_DESCRIPTOR, sizeof JFR_NO_DESCRIPTOR - 1};
    const char *dot = memrchr(name.bytes, '.', name.len), *bracket = memchr(name.bytes, ']', name.len);
    size_t bang = system.len > name.len ? system.len - name.len - 1 : 0;
    struct system_name_text rest = from(system, name.len);
    uint32_t method;
    int rc;
    if (type == JFR_FRAME_FAILED && name.len && name.bytes[0] == '[' && bracket) {
        size_t reason = (size_t)(bracket - name.bytes);
        rc = make(p, until(from(name, 1), reason - 1), from(name, reason + 2), (struct system_name_text){"", 0}, &method);
    } else if (dot && starts(system, name) && rest.len && rest.bytes[0] == '(') {
        size_t at = (size_t)(dot - name.bytes);
        rc = make(p, until(name, at), from(name, at + 1), rest, &method);
    } else if (name.len && bang && system.bytes[bang] == '!' && starts(from(system, bang + 1), name)) {
        rc = make(p, until(system, bang), name, none, &method);
    } else {
        return import_frame(p, name.bytes, name.len, line, type, frame);
    }
    return rc ? rc : profile_frame(p, method, line, bci, type, frame);
}
