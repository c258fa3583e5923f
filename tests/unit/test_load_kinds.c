/* What recordings of other profilers contain, by kind: states of async-profiler's two clocks, samples that stand for several,
 * allocations inside and outside of a thread's buffer, live objects, native memory, the names of JDK 9, and events that are samples of
 * no kind.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "compress/intake.h"
#include "jfr/read/reader.h"
#include "jfr_craft.h"
#include "profile/load/load_jfr.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG = 10, STRING, BOOLEAN, TICKS, STATE, STACK, SETTING = 100, SAMPLE, WALL, TLAB, OUTSIDE, OLD_TLAB, LIVE, MALLOC, FREE, OTHER };
enum { DEFAULT = 1, RUNNABLE, SLEEPING };

static const struct craft_type types[] = {
    {LONG, "long"},
    {STRING, "java.lang.String"},
    {BOOLEAN, "boolean"},
    {TICKS, "jdk.jfr.Timestamp", "java.lang.annotation.Annotation"},
    {STATE, "jdk.types.ThreadState", NULL, {{"name", STRING}}},
    {STACK, "jdk.types.StackTrace", NULL, {{"truncated", BOOLEAN}}},
    {SETTING, "jdk.ActiveSetting", "jdk.jfr.Event", {{"startTime", LONG}, {"id", LONG}, {"name", STRING}, {"value", STRING}}},
    {SAMPLE, "jdk.ExecutionSample", "jdk.jfr.Event", {{"startTime", LONG}, {"state", STATE, .pooled = true}}},
    {WALL, "profiler.WallClockSample", "jdk.jfr.Event", {{"startTime", LONG}, {"state", STATE, .pooled = true}, {"samples", LONG}}},
    {TLAB, "jdk.ObjectAllocationInNewTLAB", "jdk.jfr.Event", {{"startTime", LONG}, {"allocationSize", LONG}, {"tlabSize", LONG}}},
    {OUTSIDE, "jdk.ObjectAllocationOutsideTLAB", "jdk.jfr.Event", {{"startTime", LONG}, {"allocationSize", LONG}}},
    {LIVE, "profiler.LiveObject", "jdk.jfr.Event", {{"startTime", LONG}, {"allocationSize", LONG}}},
    {MALLOC, "profiler.Malloc", "jdk.jfr.Event", {{"startTime", LONG}, {"address", LONG}, {"size", LONG}}},
    {FREE, "profiler.Free", "jdk.jfr.Event", {{"startTime", LONG}, {"address", LONG}}},
    {OTHER, "datadog.ObjectSample", "jdk.jfr.Event", {{"startTime", LONG}, {"stackTrace", STACK, .pooled = true}, {"size", LONG}}},
};

static struct buffer file;
static struct profile p;

/* An event at a tick, with further numbers up to -1. */
#define PUT(type, tick, ...) put(type, tick, (const int64_t[]){__VA_ARGS__ __VA_OPT__(, ) - 1})

static void put(unsigned type, int tick, const int64_t *numbers)
{
    size_t event = craft_event(&file, type);
    buffer_varint(&file, CRAFT_START_TICKS + (uint64_t)tick);
    for (; *numbers >= 0; numbers++)
        buffer_varint(&file, (uint64_t)*numbers);
    craft_event_end(&file, event);
}

static void put_setting(const char *name, const char *value)
{
    size_t event = craft_event(&file, SETTING);
    buffer_varint(&file, 0);
    buffer_varint(&file, SAMPLE);
    craft_text(&file, name);
    craft_text(&file, value);
    craft_event_end(&file, event);
}

static size_t begin(void)
{
    buffer_init(&file, 1 << 20);
    return craft_begin(&file, types, sizeof types / sizeof *types);
}

static void end(size_t chunk)
{
    static const char *const names[] = {"STATE_DEFAULT", "STATE_RUNNABLE", "STATE_SLEEPING"};
    size_t pool = craft_pool(&file, STATE, 3);
    for (unsigned i = 0; i < 3; i++) {
        buffer_varint(&file, i + 1);
        craft_text(&file, names[i]);
    }
    craft_event_end(&file, pool);
    craft_end(&file, chunk);
}

