/* The reader, on a chunk written by hand: every kind of field, every string encoding, and everything that is resolved.
 * tier: quick
 * timeout: 20
 * aarch64: yes */
#include "jfr_craft.h"

#include "../tap.h"
#include "jfr/read/reader.h"

#include <string.h>

static struct jfr_event find(struct jfr_chunk *chunk, const char *name)
{
    const struct jfr_type *type = jfr_chunk_type(chunk, name);
    struct jfr_event event = {0};
    for (struct jfr_cursor cursor = jfr_cursor_init(chunk); jfr_cursor_next(&cursor, &event) && event.type != type;)
        ;
    return event;
}

static struct jfr_value field(struct jfr_event *event, const char *name)
{
    return jfr_event_value(event, jfr_type_field(event->type, name));
}

static bool same(struct jfr_text text, const char *expected)
{
    return text.len == strlen(expected) && !memcmp(text.bytes, expected, text.len);
}

static void test_encodings(struct jfr_chunk *chunk)
{
    struct jfr_event event = find(chunk, "text.Encodings");
    for (uint32_t i = 0; i < CRAFT_ENCODINGS; i++) {
        const struct jfr_field *f = &event.type->fields[i];
        struct jfr_text text = jfr_value_text(jfr_event_value(&event, f));
        tap_ok(same(text, craft_encoding_texts[i]), "string, %s: \"%.*s\"", f->name, (int)text.len, text.bytes);
        tap_ok(jfr_value_text(jfr_event_value(&event, f)).bytes == text.bytes || !text.len, "... and again the same");
    }
    tap_ok(jfr_value_none(field(&event, "null")) && !jfr_value_none(field(&event, "empty")), "null is none, empty is not");
}

static void test_numbers(struct jfr_event *e)
{
    tap_ok(jfr_value_int(field(e, "short")) == -2, "a short is signed");
    tap_ok(jfr_value_int(field(e, "char")) == 0xfffe, "a char is not");
    tap_ok(jfr_value_int(field(e, "byte")) == -3, "a byte is");
    tap_ok(jfr_value_int(field(e, "boolean")) == 1, "boolean");
    tap_ok(jfr_value_number(field(e, "float")) == 1.5 && jfr_value_int(field(e, "float")) == 1, "float");
    tap_ok(jfr_value_number(field(e, "double")) == -2.5 && jfr_value_int(field(e, "double")) == -2, "double");
    tap_ok(jfr_value_int(field(e, "unsigned")) == 0xfffffffe, "an int marked unsigned");
    tap_ok(jfr_event_epoch_ns(e) == CRAFT_START_NS + 7000, "time of the event, from ticks");
    tap_ok(jfr_type_field(e->type, "startTime")->unit == JFR_UNIT_TIMESTAMP_TICKS, "unit by annotation");
}

static void test_structs(struct jfr_event *e)
{
    struct jfr_value point = field(e, "point"), element;
    tap_ok(jfr_value_int(jfr_value_member(point, "x")) == 3 && jfr_value_int(jfr_value_member(point, "y")) == -4,
           "members around an empty struct");
    int64_t sum = 0, n = 0;
    for (struct jfr_array a = jfr_array_of(field(e, "points")); jfr_array_next(&a, &element); n++)
        sum = sum * 100 + jfr_value_int(jfr_value_member(element, "x")) + jfr_value_int(jfr_value_member(element, "y"));
    tap_ok(n == 2 && sum == 2125, "array of structs");
    char text[64] = "";
    for (struct jfr_array a = jfr_array_of(field(e, "symbols")); jfr_array_next(&a, &element);) {
        struct jfr_text t = jfr_value_text(element);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%.*s ", (int)t.len, t.bytes);
    }
    tap_ok(!strcmp(text, "app/Main run ()V "), "array of references");
    struct jfr_array nothings = jfr_array_of(field(e, "nothings"));
    tap_ok(!jfr_array_next(&nothings, &element), "2^60 elements without content are none");
}

