#include "profile/load/load_holders.h"

#include "base/buffer.h"
#include "profile/allocated.h"
#include "profile/holders.h"
#include "profile/load/load_text.h"

#include <errno.h>
#include <string.h>

enum { STEPS_MAX = 512, STEP_BYTES_MAX = 1 << 14, MODIFIER_STATIC = 8 };

struct path {
    struct buffer text;
    size_t last, last_length;     /* the last step in the text */
    size_t holder, holder_length; /* the last static field */
    uint32_t steps;
    bool is_repeated, is_unread;
    bool full_names;
};

static struct jfr_text text_of(struct jfr_value v, const char *member)
{
    return jfr_value_text(jfr_value_member(v, member));
}

static void put_text(struct buffer *b, struct jfr_text text)
{
    buffer_put(b, text.bytes, text.len);
}

/* ---- steps ---- */

static void put_class(struct buffer *b, struct jfr_text name, bool full)
{
    if (name.len)
        allocated_put_class(b, name.bytes, name.len, full);
    else
        buffer_text(b, "[unknown class]");
}

/* Whether an object is a class. If so, *name is the class's name, which the JDK puts in the object's description. */
static bool is_class(struct jfr_value object, struct jfr_text *name)
{
    static const char before[] = "Class Name: ";
    size_t length = sizeof before - 1;
    *name = text_of(object, "description");
    if (!jfr_text_is(jfr_class_of(jfr_value_member(object, "type")), "java.lang.Class") || name->len <= length ||
        memcmp(name->bytes, before, length))
        return false;
    name->bytes += length;
    name->len -= length;
    return true;
}

/* Writes a reference, and returns whether it is a static field. A reference from a class that is not a static field is written with
 * ".class": com.shop.Orders.class.<class loader>. */
static bool put_reference(struct buffer *b, struct jfr_value reference, bool full)
{
    struct jfr_value holder = jfr_value_member(reference, "object"), field = jfr_value_member(reference, "field");
    struct jfr_text of;
    bool of_class = is_class(holder, &of);
    bool is_static = of_class && (jfr_value_int(jfr_value_member(field, "modifiers")) & MODIFIER_STATIC);
    put_class(b, of_class ? of : jfr_class_of(jfr_value_member(holder, "type")), full);
    if (of_class && !is_static)
        buffer_text(b, ".class");
    if (!jfr_value_none(field)) {
        buffer_u8(b, '.');
        put_text(b, text_of(field, "name"));
    } else if (!jfr_value_none(jfr_value_member(reference, "array"))) {
        buffer_text(b, " []");
    }
    if (is_static)
        buffer_text(b, " (static)");
    return is_static;
}

static bool is_the_last(const struct path *path, const void *step, size_t length)
{
    return path->steps && !path->text.failed && path->last_length == length && !memcmp(path->text.data + path->last, step, length);
}

static void add_step(struct path *path, const void *step, size_t length, bool is_static)
{
    if (is_the_last(path, step, length)) {
        if (!path->is_repeated)
            buffer_text(&path->text, " (repeated)");
        path->is_repeated = true;
        return;
    }
    if (path->steps++)
        buffer_text(&path->text, HOLDERS_BETWEEN);
    path->last = path->text.len;
    path->last_length = length;
    path->is_repeated = false;
    buffer_put(&path->text, step, length);
    if (is_static) {
        path->holder = path->last;
        path->holder_length = length;
    }
}

/* Whether the limit for the recording leaves room for more bytes. Repeated steps that are left out count, too, because reading them is
 * work. The memory order is relaxed, because the counter orders nothing else. */
static bool has_room(_Atomic uint64_t *read, size_t bytes)
{
    return atomic_fetch_add_explicit(read, bytes, memory_order_relaxed) <= LOAD_HOLDERS_FILE_BYTES;
}

static void add_steps(struct path *path, struct jfr_value object, _Atomic uint64_t *read)
{
    struct buffer step;
    buffer_init(&step, STEP_BYTES_MAX);
    for (int i = 0; i < STEPS_MAX && !path->is_unread; i++) {
        struct jfr_value reference = jfr_value_member(object, "referrer");
        if (jfr_value_none(reference))
            break;
        if (jfr_value_int(jfr_value_member(reference, "skip")) > 0)
            add_step(path, "...", 3, false);
        buffer_reset(&step);
        bool is_static = put_reference(&step, reference, path->full_names);
        path->is_unread = step.failed || path->text.failed || !has_room(read, step.len);
        if (!path->is_unread)
            add_step(path, step.data, step.len, is_static);
        object = jfr_value_member(reference, "object");
    }
    buffer_deinit(&step);
}