static bool load(enum profile_kind kind, bool or_others)
{
    char path[] = "/tmp/candor-kinds-XXXXXX";
    struct error e = {""};
    int fd = mkstemp(path);
    profile_deinit(&p);
    profile_init(&p);
    p.kind = kind;
    p.or_others = or_others;
    bool good = fd >= 0 && write(fd, file.data, file.len) == (ssize_t)file.len && !profile_load_jfr(&p, path, &e);
    if (!good)
        tap_note("%s", e.text);
    close(fd);
    unlink(path);
    return good;
}

static void holds(enum profile_kind kind, uint32_t samples, uint64_t weight, const char *source, const char *about)
{
    bool good = load(kind, false) && p.sampled == samples && p.weight == weight && !strcmp(profile_text(&p, p.source), source);
    if (!tap_ok(good, "%s: %s", profile_kinds[kind].word, about))
        tap_note("%u samples, weight %llu, of '%s'", p.sampled, (unsigned long long)p.weight, profile_text(&p, p.source));
}

static bool has_problem(const char *text)
{
    for (uint32_t i = 0; i < p.problem_count; i++)
        if (strstr(profile_text(&p, p.problems[i].text), text))
            return true;
    return false;
}

static void test_states(void)
{
    size_t chunk = begin();
    put_setting("interval", "10000000");
    PUT(SAMPLE, 1, RUNNABLE);
    PUT(SAMPLE, 2, SLEEPING);
    PUT(SAMPLE, 3, SLEEPING);
    end(chunk);
    holds(PROFILE_RUNNING, 1, 10000000, "jdk.ExecutionSample", "a thread that sleeps uses no CPU");
    tap_ok(has_problem("2 jdk.ExecutionSample events are wall-clock samples (2 of sleeping threads)"), "and that is said");
    holds(PROFILE_WALL, 3, 30000000, "jdk.ExecutionSample", "of the wall clock all are");
    buffer_deinit(&file);

    chunk = begin();
    put_setting("interval", "2000000");
    put_setting("wall", "5000000");
    PUT(SAMPLE, 1, DEFAULT);
    PUT(SAMPLE, 2, DEFAULT);
    PUT(SAMPLE, 3, RUNNABLE);
    PUT(SAMPLE, 4, SLEEPING);
    end(chunk);
    holds(PROFILE_RUNNING, 2, 4000000, "jdk.ExecutionSample", "beside a wall clock, the CPU clock's own");
    holds(PROFILE_WALL, 2, 10000000, "jdk.ExecutionSample", "and the wall clock's, by its own interval");
    buffer_deinit(&file);

    chunk = begin();
    PUT(SAMPLE, 1, SLEEPING);
    end(chunk);
    tap_ok(load(PROFILE_RUNNING, true) && p.kind == PROFILE_WALL && p.sampled == 1, "where all threads slept, wall-clock time is shown");
    buffer_deinit(&file);

    chunk = begin();
    PUT(SAMPLE, 1, RUNNABLE);
    end(chunk);
    holds(PROFILE_WALL, 0, 0, "", "without a sample of a sleeping thread there was no wall clock");
    buffer_deinit(&file);
}

static void test_wall_clock(void)
{
    size_t chunk = begin();
    put_setting("interval", "2000000");
    put_setting("wall", "0");
    PUT(SAMPLE, 1, DEFAULT);
    PUT(WALL, 2, SLEEPING, 40);
    PUT(WALL, 3, RUNNABLE, 1);
    end(chunk);
    holds(PROFILE_WALL, 41, UINT64_C(41) * 50000000, "profiler.WallClockSample", "an event is several samples, by default of 50 ms");
    holds(PROFILE_RUNNING, 1, 2000000, "jdk.ExecutionSample", "which are no CPU time");
    buffer_deinit(&file);

    chunk = begin();
    PUT(WALL, 2, SLEEPING, 40);
    end(chunk);
    tap_ok(load(PROFILE_RUNNING, true) && p.kind == PROFILE_WALL && p.sampled == 40 && p.unit == PROFILE_UNIT_SAMPLES,
           "where nothing else is, they are shown; without an interval they are a number");
    tap_ok(load(PROFILE_RUNNING, false) && p.kind == PROFILE_RUNNING && !p.sampled, "unless cpu alone is wanted");
    buffer_deinit(&file);
}

