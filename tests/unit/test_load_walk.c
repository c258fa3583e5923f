/* Stacks are read from a recording as they were written, whatever they have in common with the previous one, and however their integers
 * are encoded: shared roots, integers longer than necessary, and integers of nine bytes whose end is not visible. This
 * also holds for several recordings in a row, where the same key stands for different methods, or the same method has different keys.
 * tier: quick
 * timeout: 60 */
#include "jfr_craft.h"

#include "../tap.h"
#include "compress/intake.h"
#include "profile/load/load_jfr.h"
#include "profile/load/load_stacks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INT = 10, LONG, BOOLEAN, STRING, SYMBOL, CLASS, METHOD, FRAME_TYPE, FRAME, TRACE, SAMPLE = 100 };
enum { CHUNKS = 3, STACKS = 3000, DEPTH_MAX = 40, KEYS = 8, NAME_MAX_BYTES = 24 };

static const struct craft_type types[] = {
    {INT, "int"},
    {LONG, "long"},
    {BOOLEAN, "boolean"},
    {STRING, "java.lang.String"},
    {SYMBOL, "jdk.types.Symbol", NULL, {{"string", STRING}}},
    {CLASS, "java.lang.Class", NULL, {{"name", SYMBOL, true}}},
    {METHOD, "jdk.types.Method", NULL, {{"type", CLASS, true}, {"name", SYMBOL, true}, {"descriptor", SYMBOL, true}}},
    {FRAME_TYPE, "jdk.types.FrameType", NULL, {{"description", STRING}}},
    {FRAME,
     "jdk.types.StackFrame",
     NULL,
     {{"method", METHOD, true}, {"lineNumber", INT}, {"bytecodeIndex", INT}, {"type", FRAME_TYPE, true}}},
    {TRACE, "jdk.types.StackTrace", NULL, {{"truncated", BOOLEAN}, {"frames", FRAME, false, true}}},
    {SAMPLE, "jdk.ExecutionSample", "jdk.jfr.Event", {{"startTime", LONG}, {"stackTrace", TRACE, true}}},
};

struct frame {
    uint32_t method; /* its key */
    uint32_t line, bci;
    bool known; /* its type exists */
    uint8_t bytes[40], size;
};

struct stack {
    struct frame frames[DEPTH_MAX]; /* root first */
    uint32_t depth;
    bool truncated;
};

static struct stack stacks[CHUNKS][STACKS];

static uint32_t next_random(uint32_t below)
{
    static uint64_t state = 42;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % below;
}

/* ---- stacks ---- */

/* A key below 8, or a key whose last byte is such a key, so that the ends of both look the same. */
static uint32_t draw_key(void)
{
    uint32_t small = 1 + next_random(KEYS - 1);
    return next_random(3) ? small : small << 7 | next_random(4);
}

static void put_byte(struct frame *f, unsigned byte)
{
    f->bytes[f->size++] = (uint8_t)byte;
}

/* As short as possible, with zeros after it, or in nine bytes of which the last is `ninth`. */
static void put_number(struct frame *f, uint64_t v, unsigned style, unsigned ninth)
{
    unsigned n = style < 12 ? 1 : style < 15 ? 2 + style % 3 : 9;
    while (n < 9 && v >> 7 * n)
        n++;
    for (unsigned i = 0; i + 1 < n; i++)
        put_byte(f, (v >> 7 * i & 0x7f) | 0x80);
    put_byte(f, n == 9 ? ninth : (unsigned)(v >> 7 * (n - 1) & 0x7f));
}

static struct frame draw_frame(void)
{
    struct frame f = {.method = draw_key(), .line = 1 + next_random(300), .bci = next_random(3), .known = true};
    unsigned style = next_random(16), ninth = next_random(2) ? 0xff : 0x80;
    put_number(&f, f.method, next_random(16), 0);
    put_number(&f, f.line, next_random(16), next_random(256)); /* a number of 32 bits: higher bits are ignored */
    put_number(&f, f.bci, next_random(16), 0);
    put_number(&f, 1, style, ninth); /* for a type they count */
    f.known = style < 15;
    return f;
}

