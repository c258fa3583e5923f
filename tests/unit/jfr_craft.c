#include "jfr_craft.h"

#include "base/time_units.h"

#include <stdio.h>
#include <string.h>

/* ---- metadata ---- */

struct names {
    const char *text[256];
    unsigned count;
};

static unsigned index_of(struct names *n, const char *text)
{
    unsigned i = 0;
    while (i < n->count && strcmp(n->text[i], text))
        i++;
    if (i == n->count)
        n->text[n->count++] = text;
    return i;
}

static void put_attribute(struct buffer *b, struct names *n, const char *name, const char *value)
{
    buffer_varint(b, index_of(n, name));
    buffer_varint(b, index_of(n, value));
}

/* Type ids as text, one for each number a test may use. */
static const char *number_text(unsigned n)
{
    static char texts[4096][8];
    snprintf(texts[n % 4096], sizeof texts[0], "%u", n);
    return texts[n % 4096];
}

static void put_field(struct buffer *b, struct names *n, const struct craft_field *f)
{
    buffer_varint(b, index_of(n, "field"));
    buffer_varint(b, 2u + f->pooled + f->array);
    put_attribute(b, n, "name", f->name);
    put_attribute(b, n, "class", number_text(f->type));
    if (f->pooled)
        put_attribute(b, n, "constantPool", "true");
    if (f->array)
        put_attribute(b, n, "dimension", "1");
    buffer_varint(b, f->annotation ? 1 : 0);
    if (!f->annotation)
        return;
    buffer_varint(b, index_of(n, "annotation"));
    buffer_varint(b, f->value ? 2 : 1);
    put_attribute(b, n, "class", f->annotation);
    if (f->value)
        put_attribute(b, n, "value", f->value);
    buffer_varint(b, 0);
}

static void put_type(struct buffer *b, struct names *n, const struct craft_type *t)
{
    unsigned fields = 0, repeated = t->repeated ? t->repeated - 1 : 0;
    while (t->fields[fields].name)
        fields++;
    buffer_varint(b, index_of(n, "class"));
    buffer_varint(b, t->super ? 3 : 2);
    put_attribute(b, n, "name", t->name);
    put_attribute(b, n, "id", number_text(t->id));
    if (t->super)
        put_attribute(b, n, "superType", t->super);
    buffer_varint(b, repeated + fields);
    for (unsigned i = 0; i < repeated; i++)
        put_field(b, n, &t->fields[0]);
    for (unsigned i = 0; i < fields; i++)
        put_field(b, n, &t->fields[i]);
}

static void put_element(struct buffer *b, struct names *n, const char *name, uint64_t children)
{
    buffer_varint(b, index_of(n, name));
    buffer_varint(b, 0);
    buffer_varint(b, children);
}

static void put_metadata(struct buffer *b, const struct craft_type *types, size_t count)
{
    struct names names = {0};
    struct buffer tree;
    buffer_init(&tree, 1 << 20);
    put_element(&tree, &names, "root", 2);
    put_element(&tree, &names, "metadata", count);
    for (size_t i = 0; i < count; i++)
        put_type(&tree, &names, &types[i]);
    put_element(&tree, &names, "region", 0);

    size_t event = craft_event(b, 0);
    for (int i = 0; i < 3; i++) /* start, duration, id */
        buffer_varint(b, 1);
    buffer_varint(b, names.count);
    for (unsigned i = 0; i < names.count; i++)
        craft_text(b, names.text[i]);
    buffer_put(b, tree.data, tree.len);
    craft_event_end(b, event);
    buffer_deinit(&tree);
}

/* ---- chunk ---- */

size_t craft_begin(struct buffer *b, const struct craft_type *types, size_t count)
{
    size_t chunk = b->len;
    buffer_put(b, "FLR\0\0\2\0\0", 8);
    buffer_be64(b, 0);  /* size */
    buffer_be64(b, 0);  /* last checkpoint: this reader searches for it itself */
    buffer_be64(b, 68); /* metadata */
    buffer_be64(b, CRAFT_START_NS);
    buffer_be64(b, NS_PER_S);
    buffer_be64(b, CRAFT_START_TICKS);
    buffer_be64(b, 1000000);
    buffer_be32(b, 1);
    put_metadata(b, types, count);
    return chunk;
}

size_t craft_event(struct buffer *b, unsigned type)
{
    size_t event = b->len;
    buffer_be32(b, 0);
    buffer_varint(b, type);
    return event;
}

void craft_event_end(struct buffer *b, size_t event)
{
    buffer_patch_varint4(b, event, (uint32_t)(b->len - event));
}

size_t craft_pool(struct buffer *b, unsigned type, uint64_t count)
{
    size_t event = craft_event(b, 1);
    for (int i = 0; i < 4; i++) /* start, duration, distance, kind */
        buffer_u8(b, 0);
    buffer_varint(b, 1);
    buffer_varint(b, type);
    buffer_varint(b, count);
    return event;
}

