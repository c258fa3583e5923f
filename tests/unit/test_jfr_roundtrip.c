/* The reader reads what the writer wrote: every event, field and name, over several flushes and chunks.
 * tier: quick
 * timeout: 60 */
#include "base/time_units.h"
#include "jfr_sample.h"
#include "jfr_walk.h"

#include "../tap.h"
#include "jfr/read/input.h"
#include "jfr/read/reader.h"
#include "jfr/write/writer_tail.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNKS = 2, FLUSHES = 3, ROUNDS = CHUNKS * FLUSHES };

static bool same(struct jfr_text text, const char *expected)
{
    return text.len == strlen(expected) && !memcmp(text.bytes, expected, text.len);
}

static struct jfr_value field(struct jfr_event *event, const char *name)
{
    return jfr_event_value(event, jfr_type_field(event->type, name));
}

static uint64_t events_of(struct jfr_chunk *chunk, const char *name)
{
    const struct jfr_type *type = jfr_chunk_type(chunk, name);
    return type ? type->events : 0;
}

static void test_counts(struct jfr_chunk *chunk, unsigned index)
{
    bool first = index == 0;
    tap_ok(events_of(chunk, "candor.CpuSample") == FLUSHES * SAMPLE_CPU_SAMPLES &&
               events_of(chunk, "jdk.ExecutionSample") == FLUSHES * SAMPLE_EXECUTION_SAMPLES &&
               events_of(chunk, "candor.BookLine") == FLUSHES * 3 && events_of(chunk, "candor.ThreadCpu") == FLUSHES * 3,
           "chunk %u: samples and books", index);
    tap_ok(events_of(chunk, "jdk.InitialSystemProperty") == (first ? 3 : 0) && events_of(chunk, "candor.Setting") == (first ? 2 : 0) &&
               events_of(chunk, "candor.Log") == first && events_of(chunk, "jdk.JVMInformation") == first &&
               events_of(chunk, "jdk.OSInformation") == first && events_of(chunk, "jdk.CPUInformation") == first &&
               events_of(chunk, "jdk.ActiveSetting") == first && events_of(chunk, "jdk.ActiveRecording") == first,
           "chunk %u: facts", index);
    const struct jfr_chunk_info *info = jfr_chunk_get_info(chunk);
    tap_ok(info->whole && info->major == 2 && info->minor == 0 &&
               info->start_ns == (int64_t)SAMPLE_START_EPOCH_NS + index * FLUSHES * NS_PER_S && info->duration_ns == FLUSHES * NS_PER_S &&
               info->ticks_per_second == SAMPLE_TICKS_PER_SECOND,
           "chunk %u: header", index);
}

/* Sample i of a round, as sample_round writes it. */
static bool cpu_sample_agrees(struct jfr_event *e, uint32_t round, uint32_t i)
{
    uint32_t stack = i % SAMPLE_STACKS + 1;
    const char *outcome = stack == SAMPLE_FAILED_STACK ? "not_walkable" : stack == SAMPLE_DEEP_STACK ? "truncated" : "complete";
    int64_t epoch = (int64_t)SAMPLE_START_EPOCH_NS + round * NS_PER_S + i * 10000000LL;
    return jfr_event_epoch_ns(e) == epoch && jfr_value_int(field(e, "weight")) == 10000000 + i &&
           jfr_value_int(field(e, "pc")) == 0x7fff12345678 + i && same(jfr_value_text(field(e, "outcome")), outcome) &&
           same(jfr_value_text(field(e, "state")), jfr_thread_state_names[stack % JFR_STATES]) &&
           jfr_event_key(e, jfr_type_field(e->type, "stackTrace")) == stack &&
           jfr_event_key(e, jfr_type_field(e->type, "eventThread")) == i % SAMPLE_THREADS + 1;
}