/* ---- the root ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void put_without_numbers(struct buffer *b, struct jfr_text text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!is_digit(text.bytes[i]))
            buffer_u8(b, (uint8_t)text.bytes[i]);
        else if (!i || !is_digit(text.bytes[i - 1]))
            buffer_u8(b, '*');
}

static void put_root(struct buffer *b, struct jfr_value root)
{
    static const char *const parts[] = {"system", "type", "description"};
    const char *before = "[";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct jfr_text text = text_of(root, parts[i]);
        if (!text.len || jfr_text_is(text, "<unknown>"))
            continue;
        buffer_text(b, before);
        put_without_numbers(b, text);
        before = ", ";
    }
    buffer_text(b, *before == '[' ? "[root]" : "]");
}

/* ---- labels ---- */

static int add_label(struct profile *p, const char *key, const void *text, size_t length, uint32_t *labels)
{
    struct profile_label label = {.parent = *labels};
    if (!length)
        return 0;
    if (profile_string(p, key, strlen(key), &label.key) || profile_string(p, text, length, &label.value))
        return -ENOMEM;
    return profile_label(p, &label, labels);
}

/* Writes the holder. A static field is the holder, even if the recording also has the path to the field's class. Without a static field,
 * the holder is the last field with its root. */
static void put_holder(struct buffer *b, const struct path *path, const struct buffer *root)
{
    if (path->holder_length) {
        buffer_put(b, path->text.data + path->holder, path->holder_length);
        return;
    }
    if (path->steps) {
        buffer_put(b, path->text.data + path->last, path->last_length);
        buffer_u8(b, ' ');
    }
    buffer_put(b, root->data, root->len);
}

static bool ends_static(const struct path *path)
{
    return path->holder_length && path->holder == path->last;
}

static int add_text(struct profile *p, const char *key, const struct buffer *text, uint32_t *labels)
{
    return add_label(p, key, text->data, text->len, labels);
}

static int add_labels(struct profile *p, struct path *path, const struct buffer *root, struct jfr_text outcome, uint32_t *labels)
{
    struct buffer holder;
    bool is_known = path->holder_length || root->len;
    buffer_init(&holder, LOAD_HOLDERS_PATH_BYTES);
    if (is_known)
        put_holder(&holder, path, root);
    if (root->len && !ends_static(path)) {
        buffer_text(&path->text, path->steps ? HOLDERS_BETWEEN : "");
        buffer_put(&path->text, root->data, root->len);
    }
    int rc;
    if (path->is_unread || path->text.failed || holder.failed) {
        rc = add_label(p, HOLDERS_NO_PATH, HOLDERS_UNREAD, sizeof HOLDERS_UNREAD - 1, labels);
    } else {
        rc = add_text(p, HOLDERS_PATH, &path->text, labels);
        rc = rc ? rc : add_text(p, HOLDERS_HOLDER, &holder, labels);
        if (!rc && !is_known && !jfr_text_is(outcome, HOLDERS_FOUND))
            rc = add_label(p, HOLDERS_NO_PATH, outcome.bytes, outcome.len, labels);
    }
    buffer_deinit(&holder);
    return rc;
}

int load_holders(struct profile *p, struct jfr_event *event, _Atomic uint64_t *read, uint32_t *labels)
{
    struct jfr_value root = jfr_event_value(event, jfr_type_field(event->type, "root"));
    struct jfr_text outcome = jfr_value_text(jfr_event_value(event, jfr_type_field(event->type, "path")));
    struct path path = {.full_names = p->full_names};
    struct buffer root_text;
    buffer_init(&path.text, LOAD_HOLDERS_PATH_BYTES);
    buffer_init(&root_text, LOAD_HOLDERS_PATH_BYTES);
    add_steps(&path, jfr_event_value(event, jfr_type_field(event->type, "object")), read);
    if (!jfr_value_none(root))
        put_root(&root_text, root);
    path.is_unread |= path.text.failed || root_text.failed || !has_room(read, root_text.len);
    int rc = add_labels(p, &path, &root_text, outcome, labels);
    buffer_deinit(&root_text);
    buffer_deinit(&path.text);
    return rc;
}
