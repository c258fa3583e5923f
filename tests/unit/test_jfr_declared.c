/* Sharing of types between chunks: the same types for the same bytes, also if two kinds of chunks alternate, new ones for other bytes, and
 * nothing is left over.
 * tier: quick
 * timeout: 20
 * aarch64: yes */
#include "jfr_craft.h"

#include "../tap.h"
#include "jfr/read/reader.h"

#include <string.h>

enum { INT = 10, STRING, SYMBOL, OTHER, EVENT = 100 };

static const struct craft_type symbol = {SYMBOL, "test.Symbol", NULL, {{"string", STRING}}};
static const struct craft_type other = {OTHER, "test.Other", NULL, {{"a", INT}}}; /* only chunks of way 2 declare it */
static const struct craft_type ways[3] = {{EVENT, "test.Event", "jdk.jfr.Event", {{"a", INT}, {"b", INT}, {"s", SYMBOL, true}}},
                                          {EVENT, "test.Event", "jdk.jfr.Event", {{"b", INT}, {"a", INT}, {"s", SYMBOL, true}}},
                                          {EVENT, "test.Event", "jdk.jfr.Event", {{"a", INT}, {"b", INT}, {"s", SYMBOL, true}}}};

/* `events` events with a = 1, 2, ..., b = 50, and the text with key 7. */
static void put_chunk(struct buffer *b, int way, unsigned events, const char *text)
{
    const struct craft_type types[] = {{INT, "int"}, {STRING, "java.lang.String"}, symbol, ways[way], other};
    size_t chunk = craft_begin(b, types, sizeof types / sizeof *types - (way < 2));
    for (unsigned i = 1; i <= events; i++) {
        size_t event = craft_event(b, EVENT);
        buffer_varint(b, way == 1 ? 50 : i);
        buffer_varint(b, way == 1 ? i : 50);
        buffer_varint(b, 7);
        craft_event_end(b, event);
    }
    size_t pool = craft_pool(b, SYMBOL, text ? 1 : 0);
    if (text) {
        buffer_varint(b, 7);
        craft_text(b, text);
    }
    craft_event_end(b, pool);
    craft_end(b, chunk);
}

static bool reads(struct jfr_chunk *chunk, unsigned events, const char *text)
{
    struct jfr_event event;
    const struct jfr_type *type = jfr_chunk_type(chunk, "test.Event");
    unsigned n = 0;
    bool good = type && type->events == events;
    for (struct jfr_cursor cursor = jfr_cursor_init(chunk); good && jfr_cursor_next(&cursor, &event); n++) {
        struct jfr_text found = jfr_value_text(jfr_event_value(&event, jfr_type_field(type, "s")));
        good = jfr_value_int(jfr_event_value(&event, jfr_type_field(type, "a"))) == n + 1 &&
               jfr_value_int(jfr_event_value(&event, jfr_type_field(type, "b"))) == 50 && found.len == strlen(text) &&
               !memcmp(found.bytes, text, found.len);
    }
    return good && n == events;
}

int main(void)
{
    static const struct {
        int way;
        unsigned events;
        const char *text;
        bool damaged;
        int like; /* the chunk, counted from 1, that has the same types; 0 = they are new */
    } chunks[] = {{0, 3, "one"},
                  {0, 5, "two", .like = 1},
                  {1, 2, "three"},
                  {1, 1, NULL, .like = 3},
                  {1, 4, "four", .damaged = true},
                  {1, 6, "five", .like = 3},
                  {0, 1, "six", .like = 1},
                  {1, 2, "seven", .like = 3},
                  {2, 2, "eight"},
                  {1, 3, "nine", .like = 3},
                  {0, 3, "ten"}};
    enum { CHUNKS = sizeof chunks / sizeof *chunks };
    struct buffer b;
    struct jfr_file *file;
    struct jfr_declared declared = {0};
    struct jfr_problems problems = {0};
    struct error e;
    buffer_init(&b, 1 << 20);
    for (int i = 0; i < CHUNKS; i++) {
        size_t start = b.len;
        put_chunk(&b, chunks[i].way, chunks[i].events, chunks[i].text);
        if (chunks[i].damaged)
            memset(b.data + start + 68 + 8, 0xff, 20);
    }
    tap_ok(!jfr_file_open_memory(&file, b.data, b.len, "crafted", &problems, &e) && jfr_file_chunks(file) == CHUNKS, "opens");
    const struct jfr_type *seen[CHUNKS] = {NULL};
    for (int i = 0; i < CHUNKS; i++) {
        struct jfr_chunk *chunk;
        int rc = jfr_chunk_open_next(&chunk, file, (uint32_t)i, &declared, &problems, &e);
        if (chunks[i].damaged) {
            tap_ok(!rc && !chunk && problems.count == 1, "chunk %d, of damaged metadata, is skipped", i);
            continue;
        }
        const struct jfr_type *type = chunk ? jfr_chunk_type(chunk, "test.Event") : NULL;
        tap_ok(!rc && chunk && reads(chunk, chunks[i].events, chunks[i].text ? chunks[i].text : ""), "chunk %d is read", i);
        if (chunks[i].like)
            tap_ok(type == seen[chunks[i].like - 1], "... with the types of chunk %d", chunks[i].like - 1);
        seen[i] = type;
        jfr_chunk_close(chunk);
    }
    jfr_declared_deinit(&declared);
    jfr_file_close(file);
    buffer_deinit(&b);
    return tap_done();
}