static void test_none(struct jfr_event *e)
{
    struct jfr_value none = field(e, "no such field"), element;
    struct jfr_array a = jfr_array_of(none);
    struct jfr_thread_info thread;
    struct jfr_method_info method;
    struct jfr_stack stack;
    tap_ok(jfr_value_none(none) && jfr_value_none(jfr_value_member(none, "x")), "members of none are none");
    tap_ok(!jfr_value_int(none) && jfr_value_number(none) == 0 && !jfr_value_text(none).len, "none is 0 and empty");
    tap_ok(!jfr_array_next(&a, &element), "none has no elements");
    tap_ok(!jfr_thread_of(none, &thread) && !jfr_method_of(none, &method) && !jfr_stack_of(none, &stack),
           "none is no thread, method or stack trace");
    tap_ok(!jfr_value_int(field(e, "points")) && !jfr_value_text(field(e, "double")).len, "accessors of other kinds");
}

static void test_resolved(struct jfr_chunk *chunk)
{
    struct jfr_event e = find(chunk, "jdk.ExecutionSample");
    struct jfr_thread_info t;
    struct jfr_method_info m;
    struct jfr_stack stack;
    struct jfr_frame_info frame;
    tap_ok(jfr_event_key(&e, jfr_type_field(e.type, "sampledThread")) == 1, "key of a reference");
    tap_ok(jfr_thread_of(field(&e, "sampledThread"), &t) && same(t.os_name, "os") && same(t.java_name, "java") && same(t.group, "ring") &&
               t.os_id == 5 && t.java_id == 6,
           "thread by the first of its names, its group containing itself");
    tap_ok(jfr_stack_of(field(&e, "stackTrace"), &stack) && stack.truncated, "stack trace, truncated");
    tap_ok(jfr_stack_next(&stack, &frame) && frame.line == 12 && frame.bci == 3 && frame.method_key == 1 && same(frame.type, "Inlined"),
           "leaf frame");
    tap_ok(jfr_method_of(frame.method, &m) && same(m.class_name, "app.Main") && same(m.name, "run") && same(m.descriptor, "()V") &&
               !m.hidden,
           "method, its class with dots");
    tap_ok(jfr_stack_next(&stack, &frame) && frame.line == 13 && !jfr_stack_next(&stack, &frame), "second and last frame");
}

#define LONG_NAME "a.name.that.is.longer.than.those.that.are.compared.as.a.whole.when.fields.are.sorted"

/* If this many fields were looked up this many times one by one, it would take a minute. */
static void test_many_fields(void)
{
    enum { INT = 10, WIDE = 100, FIELDS = 100000, LOOKS = 200000 };
    static const struct craft_type types[] = {
        {INT, "int"},
        {WIDE,
         "test.Wide",
         "jdk.jfr.Event",
         {{"x", INT}, {"x2", INT}, {"wanted", INT}, {"wanted", INT}, {LONG_NAME, INT}, {LONG_NAME ".2", INT}},
         .repeated = FIELDS}};
    struct buffer b;
    struct jfr_file *file;
    struct jfr_chunk *chunk;
    struct error e;
    buffer_init(&b, 4 << 20);
    craft_end(&b, craft_begin(&b, types, sizeof types / sizeof *types));
    if (!tap_ok(!jfr_file_open_memory(&file, b.data, b.len, "wide", NULL, &e) && !jfr_chunk_open(&chunk, file, 0, NULL, &e) && chunk,
                "an event of %d fields", FIELDS))
        return;
    const struct jfr_type *type = jfr_chunk_type(chunk, "test.Wide");
    const struct jfr_field *wanted = jfr_type_field(type, "wanted");
    tap_ok(type->field_count == FIELDS + 5 && wanted && wanted->index == FIELDS + 1, "of two of a name the first is found");
    tap_ok(jfr_type_field(type, "x")->index == 0 && jfr_type_field(type, "x2")->index == FIELDS, "and of many");
    tap_ok(jfr_type_field(type, LONG_NAME)->index == FIELDS + 3 && jfr_type_field(type, LONG_NAME ".2")->index == FIELDS + 4,
           "and of long names the right one");
    tap_ok(!jfr_type_field(type, "") && !jfr_type_field(type, "y") && !jfr_type_field(type, LONG_NAME ".3"), "and none of others");
    uint32_t found = 0;
    for (int i = 0; i < LOOKS; i++)
        found += jfr_type_field(type, "wanted") == wanted;
    tap_ok(found == LOOKS, "each time");
    jfr_chunk_close(chunk);
    jfr_file_close(file);
    buffer_deinit(&b);
}

