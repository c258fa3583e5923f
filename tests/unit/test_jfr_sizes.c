/* How the writer saves bytes: one byte for the sizes of small events, times that are no finer than requested, no types without events,
 * and keys of stacks and methods that are counted in each chunk. Names are sorted, which helps programs that pack the file.
 * tier: quick
 * timeout: 20
 * aarch64: yes */
#include "base/time_units.h"
#include "jfr_sample.h"

#include "../tap.h"
#include "jfr/read/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST = 300, GRAIN = 1000 };
#define STEP_NS 1234567u

static const uint64_t start = 5000000999, start_epoch_ns = 1700000000123456789;

static int open_writer(struct jfr_writer **w, const char *path, uint64_t per_second, uint32_t grain, struct error *e)
{
    struct jfr_pools pools = sample_pools();
    struct jfr_writer_options options = {
        .ticks_per_second = per_second, .grain = grain, .start_ticks = start, .start_epoch_ns = start_epoch_ns};
    return jfr_writer_new(w, open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), &options, &pools, e);
}

/* A setting for each possible length of its value. */
static void write_all(const char *path, uint32_t grain, struct error *e)
{
    struct jfr_writer *w;
    char value[LONGEST + 1];
    uint64_t now = start;
    if (open_writer(&w, path, NS_PER_S, grain, e))
        return;
    memset(value, 'v', sizeof value);
    for (size_t n = 0; n <= LONGEST; n++, now += STEP_NS) {
        value[n] = 0;
        jfr_write_setting(w, now, "name", value);
        value[n] = 'v';
    }
    jfr_writer_close(w, now - STEP_NS, e);
}

struct found {
    unsigned events, lengths, times, outside, long_sizes;
};

/* The times of events are those that were given, rounded to the grain, and within their chunk. */
static void check_event(struct jfr_event *event, const struct jfr_chunk_info *info, const uint8_t *bytes, uint32_t grain, struct found *f)
{
    struct jfr_text value = jfr_value_text(jfr_event_value(event, jfr_type_field(event->type, "value")));
    uint64_t ticks = start + f->events * (uint64_t)STEP_NS;
    int64_t expected = (int64_t)(start_epoch_ns + (ticks / grain - start / grain) * grain), time = jfr_event_epoch_ns(event);
    f->lengths += value.len == f->events;
    f->times += time == expected;
    f->outside += time < info->start_ns || time > info->start_ns + info->duration_ns;
    f->long_sizes += bytes[event->offset] >= 0x80 ? event->size <= 127 : event->size > 127;
    f->events++;
}

static void test_grain(const char *path, uint32_t grain)
{
    struct error e = {""};
    struct jfr_problems problems = {0};
    struct jfr_file *file;
    struct jfr_chunk *chunk;
    struct jfr_event event;
    struct found f = {0};
    write_all(path, grain, &e);
    if (!tap_ok(!jfr_file_open(&file, path, &problems, &e) && !jfr_chunk_open(&chunk, file, 0, &problems, &e) && chunk,
                "grain %u: reads back %s", grain, e.text))
        return;
    const struct jfr_chunk_info *info = jfr_chunk_get_info(chunk);
    tap_ok(info->ticks_per_second == NS_PER_S / grain && (uint64_t)info->start_ticks == start / grain &&
               (uint64_t)info->start_ns == start_epoch_ns,
           "the header's clock");
    for (struct jfr_cursor cursor = jfr_cursor_init(chunk); jfr_cursor_next(&cursor, &event);)
        if (!strcmp(event.type->name, "candor.Setting"))
            check_event(&event, info, jfr_file_bytes(file), grain, &f);
    tap_ok(f.events == LONGEST + 1 && f.lengths == f.events, "settings of every length up to %d: %u", LONGEST, f.lengths);
    tap_ok(f.times == f.events && !f.outside, "at their times: %u, %u of them outside of the chunk", f.times, f.outside);
    tap_ok(!f.long_sizes && !problems.count, "with sizes as short as can be");
    jfr_chunk_close(chunk);
    jfr_file_close(file);
}