static void test_objects(void)
{
    size_t chunk = begin();
    PUT(TLAB, 1, 24, 1000);
    PUT(OUTSIDE, 2, 500);
    PUT(LIVE, 4, 24);
    PUT(LIVE, 5, 300);
    end(chunk);
    holds(PROFILE_ALLOC, 2, 1500, "jdk.ObjectAllocationInNewTLAB", "a new buffer weighs its size, an object outside its own");
    holds(PROFILE_LIVE, 2, 324, "profiler.LiveObject", "live objects weigh their size");
    tap_ok(load(PROFILE_RUNNING, true) && p.kind == PROFILE_ALLOC && p.weight == 1500, "allocations where there is no CPU time");
    buffer_deinit(&file);
}

static void test_old_names(void)
{
    static const struct craft_type old[] = {
        {LONG, "long"},
        {OLD_TLAB,
         "com.oracle.jdk.ObjectAllocationInNewTLAB",
         "jdk.jfr.Event",
         {{"startTime", LONG}, {"allocationSize", LONG}, {"tlabSize", LONG}}},
    };
    buffer_init(&file, 1 << 20);
    size_t chunk = craft_begin(&file, old, sizeof old / sizeof *old);
    PUT(OLD_TLAB, 3, 16, 2000);
    end(chunk);
    holds(PROFILE_ALLOC, 1, 2000, "jdk.ObjectAllocationInNewTLAB", "by the names of JDK 9");
    tap_ok(p.event_type_count == 1 && p.event_types[0].kinds == PROFILE_KIND_BIT(ALLOC), "which are listed as such");
    buffer_deinit(&file);
}

static void test_native_memory(void)
{
    size_t chunk = begin();
    PUT(MALLOC, 10, 0x1000, 100);
    PUT(FREE, 40, 0x1000);
    PUT(MALLOC, 50, 0x1000, 7); /* the same address anew */
    PUT(MALLOC, 60, 0x2000, 30);
    PUT(FREE, 5, 0x2000); /* an earlier owner's */
    PUT(FREE, 70, 0x3000);
    PUT(MALLOC, 80, 0x4000, 1000);
    end(chunk);
    chunk = craft_begin(&file, types, sizeof types / sizeof *types);
    PUT(FREE, 90, 0x4000);
    end(chunk);
    holds(PROFILE_NATIVEMEM, 4, 1137, "profiler.Malloc", "all that was allocated");
    holds(PROFILE_NATIVELEAK, 2, 37, "profiler.Malloc", "what was not freed later, in another chunk either");
    tap_ok(!p.problem_count, "and all events are used");
    buffer_deinit(&file);

    chunk = begin();
    PUT(MALLOC, 10, 0x1000, 100);
    PUT(MALLOC, 20, 0x2000, INT64_MAX);
    PUT(MALLOC, 25, 0x2100, INT64_MAX);
    PUT(MALLOC, 30, 0x3000, 7);
    PUT(FREE, 40, 0x1000);
    end(chunk);
    load(PROFILE_NATIVELEAK, false);
    tap_ok(has_problem("samples left out: their weights are impossible") && p.sampled >= 1 && p.samples[p.sample_count - 1].weight == 7,
           "a size that cannot be true does not hide those after it");
    tap_ok(!has_problem("what was freed"), "some memory was freed");
    buffer_deinit(&file);

    chunk = begin();
    PUT(MALLOC, 10, 0x1000, 100);
    end(chunk);
    holds(PROFILE_NATIVELEAK, 1, 100, "profiler.Malloc", "where no event says what was freed, all of it");
    tap_ok(has_problem("which show what was freed"), "with a warning");
    buffer_deinit(&file);
}