static void test_cpu_samples(struct jfr_chunk *chunk, unsigned index)
{
    const struct jfr_type *type = jfr_chunk_type(chunk, "candor.CpuSample");
    struct jfr_event event;
    uint32_t seen = 0, wrong = 0;
    for (struct jfr_cursor cursor = jfr_cursor_init(chunk); jfr_cursor_next(&cursor, &event);) {
        if (event.type != type)
            continue;
        uint32_t round = index * FLUSHES + seen / SAMPLE_CPU_SAMPLES;
        wrong += !cpu_sample_agrees(&event, round, seen % SAMPLE_CPU_SAMPLES);
        seen++;
    }
    tap_ok(seen == FLUSHES * SAMPLE_CPU_SAMPLES && !wrong, "chunk %u: each CPU sample as it was written", index);
    tap_ok(jfr_type_field(type, "weight")->unit == JFR_UNIT_SPAN_NS && jfr_type_field(type, "pc")->unit == JFR_UNIT_ADDRESS &&
               !strcmp(jfr_type_field(type, "pc")->label, "Program Counter") && !strcmp(type->category, "Candor") &&
               !strcmp(jfr_chunk_type(chunk, "jdk.ExecutionSample")->category, "Java Virtual Machine/Profiling"),
           "chunk %u: units, labels, categories", index);
}

static void test_threads(struct jfr_chunk *chunk)
{
    static const char *const names[] = {"", "main", "wörker-日本-𝄞", "GC Thread#0"};
    const struct jfr_type *type = jfr_chunk_type(chunk, "java.lang.Thread");
    for (uint32_t id = 1; id <= SAMPLE_THREADS; id++) {
        struct jfr_thread_info t;
        bool found = jfr_thread_of(jfr_pool_get(chunk, type, id), &t), java = id != 3;
        tap_ok(found && same(t.os_name, names[id]) && same(t.java_name, java ? names[id] : "") && t.os_id == 4710 + id &&
                   t.java_id == (id == 1   ? 1
                                 : id == 2 ? 42
                                           : 0),
               "thread %s", names[id]);
    }
    tap_ok(jfr_value_none(jfr_value_member(jfr_pool_get(chunk, type, 3), "javaName")), "no Java name for a VM thread");
    tap_ok(jfr_value_none(jfr_pool_get(chunk, type, 4)), "no fourth thread");
}

static struct jfr_stack stack_at(struct jfr_chunk *chunk, uint32_t id)
{
    struct jfr_stack stack;
    jfr_stack_of(jfr_pool_get(chunk, jfr_chunk_type(chunk, "jdk.types.StackTrace"), id), &stack);
    return stack;
}

static bool next_is(struct jfr_stack *s, const char *class, const char *name, const char *descriptor, int line, int bci, const char *type)
{
    struct jfr_frame_info f;
    struct jfr_method_info m;
    return jfr_stack_next(s, &f) && jfr_method_of(f.method, &m) && same(m.class_name, class) && same(m.name, name) &&
           same(m.descriptor, descriptor) && f.line == line && f.bci == bci && same(f.type, type);
}

static void test_stacks(struct jfr_chunk *chunk)
{
    struct jfr_frame_info f;
    struct jfr_stack s = stack_at(chunk, 2);
    tap_ok(!s.truncated && next_is(&s, "naïve.Größe", "λ", "([J[[Ljava/lang/String;)[I", 1, 0, "C1 compiled") &&
               next_is(&s, "java.util.HashMap", "put", "(Ljava/lang/Object;Ljava/lang/Object;)V", 640, 9, "Inlined") &&
               next_is(&s, "app.Main", "run", "()V", 14, 8, "JIT compiled") && !jfr_stack_next(&s, &f),
           "a stack of three, with names beyond ASCII");
    s = stack_at(chunk, 3);
    tap_ok(next_is(&s, "libc.so.6", "memcpy", JFR_NO_DESCRIPTOR, 0, 0, "Native"), "a native frame has a descriptor and no line");
    s = stack_at(chunk, SAMPLE_FAILED_STACK);
    int marked = jfr_frame_forms[JFR_FRAME_FAILED].mark << JFR_BCI_BITS;
    tap_ok(next_is(&s, "not_walkable", "libjvm.so!PhaseIdealLoop", JFR_NO_DESCRIPTOR, 0, marked, "Native") && !jfr_stack_next(&s, &f),
           "a failed walk is one pseudo frame");
    s = stack_at(chunk, SAMPLE_DEEP_STACK);
    int32_t depth = 0, wrong = 0;
    for (; jfr_stack_next(&s, &f); depth++)
        wrong += f.line != depth + 1 || f.bci != depth;
    tap_ok(s.truncated && depth == SAMPLE_DEEP_FRAMES && !wrong, "a truncated stack of %d frames", SAMPLE_DEEP_FRAMES);
}