/* In any order of its fields. */
static void test_method_keys(void)
{
    enum { INT = 10, BOOLEAN, STRING, SYMBOL, CLASS, METHOD, EVENT };
    static const struct craft_type types[] = {
        {INT, "int"},
        {BOOLEAN, "boolean"},
        {STRING, "java.lang.String"},
        {SYMBOL, "jdk.types.Symbol", "", {{"string", STRING}}},
        {CLASS, "java.lang.Class", "", {{"name", SYMBOL, true}}},
        {METHOD,
         "jdk.types.Method",
         "",
         {{"modifiers", INT}, {"descriptor", SYMBOL, true}, {"hidden", BOOLEAN}, {"name", SYMBOL, true}, {"type", CLASS, true}}},
    };
    struct buffer b;
    struct jfr_file *file;
    struct jfr_chunk *chunk = NULL;
    uint64_t keys[JFR_METHOD_PARTS] = {0};
    buffer_init(&b, 1 << 20);
    size_t start = craft_begin(&b, types, sizeof types / sizeof *types);
    size_t event = craft_pool(&b, METHOD, 1);
    for (const uint64_t *v = (const uint64_t[]){5, 1, 300, 0}; *v; v++) /* key, modifiers, descriptor */
        buffer_varint(&b, *v);
    buffer_u8(&b, 0x80); /* hidden: a byte, not an integer that continues */
    buffer_varint(&b, 400);
    buffer_varint(&b, 50000);
    craft_event_end(&b, event);
    craft_end(&b, start);
    bool opened =
        !jfr_file_open_memory(&file, b.data, b.len, "methods", NULL, NULL) && !jfr_chunk_open(&chunk, file, 0, NULL, NULL) && chunk;
    tap_ok(opened && jfr_method_keys(jfr_pool_get(chunk, jfr_chunk_type(chunk, "jdk.types.Method"), 5), keys) &&
               keys[JFR_METHOD_CLASS] == 50000 && keys[JFR_METHOD_NAME] == 400 && keys[JFR_METHOD_DESCRIPTOR] == 300,
           "the keys of a method, whatever the order of its fields");
    jfr_chunk_close(chunk);
    jfr_file_close(file);
    buffer_deinit(&b);
}

int main(void)
{
    struct buffer b;
    struct jfr_file *file;
    struct jfr_chunk *chunk;
    struct jfr_problems problems = {0};
    struct error e;
    buffer_init(&b, 1 << 20);
    craft_everything(&b);
    tap_ok(!jfr_file_open_memory(&file, b.data, b.len, "crafted", &problems, &e), "opens");
    tap_ok(!jfr_chunk_open(&chunk, file, 0, &problems, &e) && chunk, "one chunk");
    tap_ok(!problems.count && jfr_chunk_get_info(chunk)->whole, "no problems: %s", problems.list[0].text);
    struct jfr_event kinds = find(chunk, "test.Kinds");
    test_encodings(chunk);
    test_numbers(&kinds);
    test_structs(&kinds);
    test_none(&kinds);
    test_resolved(chunk);
    jfr_chunk_close(chunk);
    jfr_file_close(file);
    buffer_deinit(&b);
    test_many_fields();
    test_method_keys();
    return tap_done();
}