/* The same bytes with one more byte before them, which makes another method: no new frame begins where the old frame began. */
static void lengthen(struct frame *f)
{
    uint32_t low = next_random(4);
    if (f->bytes[0] >= 0x80)
        return;
    memmove(f->bytes + 1, f->bytes, f->size++);
    f->bytes[0] = (uint8_t)(0x80 | low);
    f->method = f->method << 7 | low;
}

/* Mostly some roots of the previous stack and different leaves; sometimes only roots, or the same stack again. */
static void draw_stack(struct stack *s, const struct stack *before)
{
    uint32_t shared = before && next_random(4) ? next_random(before->depth + 1) : 0;
    s->truncated = before && next_random(8) ? before->truncated : next_random(2);
    s->depth = shared + (next_random(5) ? next_random(DEPTH_MAX - shared + 1) : 0);
    for (uint32_t i = 0; i < s->depth; i++)
        s->frames[i] = i < shared ? before->frames[i] : draw_frame();
    if (shared && !next_random(3))
        lengthen(&s->frames[shared - 1]);
}

/* ---- the recording ---- */

/* Odd recordings of a program whose keys are others in each of its runs. */
static bool other_keys;

/* The key that a method has in the run in which it is written. */
static uint32_t run_key(uint32_t key)
{
    return other_keys && key < KEYS ? key % (KEYS - 1) + 1 : key;
}

static void method_name(char name[NAME_MAX_BYTES], unsigned chunk, uint32_t key)
{
    snprintf(name, NAME_MAX_BYTES, "m%u.%u", chunk, key);
}

static void put_entry(struct buffer *b, uint64_t key, const char *text)
{
    buffer_varint(b, key);
    craft_text(b, text);
}

/* In each chunk the methods with the same keys have other names of the same length. Their two classes come after the symbols 1 and 2. */
static void put_names(struct buffer *b, unsigned chunk)
{
    char name[NAME_MAX_BYTES];
    enum { METHODS = KEYS - 1 + 4 * (KEYS - 1) };
    uint32_t keys[METHODS], n = 0;
    for (uint32_t key = 1; key < KEYS; key++) {
        keys[n++] = key;
        for (uint32_t low = 0; low < 4; low++)
            keys[n++] = key << 7 | low;
    }
    size_t pool = craft_pool(b, SYMBOL, 3 + METHODS);
    put_entry(b, 1, chunk % 2 ? "some/Odds" : "some/Even");
    put_entry(b, 2, chunk % 2 ? "other/Odds" : "other/Even");
    put_entry(b, 3, "()V");
    for (uint32_t i = 0; i < METHODS; i++) {
        method_name(name, chunk, keys[i]);
        put_entry(b, 10 + keys[i], name);
    }
    craft_event_end(b, pool);
    pool = craft_pool(b, CLASS, 2);
    buffer_put(b, "\1\1\2\2", 4);
    craft_event_end(b, pool);
    pool = craft_pool(b, METHOD, METHODS);
    for (uint32_t i = 0; i < METHODS; i++) {
        buffer_varint(b, run_key(keys[i]));
        buffer_varint(b, 1 + keys[i] % 2);
        buffer_varint(b, 10 + keys[i]);
        buffer_varint(b, 3);
    }
    craft_event_end(b, pool);
    pool = craft_pool(b, FRAME_TYPE, 1);
    put_entry(b, 1, "Interpreted");
    craft_event_end(b, pool);
}

/* A method's key is the first integer of its frame. A small one has one byte, or more bytes of which the first has the value. */
static void put_frame(struct buffer *b, const struct frame *f)
{
    uint8_t first = (uint8_t)(f->method < KEYS ? (f->bytes[0] & 0x80) | run_key(f->method) : f->bytes[0]);
    buffer_u8(b, first);
    buffer_put(b, f->bytes + 1, f->size - 1u);
}