static void test_others(void)
{
    size_t chunk = begin();
    PUT(SAMPLE, 1, RUNNABLE);
    PUT(OTHER, 2, 0, 8);
    PUT(OTHER, 3, 0, 8);
    PUT(LIVE, 4, 24);
    end(chunk);
    holds(PROFILE_RUNNING, 1, 1, "jdk.ExecutionSample", "beside events of no kind");
    tap_ok(has_problem("2 datadog.ObjectSample events are not used"), "which are named");
    bool found = false;
    for (uint32_t i = 0; i < p.event_type_count; i++) {
        const struct profile_event_type *type = &p.event_types[i];
        found |= !strcmp(profile_text(&p, type->name), "datadog.ObjectSample") && type->count == 2 && !type->kinds;
    }
    tap_ok(found, "and counted");
    buffer_deinit(&file);
}

/* ---- all kinds in one pass ---- */

static atomic_uint opened; /* chunks */

int __real_jfr_chunk_open_next(struct jfr_chunk **out, const struct jfr_file *f, uint32_t index, struct jfr_declared *declared,
                               struct jfr_problems *problems, struct error *e);

int __wrap_jfr_chunk_open_next(struct jfr_chunk **out, const struct jfr_file *f, uint32_t index, struct jfr_declared *declared,
                               struct jfr_problems *problems, struct error *e);
int __wrap_jfr_chunk_open_next(struct jfr_chunk **out, const struct jfr_file *f, uint32_t index, struct jfr_declared *declared,
                               struct jfr_problems *problems, struct error *e)
{
    opened++;
    return __real_jfr_chunk_open_next(out, f, index, declared, problems, e);
}

static void put_some(int tick)
{
    PUT(SAMPLE, tick, RUNNABLE);
    PUT(SAMPLE, tick + 1, SLEEPING);
    PUT(WALL, tick + 2, SLEEPING, 5);
    PUT(TLAB, tick + 3, 16, 1000);
    PUT(LIVE, tick + 4, 24);
    PUT(MALLOC, tick + 5, 0x1000, 100);
    PUT(OTHER, tick + 6, 0, 8);
}

/* p is the result of a separate pass. */
static bool is_same(const struct profile *one)
{
    bool same = one->sampled == p.sampled && one->sample_count == p.sample_count && one->weight == p.weight && one->unit == p.unit &&
                one->kinds == p.kinds && one->problem_count == p.problem_count && one->event_type_count == p.event_type_count &&
                one->node_count == p.node_count && one->label_count == p.label_count && one->strings.count == p.strings.count &&
                one->interval_ns == p.interval_ns && one->start_ns == p.start_ns;
    for (uint32_t i = 0; same && i < p.sample_count; i++)
        same = one->samples[i].time_ns == p.samples[i].time_ns && one->samples[i].weight == p.samples[i].weight &&
               one->samples[i].stack == p.samples[i].stack;
    return same;
}

static void test_one_pass(void)
{
    struct profile kinds[PROFILE_KINDS], *list[PROFILE_KINDS];
    struct intake in;
    struct error e;
    size_t chunk = begin();
    put_setting("interval", "2000000");
    put_some(10);
    end(chunk);
    chunk = craft_begin(&file, types, sizeof types / sizeof *types);
    put_some(50);
    end(chunk);
    for (int i = 0; i < PROFILE_KINDS; i++) {
        list[i] = &kinds[i];
        profile_init(list[i]);
        list[i]->kind = (enum profile_kind)i;
    }
    opened = 0;
    tap_ok(!intake_open_memory(&in, file.data, file.len, "test", &e) && !profile_load_jfr_kinds(list, PROFILE_KINDS, &in, "test", &e),
           "all kinds are read");
    tap_ok(opened == 2, "each of two chunks once: %u", opened);
    for (int i = 0; i < PROFILE_KINDS; i++) {
        bool good = load((enum profile_kind)i, false) && is_same(&kinds[i]);
        tap_ok(good, "%s: %u samples, as a pass for itself gives", profile_kinds[i].word, kinds[i].sampled);
        profile_deinit(&kinds[i]);
    }
    buffer_deinit(&file);
}

int main(void)
{
    profile_init(&p);
    test_states();
    test_wall_clock();
    test_objects();
    test_old_names();
    test_native_memory();
    test_others();
    test_one_pass();
    profile_deinit(&p);
    return tap_done();
}