/* ---- types that are not declared ---- */

static void test_without(const char *path)
{
    static const struct {
        uint32_t without;
        const char *type;
    } parts[] = {{JFR_WITHOUT_HALT, "candor.SafepointCount"},
                 {JFR_WITHOUT_LOCK, "candor.LockHolder"},
                 {JFR_WITHOUT_ALLOC, "jdk.ObjectAllocationSample"},
                 {JFR_WITHOUT_LIVE, "jdk.types.Reference"},
                 {JFR_WITHOUT_CPU, "candor.CpuSample"},
                 {JFR_WITHOUT_COUNTS, "candor.EventSample"},
                 {JFR_WITHOUT_WALL, "candor.WallSample"},
                 {JFR_WITHOUT_SAFEPOINT, "candor.SafepointSample"},
                 {JFR_WITHOUT_CODE, "candor.CodeName"},
                 {JFR_WITHOUT_BASES, "candor.BookBase"}};
    enum { PARTS = sizeof parts / sizeof *parts };
    struct jfr_pools pools = sample_pools();
    struct error e = {""};
    for (unsigned i = 0; i < PARTS; i++) {
        struct jfr_writer_options options = {.ticks_per_second = 1000, .start_ticks = 1, .without = parts[i].without};
        struct jfr_writer *w;
        struct jfr_file *file;
        struct jfr_chunk *chunk;
        unsigned declared = 0;
        jfr_writer_new(&w, open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), &options, &pools, &e);
        jfr_write_log(w, 1, "info", "something");
        jfr_writer_close(w, 2, &e);
        bool opened = !jfr_file_open(&file, path, NULL, &e) && !jfr_chunk_open(&chunk, file, 0, NULL, &e);
        for (unsigned k = 0; opened && k < PARTS; k++)
            declared += jfr_chunk_type(chunk, parts[k].type) != NULL;
        tap_ok(opened && declared == PARTS - 1 && !jfr_chunk_type(chunk, parts[i].type), "no %s, and all others %s", parts[i].type, e.text);
        jfr_chunk_close(chunk);
        jfr_file_close(file);
    }
}

/* ---- stacks and methods whose ids lie far apart ---- */

enum { METHODS = 100 };

static uint32_t far_id(uint32_t i)
{
    return 100000 + i * 7919;
}

static uint32_t far_index(uint32_t id)
{
    return (id - far_id(0)) / (far_id(1) - far_id(0));
}

/* Two frames each; the caller is a method of the previous stack. */
static size_t far_stack(void *context, uint32_t id, struct jfr_frame *frames, size_t max, bool *truncated)
{
    id = far_index(id);
    frames[0] = (struct jfr_frame){far_id(id), 1, 0, JFR_FRAME_C2};
    frames[1] = (struct jfr_frame){far_id(id - 1), 2, 0, JFR_FRAME_C2};
    return 2;
}

static void far_method(void *context, uint32_t id, struct jfr_method *method)
{
    *method = (struct jfr_method){1, id, 0};
}

static const char *numbered(void *context, uint32_t id, size_t *len)
{
    static char texts[METHODS + 2][16];
    char *text = texts[id >= far_id(0) ? far_index(id) : METHODS + 1];
    *len = (size_t)snprintf(text, sizeof texts[0], "symbol%u", id);
    return text;
}

static unsigned wrong_methods(struct jfr_chunk *chunk, uint32_t key, uint32_t i)
{
    struct jfr_stack stack;
    struct jfr_raw_frame raw;
    struct jfr_method_info method;
    unsigned wrong = 0;
    char name[32];
    jfr_stack_of(jfr_pool_get(chunk, jfr_chunk_type(chunk, "jdk.types.StackTrace"), key), &stack);
    for (uint32_t caller = 0; caller < 2; caller++) {
        snprintf(name, sizeof name, "symbol%u", far_id(i - caller));
        bool good = stack.raw && jfr_stack_next_raw(&stack, &raw) && raw.method >= 1 && raw.method <= METHODS + 1 &&
                    jfr_method_of(jfr_stack_method(&stack, raw.method), &method);
        wrong += !good || method.name.len != strlen(name) || memcmp(method.name.bytes, name, method.name.len) != 0;
    }
    return wrong;
}