static void put_chunk(struct buffer *b, unsigned chunk)
{
    size_t start = craft_begin(b, types, sizeof types / sizeof *types);
    for (uint32_t i = 0; i < STACKS; i++) {
        size_t event = craft_event(b, SAMPLE);
        buffer_varint(b, CRAFT_START_TICKS);
        buffer_varint(b, i + 1);
        craft_event_end(b, event);
    }
    size_t pool = craft_pool(b, TRACE, STACKS);
    for (uint32_t i = 0; i < STACKS; i++) {
        const struct stack *s = &stacks[chunk][i];
        buffer_varint(b, i + 1);
        buffer_u8(b, s->truncated);
        buffer_varint(b, s->depth);
        for (uint32_t f = s->depth; f-- > 0;)
            put_frame(b, &s->frames[f]);
    }
    craft_event_end(b, pool);
    put_names(b, chunk);
    craft_end(b, start);
}

/* ---- what was read ---- */

static bool same_frame(const struct profile *p, const struct profile_frame *f, unsigned chunk, const struct frame *expected)
{
    char name[NAME_MAX_BYTES], class[NAME_MAX_BYTES];
    const struct profile_method *m = &p->methods[f->method];
    method_name(name, chunk, expected->method);
    snprintf(class, sizeof class, "%s.%s", expected->method % 2 ? "other" : "some", chunk % 2 ? "Odds" : "Even");
    return !strcmp(profile_text(p, m->name), name) && !strcmp(profile_text(p, m->class_name), class) &&
           !strcmp(profile_text(p, m->descriptor), "()V") && f->line == (int32_t)expected->line && f->bci == expected->bci &&
           f->type == (expected->known ? JFR_FRAME_INTERPRETED : PROFILE_TYPE_OTHER);
}

static bool same_stack(const struct profile *p, uint32_t stack, unsigned chunk, const struct stack *expected)
{
    for (uint32_t i = expected->depth; i-- > 0; stack = p->nodes[stack].parent)
        if (!stack || !same_frame(p, &p->frames[p->nodes[stack].frame], chunk, &expected->frames[i]))
            return false;
    if (expected->truncated && expected->depth) {
        if (!stack || p->frames[p->nodes[stack].frame].type != PROFILE_TYPE_MARK)
            return false;
        stack = p->nodes[stack].parent;
    }
    return !stack || (!expected->depth && p->frames[p->nodes[stack].frame].type == JFR_FRAME_FAILED);
}

/* Counts the samples of a chunk that have other stacks than were written. */
static uint32_t wrong_of(const struct profile *samples, const struct profile *names, uint32_t from, unsigned chunk, uint32_t *first)
{
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < STACKS; i++)
        if (!same_stack(names, samples->samples[from + i].stack, chunk, &stacks[chunk][i])) {
            *first = wrong ? *first : i;
            wrong++;
        }
    return wrong;
}

static void test_one_file(void)
{
    char path[] = "/tmp/candor-walk-XXXXXX";
    struct buffer b;
    struct profile p;
    struct error e = {""};
    uint32_t wrong = 0, first = 0;
    buffer_init(&b, 64 << 20);
    for (unsigned chunk = 0; chunk < CHUNKS; chunk++)
        put_chunk(&b, chunk);
    int fd = mkstemp(path);
    bool good = fd >= 0 && write(fd, b.data, b.len) == (ssize_t)b.len && !profile_init(&p) && !profile_load_jfr(&p, path, &e);
    good = tap_ok(good && p.sample_count == CHUNKS * STACKS, "%u samples in %zu bytes are read: %s", p.sample_count, b.len, e.text);
    for (unsigned chunk = 0; good && chunk < CHUNKS; chunk++)
        wrong += wrong_of(&p, &p, chunk * STACKS, chunk, &first);
    tap_ok(!wrong, "each has its stack: %u have not, the first being %u", wrong, first);
    profile_deinit(&p);
    buffer_deinit(&b);
    close(fd);
    unlink(path);
}