static void test_facts(struct jfr_chunk *chunk)
{
    struct jfr_event e;
    int found = 0;
    for (struct jfr_cursor cursor = jfr_cursor_init(chunk); jfr_cursor_next(&cursor, &e);) {
        if (!strcmp(e.type->name, "candor.BookLine") && same(jfr_value_text(field(&e, "account")), "residual"))
            found += jfr_value_int(field(&e, "time")) == -1234567;
        if (!strcmp(e.type->name, "jdk.InitialSystemProperty") && same(jfr_value_text(field(&e, "key")), "null"))
            found += 10 * jfr_value_none(field(&e, "value"));
        if (!strcmp(e.type->name, "jdk.JVMInformation"))
            found += 100 * (same(jfr_value_text(field(&e, "javaArguments")), "app.Main größe") && jfr_value_int(field(&e, "pid")) == 4711 &&
                            jfr_type_field(e.type, "jvmStartTime")->unit == JFR_UNIT_EPOCH_MS);
        if (!strcmp(e.type->name, "jdk.ActiveSetting"))
            found += 1000 * (jfr_value_int(field(&e, "id")) == (int64_t)jfr_chunk_type(chunk, "jdk.ExecutionSample")->id);
        /* VisualVM refuses a recording in which no event has a duration, and this one is in all. */
        if (!strcmp(e.type->name, "jdk.ActiveRecording"))
            found += 10000 * (jfr_type_field(e.type, "duration") && !jfr_value_int(field(&e, "duration")));
    }
    tap_ok(found == 11113, "negative residual, null value, JVM information, setting by event id, duration of the recording (%d)", found);
}

static void test_file(const char *path)
{
    struct jfr_problems problems = {0};
    struct jfr_file *file = NULL;
    struct jfr_chunk *chunk;
    struct error e = {""};
    tap_ok(!sample_write(path, CHUNKS, FLUSHES, &e), "written %s", e.text);
    if (!tap_ok(!jfr_file_open(&file, path, &problems, &e) && jfr_file_chunks(file) == CHUNKS, "read: two chunks"))
        return;
    for (unsigned i = 0; i < CHUNKS; i++) {
        if (!tap_ok(!jfr_chunk_open(&chunk, file, i, &problems, &e) && chunk, "chunk %u", i))
            continue;
        test_counts(chunk, i);
        test_cpu_samples(chunk, i);
        test_threads(chunk);
        test_stacks(chunk);
        if (i == 0)
            test_facts(chunk);
        jfr_chunk_close(chunk);
    }
    tap_ok(!problems.count, "no problems");
    jfr_file_close(file);
}

/* Sizes are equal, up to the padding of a page whose rest is too small for a shell. For differences of sizes the padding may occur
 * twice. */
static bool alike(uint64_t a, uint64_t b)
{
    enum { FILLER = 2 * JFR_TAIL_SHELL };
    return a < b + FILLER && b < a + FILLER;
}

/* When names are needed a second time, the chunk has them already; the next chunk needs them again. */
static void test_delta(const char *path)
{
    struct error e;
    struct jfr_writer *w = sample_open(path, &e);
    uint64_t size[4] = {jfr_writer_chunk_size(w)};
    for (unsigned i = 1; i <= 3; i++) {
        sample_round(w, 1); /* not round 0, which has more events */
        jfr_writer_flush(w, SAMPLE_START_TICKS + i, &e);
        size[i] = jfr_writer_chunk_size(w);
    }
    jfr_writer_rotate(w, SAMPLE_START_TICKS + 4, SAMPLE_START_EPOCH_NS, &e);
    uint64_t fresh = jfr_writer_chunk_size(w);
    tap_ok(alike(fresh, size[0]), "a chunk's size counts from its begin");
    sample_round(w, 1);
    jfr_writer_flush(w, SAMPLE_START_TICKS + 5, &e);
    uint64_t filled = jfr_writer_chunk_size(w), in_file = jfr_writer_size(w);
    struct jfr_bytes b = jfr_bytes_of(path);
    tap_ok(in_file == b.size && b.size > size[3] + filled, "the file's size is that of all chunks, and of the tail");
    free(b.data);
    jfr_writer_close(w, SAMPLE_START_TICKS + 5, &e);
    b = jfr_bytes_of(path);
    tap_ok(alike(b.size, size[3] + filled), "of which nothing is left at the end");
    free(b.data);
    tap_ok(alike(size[2] - size[1], size[3] - size[2]), "flushes without new names grow the chunk alike");
    uint64_t names = size[1] - size[0] - (size[2] - size[1]);
    tap_ok(names > 10 * SAMPLE_DEEP_FRAMES / 2, "the first flush holds the names (%llu bytes)", (unsigned long long)names);
    tap_ok(alike(filled - fresh, size[1] - size[0]), "and so does the first flush of the next chunk");
}