void craft_text(struct buffer *b, const char *text)
{
    size_t n = strlen(text);
    buffer_u8(b, n ? 3 : 1);
    if (!n)
        return;
    buffer_varint(b, n);
    buffer_put(b, text, n);
}

void craft_end(struct buffer *b, size_t chunk)
{
    uint64_t size = b->len - chunk;
    for (int i = 0; i < 8; i++)
        b->data[chunk + 8 + (size_t)i] = (uint8_t)(size >> (56 - 8 * i));
}

/* ---- a chunk with everything ---- */

enum {
    C_LONG = 2,
    C_INT,
    C_SHORT,
    C_CHAR,
    C_BYTE,
    C_BOOLEAN,
    C_FLOAT,
    C_DOUBLE,
    C_STRING,
    C_SYMBOL,
    C_CLASS,
    C_METHOD,
    C_FRAME_TYPE,
    C_FRAME,
    C_TRACE,
    C_GROUP,
    C_THREAD,
    C_EMPTY,
    C_POINT,
    C_TIMESTAMP,
    C_UNSIGNED,
    C_SAMPLE,
    C_ENCODINGS,
    C_KINDS,
};

#define EVENT      "jdk.jfr.Event"
#define ANNOTATION "java.lang.annotation.Annotation"
#define START                                                                                                                              \
    {                                                                                                                                      \
        "startTime", C_LONG, .annotation = "21", .value = "TICKS"                                                                          \
    }

static const struct craft_type everything[] = {
    {C_LONG, "long"},
    {C_INT, "int"},
    {C_SHORT, "short"},
    {C_CHAR, "char"},
    {C_BYTE, "byte"},
    {C_BOOLEAN, "boolean"},
    {C_FLOAT, "float"},
    {C_DOUBLE, "double"},
    {C_STRING, "java.lang.String"},
    {C_SYMBOL, "jdk.types.Symbol", NULL, {{"string", C_STRING}}},
    {C_CLASS, "java.lang.Class", NULL, {{"name", C_SYMBOL, true}}},
    {C_METHOD,
     "jdk.types.Method",
     NULL,
     {{"type", C_CLASS, true}, {"name", C_SYMBOL, true}, {"descriptor", C_SYMBOL, true}, {"hidden", C_BOOLEAN}}},
    {C_FRAME_TYPE, "jdk.types.FrameType", NULL, {{"description", C_STRING}}},
    {C_FRAME,
     "jdk.types.StackFrame",
     NULL,
     {{"method", C_METHOD, true}, {"lineNumber", C_INT}, {"bytecodeIndex", C_INT}, {"type", C_FRAME_TYPE, true}}},
    {C_TRACE, "jdk.types.StackTrace", NULL, {{"truncated", C_BOOLEAN}, {"frames", C_FRAME, false, true}}},
    {C_GROUP, "jdk.types.ThreadGroup", NULL, {{"parent", C_GROUP, true}, {"name", C_STRING}}},
    {C_THREAD,
     "java.lang.Thread",
     NULL,
     {{"osName", C_STRING}, {"osThreadId", C_LONG}, {"javaName", C_STRING}, {"javaThreadId", C_LONG}, {"group", C_GROUP, true}}},
    {C_EMPTY, "test.Empty"},
    {C_POINT, "test.Point", NULL, {{"x", C_INT}, {"nothing", C_EMPTY}, {"y", C_INT}}},
    {C_TIMESTAMP, "jdk.jfr.Timestamp", ANNOTATION, {{"value", C_STRING}}},
    {C_UNSIGNED, "jdk.jfr.Unsigned", ANNOTATION},
    {C_SAMPLE, "jdk.ExecutionSample", EVENT, {START, {"sampledThread", C_THREAD, true}, {"stackTrace", C_TRACE, true}}},
    {C_ENCODINGS,
     "text.Encodings",
     EVENT,
     {{"null", C_STRING},
      {"empty", C_STRING},
      {"pool", C_STRING},
      {"utf8", C_STRING},
      {"jvm", C_STRING},
      {"broken", C_STRING},
      {"chars", C_STRING},
      {"latin1", C_STRING},
      {"circle", C_STRING}}},
    {C_KINDS,
     "test.Kinds",
     EVENT,
     {START,
      {"short", C_SHORT},
      {"char", C_CHAR},
      {"byte", C_BYTE},
      {"boolean", C_BOOLEAN},
      {"float", C_FLOAT},
      {"double", C_DOUBLE},
      {"point", C_POINT},
      {"points", C_POINT, false, true},
      {"symbols", C_SYMBOL, true, true},
      {"nothings", C_EMPTY, false, true},
      {"unsigned", C_INT, .annotation = "22"}}},
};

