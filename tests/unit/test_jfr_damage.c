/* Damaged files: cut at every byte, every bit flipped, and chunks that are made to do harm.
 * tier: default
 * timeout: 180 */
#include "base/time_units.h"
#include "jfr_craft.h"
#include "jfr_sample.h"
#include "jfr_walk.h"

#include "../half.h"
#include "../tap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct jfr_walk walk; /* large */

static int walk_copy(const uint8_t *data, size_t size)
{
    return jfr_walk_copy(data, size, &walk);
}

static void test_cuts(struct jfr_bytes whole, const char *name)
{
    jfr_walk(whole.data, whole.size, &walk);
    uint64_t all = walk.events, before = 0, worse = 0, silent = 0;
    for (size_t n = 0; n < whole.size; n++) {
        int rc = walk_copy(whole.data, n);
        worse += walk.events < before || walk.events > all;
        silent += !rc && !walk.problems.count;
        before = walk.events;
    }
    tap_ok(all > 0 && !worse, "%s: cut at every byte, never fewer events than with less (%llu at most)", name, (unsigned long long)all);
    tap_ok(!silent, "%s: every cut is noticed", name);
}

/* Every third bit, so that all positions in a byte are met. If a bit lies in the metadata of the only chunk, which is a quarter of the
 * file, the file is refused. */