/* Whether the names in each chunk are sorted, whatever the order in which they came. */
static bool are_sorted(const char *path, unsigned chunks)
{
    static char bytes[1 << 20];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = read(fd, bytes, sizeof bytes);
    const char *at = bytes;
    close(fd);
    for (unsigned i = 0; at && n > 0 && i < chunks * (METHODS + 1); i++) {
        char name[32];
        int len = snprintf(name, sizeof name, "symbol%u", far_id(i % (METHODS + 1)));
        at = memmem(at, (size_t)(bytes + n - at), name, (size_t)len);
    }
    return at && n > 0;
}

/* The last one first. */
static void far_sort(void *context, uint32_t *ids, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        uint32_t id = ids[i];
        ids[i] = ids[count - 1 - i];
        ids[count - 1 - i] = id;
    }
}

/* Keys of methods are counted in the order in which stacks are written. */
static uint64_t method_of_last(struct jfr_chunk *chunk)
{
    struct jfr_stack stack;
    struct jfr_raw_frame raw = {0};
    jfr_stack_of(jfr_pool_get(chunk, jfr_chunk_type(chunk, "jdk.types.StackTrace"), METHODS), &stack);
    return stack.raw && jfr_stack_next_raw(&stack, &raw) ? raw.method : 0;
}

/* In each of two chunks, whose stacks come in different orders. */
static void test_methods(const char *path)
{
    struct jfr_pools pools = {NULL, far_stack, far_method, NULL, numbered, .sort_stacks = far_sort};
    struct jfr_writer_options options = {.ticks_per_second = 1000, .start_ticks = 1};
    struct error e = {""};
    struct jfr_writer *w;
    struct jfr_file *file;
    struct jfr_chunk *chunk;
    unsigned wrong = 0, unsorted = 0;
    jfr_writer_new(&w, open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), &options, &pools, &e);
    for (uint32_t i = 1; i <= METHODS; i++)
        jfr_write_execution_sample(w, i, 0, far_id(i), JFR_STATE_JAVA);
    jfr_writer_rotate(w, METHODS, 1, &e);
    for (uint32_t i = METHODS; i > 0; i--)
        jfr_write_execution_sample(w, METHODS + i, 0, far_id(i), JFR_STATE_JAVA);
    jfr_writer_close(w, 2 * METHODS + 1, &e);
    if (!tap_ok(!jfr_file_open(&file, path, NULL, &e) && jfr_file_chunks(file) == 2, "two chunks %s", e.text))
        return;
    for (uint32_t c = 0; c < 2; c++) {
        jfr_chunk_open(&chunk, file, c, NULL, &e);
        for (uint32_t i = 1; i <= METHODS; i++)
            wrong += wrong_methods(chunk, i, c ? METHODS + 1 - i : i);
        unsorted += method_of_last(chunk) != 1;
        jfr_chunk_close(chunk);
    }
    tap_ok(!unsorted, "stacks are written in the order that they were sorted in");
    tap_ok(!wrong, "stacks and methods are there under keys that are as small as can be: %u are not", wrong);
    jfr_file_close(file);
    tap_ok(are_sorted(path, 2), "names are sorted");
}

int main(void)
{
    char path[] = "/tmp/candor-sizes-XXXXXX";
    struct jfr_writer *w;
    struct error e;
    close(mkstemp(path));
    test_grain(path, 1);
    test_grain(path, GRAIN);
    test_without(path);
    test_methods(path);
    tap_ok(open_writer(&w, path, 1000, 300, &e) == -EINVAL, "a clock of 3.3 ticks per second: %s", e.text);
    unlink(path);
    return tap_done();
}