/* Other readers find the checkpoints from the header, each by its distance to the previous one. */
static void test_chain(const char *path)
{
    struct error e;
    sample_write(path, 2, FLUSHES, &e);
    struct jfr_bytes b = jfr_bytes_of(path);
    const uint8_t *end = b.data + b.size;
    uint64_t chunk = input_be(b.data + 8, 8), size, type, skipped, delta = 1, wrong = 0, found = 0;
    for (uint64_t base = 0; base < b.size; base += chunk) {
        chunk = input_be(b.data + base + 8, 8);
        uint64_t offset = input_be(b.data + base + 16, 8);
        for (delta = 1; delta && !wrong; offset += delta, found++) {
            const uint8_t *at = input_varint(input_varint(b.data + base + offset, end, &size), end, &type);
            at = input_varint(input_varint(at, end, &skipped), end, &skipped);
            wrong += !input_varint(at, end, &delta) || type != 1 || (delta && offset + delta >= offset);
        }
        const uint8_t *metadata = b.data + base + input_be(b.data + base + 24, 8);
        wrong += !input_varint(input_varint(metadata, end, &size), end, &type) || type != 0 || size < 1000;
    }
    tap_ok(!wrong && found == 4, "the chain of checkpoints: the fixed ones and one with names, in each chunk");
    free(b.data);
}

/* ---- many names in one flush ---- */

enum { MANY = 200000 };

static size_t one_frame(void *context, uint32_t id, struct jfr_frame *frames, size_t max, bool *truncated)
{
    frames[0] = (struct jfr_frame){id, (int32_t)id, 0, JFR_FRAME_C2};
    return 1;
}

static void own_method(void *context, uint32_t id, struct jfr_method *method)
{
    *method = (struct jfr_method){1, id + 1, 0};
}

static const char *numbered(void *context, uint32_t id, size_t *len)
{
    static char texts[MANY + 2][16];
    *len = (size_t)snprintf(texts[id], sizeof texts[id], "symbol%u", id);
    return texts[id];
}

static void test_piecemeal_checkpoints(const char *path)
{
    struct error e = {""};
    struct jfr_writer *w = NULL;
    struct jfr_pools pools = {NULL, one_frame, own_method, NULL, numbered};
    struct jfr_writer_options options = {.ticks_per_second = 1000, .start_ticks = 1, .memory_max = 4 << 20};
    FILE *f = fopen(path, "w+");
    jfr_writer_new(&w, dup(fileno(f)), &options, &pools, &e);
    for (uint32_t i = 1; i <= MANY; i++)
        jfr_write_execution_sample(w, i, 0, i, JFR_STATE_JAVA);
    tap_ok(!jfr_writer_dropped(w) && !jfr_writer_close(w, MANY, &e),
           "%u stacks in one flush, their names larger than the memory allowed %s", MANY, e.text);
    struct jfr_problems problems = {0};
    struct jfr_file *file;
    struct jfr_chunk *chunk;
    jfr_file_open(&file, path, &problems, &e);
    jfr_chunk_open(&chunk, file, 0, &problems, &e);
    uint32_t wrong = 0;
    for (uint32_t i = 1; i <= MANY; i++) {
        char name[32];
        snprintf(name, sizeof name, "symbol%u", i + 1);
        struct jfr_stack s = stack_at(chunk, i);
        wrong += !next_is(&s, "symbol1", name, JFR_NO_DESCRIPTOR, (int)i, 0, "JIT compiled");
    }
    tap_ok(!wrong && !problems.count, "each of them has its name (%u wrong)", wrong);
    jfr_chunk_close(chunk);
    jfr_file_close(file);
    fclose(f);
}

int main(void)
{
    char path[] = "/tmp/candor-test-XXXXXX";
    close(mkstemp(path));
    test_file(path);
    test_delta(path);
    test_chain(path);
    test_piecemeal_checkpoints(path);
    unlink(path);
    return tap_done();
}