static void test_flips(struct jfr_bytes whole, const char *name)
{
    int turn = half_turn();
    size_t step = turn < 0 ? 3 : 6;
    uint64_t read = 0, flips = whole.size * 8 / step;
    for (size_t bit = turn > 0 ? 3 : 0; bit < flips * step; bit += step) {
        whole.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        read += !walk_copy(whole.data, whole.size);
        whole.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    tap_ok(read > flips / 2 && read < flips, "%s: each of %llu bits flipped, %llu such files still open", name, (unsigned long long)flips,
           (unsigned long long)read);
}

static void test_garbage(void)
{
    struct jfr_file *file;
    struct error e;
    static const struct {
        const char *bytes;
        size_t size;
        const char *says;
    } cases[] = {{"", 0, "x: not a JFR recording (it is empty)"},
                 {"PK\3\4 and so on, longer", 20, "x: not a JFR recording (it begins with \"PK\\x03\\x04 and so \")"},
                 {"\x1f\x8b\x08", 3, "x: its gzip data is cut off: 0 bytes could be unpacked; the data are not a JFR recording"},
                 {"FLR\0\0\2\0\0", 8, "x: a JFR recording that ends within its first header (8 bytes)"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int rc = jfr_file_open_memory(&file, cases[i].bytes, cases[i].size, "x", NULL, &e);
        tap_ok(rc == -EINVAL && !file && !strcmp(e.text, cases[i].says), "%s", e.text);
    }
    uint8_t old[80] = "FLR\0\0\0\0\x09";
    tap_ok(jfr_file_open_memory(&file, old, sizeof old, "x", NULL, &e) == -EINVAL && strstr(e.text, "0.9"), "%s", e.text);
    tap_ok(jfr_file_open(&file, "/nonexistent/x.jfr", NULL, &e) == -ENOENT && strstr(e.text, "/nonexistent/x.jfr"), "%s", e.text);
    tap_ok(jfr_file_open(&file, "/tmp", NULL, &e) == -EISDIR, "%s", e.text);
}

/* If nothing in a file can be read, it is refused, with the reason. One readable chunk anywhere is enough to read it. */
static void test_nothing_readable(const char *path)
{
    struct jfr_file *file;
    struct error e = {""};
    sample_write(path, 2, 1, &e);
    struct jfr_bytes b = jfr_bytes_of(path);
    uint64_t chunk = 0;
    for (int i = 0; i < 8; i++)
        chunk = chunk << 8 | b.data[8 + i];
    memset(b.data + 68, 0, chunk - 68);
    tap_ok(!jfr_file_open_memory(&file, b.data, b.size, "x", NULL, &e), "the second chunk alone can be read: the file opens");
    jfr_file_close(file);
    memset(b.data + chunk + 68, 0, b.size - chunk - 68);
    tap_ok(jfr_file_open_memory(&file, b.data, b.size, "x", NULL, &e) == -EINVAL && !file && strstr(e.text, "no metadata"), "%s", e.text);
    b.data[67] = b.data[chunk + 67] = 0;
    tap_ok(jfr_file_open_memory(&file, b.data, b.size, "x", NULL, &e) == -EINVAL && strstr(e.text, "not compressed"), "%s", e.text);
    free(b.data);
}

static void test_between_chunks(const char *path)
{
    struct error e;
    sample_write(path, 3, 1, &e);
    struct jfr_bytes b = jfr_bytes_of(path);
    jfr_walk(b.data, b.size, &walk);
    uint64_t all = walk.events, chunk = 0;
    for (int i = 0; i < 8; i++)
        chunk = chunk << 8 | b.data[8 + i];
    memcpy(b.data + chunk + 68, "damagedamagedamage", 18); /* in the metadata of the second chunk */
    jfr_walk(b.data, b.size, &walk);
    tap_ok(walk.events && walk.events < all && walk.problems.count && walk.problems.list[0].chunk == 1,
           "a chunk without metadata is skipped, the others are read: %s", walk.problems.list[0].text);
    memset(b.data + chunk, 0, 68); /* and its header */
    jfr_walk(b.data, b.size, &walk);
    tap_ok(walk.events && walk.problems.count == 1 && walk.problems.list[0].offset == chunk, "a chunk without header is skipped: %s",
           walk.problems.list[0].text);
    memset(b.data + 8, 0x7f, 8); /* the size of the first chunk: its events up to the next header */
    jfr_walk(b.data, b.size, &walk);
    tap_ok(walk.events && walk.problems.count, "a size beyond the file: %s", walk.problems.list[0].text);
    free(b.data);
}

/* ---- ways to open a file ---- */

static uint64_t events_in(const char *path, struct jfr_problems *problems)
{
    struct jfr_file *file;
    struct jfr_chunk *chunk;
    struct jfr_event event;
    struct error e;
    uint64_t n = 0;
    if (jfr_file_open(&file, path, problems, &e) || jfr_chunk_open(&chunk, file, 0, problems, &e) || !chunk)
        return 0;
    for (struct jfr_cursor cursor = jfr_cursor_init(chunk); jfr_cursor_next(&cursor, &event); n++)
        ;
    jfr_chunk_close(chunk);
    jfr_file_close(file);
    return n;
}

static void test_ways_to_open(const char *path)
{
    struct error e;
    struct jfr_problems problems = {0};
    sample_write(path, 1, 3, &e);
    uint64_t events = events_in(path, &problems);
    int fds[2];
    struct jfr_bytes b = jfr_bytes_of(path);
    bool piped = !pipe(fds) && b.size < 65536 && write(fds[1], b.data, b.size) == (ssize_t)b.size;
    close(fds[1]);
    dup2(fds[0], STDIN_FILENO);
    tap_ok(piped && events && events_in("-", &problems) == events && !problems.count, "a pipe as standard input");
    close(fds[0]);
    close(STDIN_FILENO);
    free(b.data);
    tap_ok(!truncate(path, 65 << 20) && events_in(path, &problems) == events && problems.count == 1,
           "a file so large that it is mapped: %s", problems.list[0].text);
}

/* ---- chunks that are made to do harm ---- */

enum { H_INT = 2, H_STRING, H_A, H_B, H_EVENT, H_POOLED };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / NS_PER_S;
}

static void walk_crafted(struct buffer *b, const char *name, uint64_t events)
{
    double start = seconds();
    int rc = walk_copy(b->data, b->len);
    tap_ok(!rc && walk.events == events, "%s: %llu events, %llu problems", name, (unsigned long long)walk.events,
           (unsigned long long)walk.problems.count);
    tap_note("%.3f s", seconds() - start);
    buffer_deinit(b);
}

static void craft(struct buffer *b, const struct craft_type *types, size_t count, const char *event, size_t size)
{
    buffer_init(b, 64 << 20);
    size_t chunk = craft_begin(b, types, count);
    size_t at = craft_event(b, H_EVENT);
    buffer_put(b, event, size);
    craft_event_end(b, at);
    craft_end(b, chunk);
}

#define CRAFT(b, event, ...)                                                                                                               \
    craft(b, (const struct craft_type[]){{H_INT, "int"}, {H_STRING, "java.lang.String"}, __VA_ARGS__},                                     \
          sizeof((const struct craft_type[]){{H_INT, "int"}, {H_STRING, "java.lang.String"}, __VA_ARGS__}) / sizeof(struct craft_type),    \
          event, sizeof event - 1)

static void test_hostile_types(void)
{
    struct buffer b;
    CRAFT(&b, "\1\1\1\1", {H_A, "A", NULL, {{"a", H_A}}}, {H_EVENT, "E", "jdk.jfr.Event", {{"a", H_A}}});
    walk_crafted(&b, "a struct that contains itself", 1);
    CRAFT(&b, "\1\1\1\1\1\1\1\1", {H_A, "A", NULL, {{"b", H_B, false, true}}}, {H_B, "B", NULL, {{"a", H_A, false, true}}},
          {H_EVENT, "E", "jdk.jfr.Event", {{"a", H_A}}});
    walk_crafted(&b, "arrays of each other", 1);
    CRAFT(&b, "\1\1", {H_EVENT, "E", "jdk.jfr.Event", {{"a", 99}, {"b", H_INT}}});
    walk_crafted(&b, "a field of an undeclared type", 1);
    CRAFT(&b, "\377\377\377\377\377\377\377\377\177", {H_EVENT, "E", "jdk.jfr.Event", {{"a", H_INT, false, true}}});
    walk_crafted(&b, "an array longer than the file", 1);
    CRAFT(&b, "\377\377\377\377\377\377\377\377\177", {H_A, "A"}, {H_EVENT, "E", "jdk.jfr.Event", {{"a", H_A, false, true}}});
    walk_crafted(&b, "an endless array of nothing", 1);
    CRAFT(&b, "\3\377\377\377\377\377\377\377\377\377", {H_EVENT, "E", "jdk.jfr.Event", {{"a", H_STRING}}});
    walk_crafted(&b, "a string longer than the file", 1);
}

/* Each type contains the next one `breadth` times, and the innermost is declared first: with 30 types and a breadth of 4 these are 2^58
 * values, empty or of one byte. */
static void craft_nest(struct buffer *b, unsigned levels, unsigned breadth, bool with_byte, const char *event, size_t size)
{
    struct craft_type types[64] = {{H_EVENT, "E", "jdk.jfr.Event", {{"a", 100}, {"b", H_INT}}}, {H_INT, "int"}};
    char names[60][16];
    for (unsigned i = 0; i < levels; i++) {
        struct craft_type *t = &types[1 + levels - i];
        snprintf(names[i], sizeof names[i], "T%u", i);
        *t = (struct craft_type){100 + i, names[i]};
        for (unsigned f = 0; f < breadth; f++)
            t->fields[f] = (struct craft_field){"a", 101 + i};
    }
    memset(types[2].fields, 0, sizeof types[2].fields);
    if (with_byte)
        types[2].fields[0] = (struct craft_field){"a", H_INT};
    craft(b, types, 2 + levels, event, size);
}

static int64_t number_behind_nest(unsigned levels)
{
    struct buffer b;
    struct jfr_file *file;
    struct jfr_chunk *chunk;
    struct jfr_event event;
    struct error e;
    craft_nest(&b, levels, 1, true, "\1\7", 2);
    jfr_file_open_memory(&file, b.data, b.len, "nest", NULL, &e);
    jfr_chunk_open(&chunk, file, 0, NULL, &e);
    struct jfr_cursor cursor = jfr_cursor_init(chunk);
    int64_t found = jfr_cursor_next(&cursor, &event) ? jfr_value_int(jfr_event_value(&event, jfr_type_field(event.type, "b"))) : -1;
    jfr_chunk_close(chunk);
    jfr_file_close(file);
    buffer_deinit(&b);
    return found;
}

static void test_nesting(void)
{
    struct buffer b;
    craft_nest(&b, 30, 4, false, "\1\1\1", 3);
    walk_crafted(&b, "2^58 empty structs by nesting", 1);
    craft_nest(&b, 30, 4, true, "\1\1\1", 3);
    walk_crafted(&b, "2^58 bytes by nesting", 1);
    tap_ok(number_behind_nest(20) == 7 && number_behind_nest(40) == 0, "20 levels are read, 40 are not");
}

/* Bytes within the chunk that are not an event: the events before them count. */
static void test_zeros_in_chunk(void)
{
    static const struct craft_type types[] = {{H_EVENT, "E", "jdk.jfr.Event"}};
    struct buffer b;
    buffer_init(&b, 1 << 20);
    size_t chunk = craft_begin(&b, types, 1);
    for (int i = 0; i < 2; i++) {
        buffer_put(&b, (uint8_t[]){2, H_EVENT}, 2);
        buffer_be64(&b, 0);
    }
    craft_end(&b, chunk);
    walk_crafted(&b, "zeros between events", 1);
    tap_ok(walk.problems.count == 1 && strstr(walk.problems.list[0].text, "last 18 bytes"), "... and are reported: %s",
           walk.problems.list[0].text);
}

/* A million elements of metadata, each the only child of the previous one. */
static void test_deep_metadata(void)
{
    enum { ELEMENTS = 1000000 };
    struct buffer b;
    buffer_init(&b, 64 << 20);
    size_t chunk = craft_begin(&b, NULL, 0);
    b.len = chunk + 68;
    size_t event = craft_event(&b, 0);
    buffer_put(&b, "\1\1\1\1", 4); /* start, duration, id; one string */
    craft_text(&b, "root");
    for (int i = 0; i < ELEMENTS; i++)
        buffer_put(&b, "\0\0\1", 3);
    buffer_put(&b, "\0\0\0", 3);
    craft_event_end(&b, event);
    craft_end(&b, chunk);
    struct jfr_file *file;
    struct error e = {""};
    double start = seconds();
    tap_ok(jfr_file_open_memory(&file, b.data, b.len, "x", NULL, &e) == -EINVAL && strstr(e.text, "metadata is damaged"),
           "metadata nested a million times is refused: %s", e.text);
    tap_note("%.3f s", seconds() - start);
    buffer_deinit(&b);
}

static void test_circular_pools(void)
{
    static const struct craft_type types[] = {
        {H_INT, "int"}, {H_A, "A", NULL, {{"a", H_A, true}, {"b", H_A, true, true}}}, {H_EVENT, "E", "jdk.jfr.Event", {{"a", H_A, true}}}};
    struct buffer b;
    buffer_init(&b, 1 << 20);
    size_t chunk = craft_begin(&b, types, 3), at = craft_event(&b, H_EVENT);
    buffer_varint(&b, 1);
    craft_event_end(&b, at);
    at = craft_pool(&b, H_A, 1);
    buffer_put(&b, "\1\1\4\1\1\1\1", 7);
    craft_event_end(&b, at);
    craft_end(&b, chunk);
    walk_crafted(&b, "pool entries that refer to themselves", 1);
}

/* Linear time, bounded memory. */
static void test_many(void)
{
    static const struct craft_type types[] = {{H_INT, "int"}, {H_EVENT, "E", "jdk.jfr.Event"}};
    enum { MANY = 1000000 };
    struct buffer b;
    buffer_init(&b, 64 << 20);
    size_t chunk = craft_begin(&b, types, 2);
    for (unsigned i = 0; i < MANY; i++)
        buffer_put(&b, (uint8_t[]){2, H_EVENT}, 2);
    size_t at = craft_pool(&b, H_INT, MANY);
    for (unsigned i = 0; i < MANY; i++) {
        buffer_varint(&b, i);
        buffer_u8(&b, 1);
    }
    craft_event_end(&b, at);
    craft_end(&b, chunk);
    walk_crafted(&b, "a million events without fields, a million pool entries", MANY);
}

int main(void)
{
    char path[] = "/tmp/candor-test-XXXXXX";
    struct error e;
    struct buffer crafted;
    close(mkstemp(path));
    sample_write_small(path, &e);
    struct jfr_bytes small = jfr_bytes_of(path);
    buffer_init(&crafted, 1 << 20);
    craft_everything(&crafted);
    test_cuts(small, "a recording of ours");
    test_cuts((struct jfr_bytes){crafted.data, crafted.len}, "a crafted one");
    test_flips(small, "a recording of ours");
    test_flips((struct jfr_bytes){crafted.data, crafted.len}, "a crafted one");
    test_garbage();
    test_nothing_readable(path);
    test_between_chunks(path);
    test_ways_to_open(path);
    test_hostile_types();
    test_nesting();
    test_zeros_in_chunk();
    test_deep_metadata();
    test_circular_pools();
    test_many();
    free(small.data);
    buffer_deinit(&crafted);
    unlink(path);
    return tap_done();
}