const char *const craft_encoding_texts[CRAFT_ENCODINGS] = {
    "", "", "pooled", "größe", "a\xf0\x9d\x84\x9e z", "x\xef\xbf\xbdy\xef\xbf\xbd", "日\xf0\x9d\x84\x9e!", "naïve", ""};

static void put_sized(struct buffer *b, uint8_t encoding, const char *bytes)
{
    buffer_u8(b, encoding);
    buffer_varint(b, strlen(bytes));
    buffer_put(b, bytes, strlen(bytes));
}

static void put_encodings(struct buffer *b)
{
    size_t event = craft_event(b, C_ENCODINGS);
    buffer_u8(b, 0);
    buffer_u8(b, 1);
    buffer_u8(b, 2);
    buffer_varint(b, 1);
    put_sized(b, 3, "größe");
    put_sized(b, 3, "a\xed\xa0\xb4\xed\xb4\x9e z"); /* surrogates of three bytes each */
    put_sized(b, 3, "x\xffy\xe6");                  /* an invalid byte, and a character that is cut off */
    buffer_u8(b, 4);
    buffer_varint(b, 4);
    for (const uint32_t *c = (const uint32_t[]){0x65e5, 0xd834, 0xdd1e, '!', 0}; *c; c++)
        buffer_varint(b, *c);
    put_sized(b, 5, "na\xefve");
    buffer_u8(b, 2);
    buffer_varint(b, 2);
    craft_event_end(b, event);
}

static void put_kinds(struct buffer *b)
{
    size_t event = craft_event(b, C_KINDS);
    buffer_varint(b, CRAFT_START_TICKS + 7);
    buffer_varint(b, (uint16_t)-2);
    buffer_varint(b, 0xfffe);
    buffer_u8(b, 0xfd);
    buffer_u8(b, 1);
    buffer_be32(b, 0x3fc00000);            /* 1.5f */
    buffer_be64(b, 0xc004000000000000ull); /* -2.5 */
    buffer_varint(b, 3);
    buffer_varint(b, (uint32_t)-4);
    buffer_varint(b, 2);
    for (uint32_t i = 10; i < 14; i++)
        buffer_varint(b, i);
    buffer_varint(b, 3);
    for (uint32_t key = 1; key <= 3; key++)
        buffer_varint(b, key);
    buffer_varint(b, 1ull << 60); /* elements without content, of which a file may claim any number */
    buffer_varint(b, 0xfffffffe);
    craft_event_end(b, event);
}

static void put_pools(struct buffer *b)
{
    static const char *const symbols[] = {"app/Main", "run", "()V"};
    size_t event = craft_pool(b, C_SYMBOL, 3);
    for (unsigned i = 0; i < 3; i++) {
        buffer_varint(b, i + 1);
        craft_text(b, symbols[i]);
    }
    craft_event_end(b, event);
    event = craft_pool(b, C_STRING, 2);
    buffer_varint(b, 1);
    craft_text(b, "pooled");
    buffer_varint(b, 2);
    buffer_u8(b, 2); /* refers to itself */
    buffer_varint(b, 2);
    craft_event_end(b, event);
#define ENTRY(type, bytes)                                                                                                                 \
    {                                                                                                                                      \
        type, bytes, sizeof bytes - 1                                                                                                      \
    }
    static const struct {
        unsigned type;
        const char *bytes;
        size_t size;
    } pools[] = {ENTRY(C_CLASS, "\1\1"),
                 ENTRY(C_METHOD, "\1\1\2\3\0"),
                 ENTRY(C_FRAME_TYPE, "\1\3\7Inlined"),
                 ENTRY(C_TRACE, "\1\1\2\1\14\3\1\1\15\4\1"),
                 ENTRY(C_GROUP, "\1\1\3\4ring"),
                 ENTRY(C_THREAD, "\1\3\2os\5\3\4java\6\1"),
                 ENTRY(C_THREAD, "\1\3\3new\5\0\6\1")}; /* renamed */
    for (size_t i = 0; i < sizeof pools / sizeof pools[0]; i++) {
        event = craft_pool(b, pools[i].type, 1);
        buffer_put(b, pools[i].bytes, pools[i].size);
        craft_event_end(b, event);
    }
}

size_t craft_everything(struct buffer *b)
{
    size_t chunk = craft_begin(b, everything, sizeof everything / sizeof everything[0]);
    put_encodings(b);
    put_kinds(b);
    size_t event = craft_event(b, C_SAMPLE);
    buffer_put(b, "\xe8\x07\1\1", 4); /* tick 1000, thread 1, stack 1 */
    craft_event_end(b, event);
    put_pools(b);
    craft_end(b, chunk);
    return chunk;
}