/* ---- several recordings, one after the other ---- */

static int count_chunk(void *context, struct jfr_chunk *chunk)
{
    uint32_t count;
    jfr_chunk_types(chunk, &count);
    *(uint32_t *)context += count > 0;
    return 0;
}

/* Reads a recording of one chunk. */
static bool read_after_others(struct load_kept *kept, unsigned chunk)
{
    struct buffer b;
    struct intake in;
    struct error e = {""};
    struct profile p, *list[] = {&p};
    uint32_t seen = 0, first = 0;
    const struct pass_reader reader = {count_chunk, &seen};
    const struct pass_readers beside = {&reader, 1};
    buffer_init(&b, 64 << 20);
    put_chunk(&b, chunk);
    bool good = !profile_init(&p) && !intake_open_memory(&in, b.data, b.len, "test", &e) &&
                !profile_load_jfr_shared(kept, list, 1, &beside, &in, "test", &e);
    good = good && seen == 1 && p.sample_count == STACKS && !wrong_of(&p, &kept->names, 0, chunk, &first);
    if (!good)
        tap_note("chunk %u: %u samples, first wrong stack %u, seen %u times: %s", chunk, p.sample_count, first, seen, e.text);
    profile_deinit(&p);
    buffer_deinit(&b);
    return good;
}

/* The recordings use the same keys for methods with other names, in each order. */
static void test_kept(void)
{
    static const unsigned order[] = {0, 1, 2, 1, 0, 2, 2, 0};
    struct load_kept kept;
    uint32_t nodes[CHUNKS] = {0}, methods = 0;
    bool good = !load_kept_init(&kept), grew = false;
    for (size_t i = 0; good && i < sizeof order / sizeof *order; i++) {
        good = read_after_others(&kept, order[i]);
        grew |= i >= CHUNKS && kept.names.node_count != nodes[CHUNKS - 1];
        nodes[i < CHUNKS ? i : CHUNKS - 1] = kept.names.node_count;
    }
    tap_ok(good, "stacks that are read after those of other recordings are right");
    tap_ok(!grew && nodes[0] < nodes[1] && nodes[1] < nodes[2], "and none is added twice: %u, %u, %u", nodes[0], nodes[1], nodes[2]);
    uint32_t whole = kept.stacks.walk.traces.count, branches = kept.names.node_count;
    other_keys = true;
    for (unsigned chunk = 0; good && chunk < CHUNKS; chunk++)
        good = read_after_others(&kept, chunk);
    other_keys = false;
    tap_ok(good && kept.names.node_count == branches, "a run with other keys has the same stacks");
    tap_ok(whole > 100 && kept.stacks.walk.traces.count == whole, "%u are looked up as a whole, also in that run: %u", whole,
           kept.stacks.walk.traces.count);
    methods = kept.names.method_count;
    load_kept_drop_stacks(&kept);
    good = good && !kept.stacks.walk.traces.count;
    tap_ok(kept.names.node_count == 1, "stacks are forgotten");
    for (unsigned chunk = 0; good && chunk < CHUNKS; chunk++)
        good = read_after_others(&kept, chunk) && kept.names.node_count == nodes[chunk];
    tap_ok(good && kept.names.method_count == methods, "and read again, with the %u methods that stayed", methods);
    load_kept_deinit(&kept);
}

int main(void)
{
    for (unsigned chunk = 0; chunk < CHUNKS; chunk++)
        for (uint32_t i = 0; i < STACKS; i++)
            draw_stack(&stacks[chunk][i], i ? &stacks[chunk][i - 1] : NULL);
    test_one_file();
    test_kept();
    return tap_done();
}
