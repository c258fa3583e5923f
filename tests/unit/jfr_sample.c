#include "jfr_sample.h"

#include "base/time_units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

static const char *const symbols[] = {
    "",
    "main",
    "wörker-日本-𝄞",
    "GC Thread#0",
    "java.util.HashMap",
    "put",
    "(Ljava/lang/Object;Ljava/lang/Object;)V",
    "app.Main",
    "run",
    "()V",
    "naïve.Größe",
    "λ",
    "([J[[Ljava/lang/String;)[I",
    "libc.so.6",
    "memcpy",
    "not_walkable",
    "libjvm.so!PhaseIdealLoop",
    "complete",
    "truncated",
    "deep",
    "recurse",
};
enum { SYMBOLS = sizeof symbols / sizeof symbols[0] };

static const struct jfr_method methods[] = {
    {0},          {4, 5, 6}, /* java.util.HashMap.put */
    {7, 8, 9},               /* app.Main.run */
    {10, 11, 12},            /* naïve.Größe.λ */
    {13, 14, 0},             /* memcpy */
    {15, 16, 0},             /* a failed walk */
    {19, 20, 9},             /* deep.recurse */
};

static const struct jfr_thread threads[SAMPLE_THREADS + 1] = {{.os_id = 0},
                                                              {.os_id = 4711, .java_id = 1},
                                                              {.os_id = 4712, .java_id = 42},
                                                              {.os_id = 4713}};

static const struct jfr_frame stack_1[] = {{1, 631, 7, JFR_FRAME_C2}, {2, 12, 3, JFR_FRAME_INTERPRETED}};
static const struct jfr_frame stack_2[] = {{3, 1, 0, JFR_FRAME_C1}, {1, 640, 9, JFR_FRAME_INLINED}, {2, 14, 8, JFR_FRAME_C2}};
static const struct jfr_frame stack_3[] = {{4, 0, 0, JFR_FRAME_NATIVE}, {2, -1, 0, JFR_FRAME_C2}};
static const struct jfr_frame stack_4[] = {{2, 12, 3, JFR_FRAME_INTERPRETED}};
static const struct jfr_frame stack_6[] = {{5, 0, 0, JFR_FRAME_FAILED}};
static const struct {
    const struct jfr_frame *frames;
    size_t count;
} stacks[SAMPLE_STACKS + 1] = {{0}, {stack_1, 2}, {stack_2, 3}, {stack_3, 2}, {stack_4, 1}, {0}, {stack_6, 1}};

static size_t stack_of(void *context, uint32_t id, struct jfr_frame *frames, size_t max, bool *truncated)
{
    bool own = id >= SAMPLE_OWN_STACKS;
    *truncated = id == SAMPLE_DEEP_STACK;
    if (id != SAMPLE_DEEP_STACK && !own) {
        memcpy(frames, stacks[id].frames, stacks[id].count * sizeof *frames);
        return stacks[id].count;
    }
    size_t n = own ? SAMPLE_OWN_FRAMES : SAMPLE_DEEP_FRAMES;
    if (n > max)
        n = max;
    for (size_t i = 0; i < n; i++)
        frames[i] = (struct jfr_frame){6, (int32_t)(own ? id : i + 1), (uint32_t)i, JFR_FRAME_C2};
    return n;
}

static void method_of(void *context, uint32_t id, struct jfr_method *method)
{
    *method = methods[id];
}

static void thread_of(void *context, uint32_t id, struct jfr_thread *thread)
{
    const struct jfr_name name = {symbols[id], strlen(symbols[id])}; /* thread 1 has symbol 1 as its name */
    *thread = threads[id];
    thread->os_name = name;
    if (thread->java_id)
        thread->java_name = name;
}

static const char *symbol_of(void *context, uint32_t id, size_t *len)
{
    *len = strlen(symbols[id]);
    return symbols[id];
}

struct jfr_pools sample_pools(void)
{
    return (struct jfr_pools){NULL, stack_of, method_of, thread_of, symbol_of};
}

const char *sample_symbol(uint32_t id)
{
    return symbols[id];
}

uint32_t sample_symbol_id(const char *text)
{
    for (uint32_t i = 0; i < SYMBOLS; i++)
        if (!strcmp(symbols[i], text))
            return i;
    return 0;
}

static struct jfr_writer *open_writer(const char *path, bool ring, struct error *e)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) {
        error_set(e, -errno, "%s: %s", path, strerror(errno));
        return NULL;
    }
    struct jfr_writer_options options = {.ticks_per_second = SAMPLE_TICKS_PER_SECOND,
                                         .start_ticks = SAMPLE_START_TICKS,
                                         .start_epoch_ns = SAMPLE_START_EPOCH_NS,
                                         .ring = ring};
    struct jfr_pools pools = sample_pools();
    struct jfr_writer *w = NULL;
    jfr_writer_new(&w, fd, &options, &pools, e);
    return w;
}

struct jfr_writer *sample_open(const char *path, struct error *e)
{
    return open_writer(path, false, e);
}

struct jfr_writer *sample_open_ring(const char *path, struct error *e)
{
    return open_writer(path, true, e);
}

static uint64_t round_ticks(unsigned round)
{
    return SAMPLE_START_TICKS + (uint64_t)round * SAMPLE_TICKS_PER_SECOND;
}

static void write_facts(struct jfr_writer *w, uint64_t t)
{
    struct jfr_jvm_information jvm = {
        "OpenJDK 64-Bit Server VM", "25.0.3", "-Xmx1g -Dsecret=[redacted]", "", "app.Main größe", 1699999999000, 4711};
    jfr_write_active_recording(w, t, "candor", "/tmp/out.jfr", SAMPLE_START_EPOCH_NS / NS_PER_MS, 30000);
    jfr_write_active_setting(w, t, "jdk.ExecutionSample", "period", "10 ms");
    jfr_write_jvm_information(w, t, &jvm);
    jfr_write_os_information(w, t, "Linux 6.1");
    jfr_write_cpu_information(w, t, "x86-64", "an imaginary machine", 1, 2, 4);
    jfr_write_system_property(w, t, "java.vm.name", "OpenJDK 64-Bit Server VM");
    jfr_write_system_property(w, t, "empty", "");
    jfr_write_system_property(w, t, "null", NULL);
    jfr_write_setting(w, t, "clock", "sigtrap");
    jfr_write_setting(w, t, "interval_ns", "10000000");
    jfr_write_log(w, t, "warning", "debug info is sparse: start with -agentpath");
}

static void write_books(struct jfr_writer *w, uint64_t t, unsigned round)
{
    uint64_t n = round + 1;
    jfr_write_book_line(w, t, "cpu", "", (int64_t)(n * 600000000), 0);
    jfr_write_book_line(w, t, "failed", "not_walkable", (int64_t)(n * 100000000), 10 * n);
    jfr_write_book_line(w, t, "residual", "", -1234567, 0);
    for (uint32_t thread = 1; thread <= SAMPLE_THREADS; thread++)
        jfr_write_thread_cpu(w, t, thread, n * 200000000, n * 20);
}

static void write_allocations(struct jfr_writer *w, uint64_t t)
{
    for (uint32_t i = 0; i < SAMPLE_ALLOCATIONS; i++)
        jfr_write_allocation_sample(w, &(struct jfr_allocation_sample){.ticks = t + i,
                                                                       .thread = 1,
                                                                       .stack = 1,
                                                                       .class_name = sample_symbol_id("java.util.HashMap"),
                                                                       .weight = SAMPLE_ALLOCATED,
                                                                       .size = 48,
                                                                       .interval = UINT64_MAX, /* as long as a number can be */
                                                                       .counted = UINT64_MAX,
                                                                       .outcome = sample_symbol_id("complete")});
}

static void write_waits(struct jfr_writer *w, uint64_t t)
{
    struct jfr_lock_wait wait = {.thread = 2,
                                 .stack = 2,
                                 .duration_ticks = SAMPLE_WAITED,
                                 .class_name = sample_symbol_id("app.Main"),
                                 .has_class = true,
                                 .owner = 1,
                                 .address = 0x7fff12345678,
                                 .timeout_ns = INT64_MIN,
                                 .until_epoch_ms = INT64_MIN,
                                 .weight_ns = SAMPLE_WAITED,
                                 .finished = true,
                                 .outcome = sample_symbol_id("complete")};
    for (uint32_t i = 0; i < SAMPLE_WAITS; i++) {
        wait.ticks = t + i;
        jfr_write_monitor_enter(w, &wait);
        jfr_write_thread_park(w, &wait);
    }
}

void sample_round(struct jfr_writer *w, unsigned round)
{
    uint64_t t = round_ticks(round);
    if (round == 0)
        write_facts(w, t);
    for (uint32_t i = 0; i < SAMPLE_CPU_SAMPLES; i++) {
        uint32_t stack = i % SAMPLE_STACKS + 1;
        const char *outcome = stack == SAMPLE_FAILED_STACK ? "not_walkable" : stack == SAMPLE_DEEP_STACK ? "truncated" : "complete";
        jfr_write_cpu_sample(w, &(struct jfr_cpu_sample){.ticks = t + i * 10000000,
                                                         .thread = i % SAMPLE_THREADS + 1,
                                                         .stack = stack,
                                                         .weight_ns = 10 * NS_PER_MS + i,
                                                         .outcome = sample_symbol_id(outcome),
                                                         .state = stack % JFR_STATES,
                                                         .pc = 0x7fff12345678 + i});
    }
    for (uint32_t i = 0; i < SAMPLE_EXECUTION_SAMPLES; i++)
        jfr_write_execution_sample(w, t + i * 10000000, i % SAMPLE_THREADS + 1, i % SAMPLE_STACKS + 1, JFR_STATE_JAVA);
    write_allocations(w, t);
    write_waits(w, t);
    write_books(w, t + 999999999, round);
}

int sample_write(const char *path, unsigned chunks, unsigned flushes, struct error *e)
{
    struct jfr_writer *w = sample_open(path, e);
    if (!w)
        return -1;
    unsigned round = 0;
    for (unsigned c = 0; c < chunks; c++) {
        for (unsigned f = 0; f < flushes; f++) {
            sample_round(w, round++);
            jfr_writer_flush(w, round_ticks(round), e);
        }
        if (c + 1 < chunks)
            jfr_writer_rotate(w, round_ticks(round), SAMPLE_START_EPOCH_NS + round * NS_PER_S, e);
    }
    return jfr_writer_close(w, round_ticks(round), e);
}

int sample_write_small(const char *path, struct error *e)
{
    struct jfr_writer *w = sample_open(path, e);
    if (!w)
        return -1;
    uint64_t t = SAMPLE_START_TICKS;
    for (uint32_t i = 1; i <= 3; i++) {
        jfr_write_cpu_sample(w, &(struct jfr_cpu_sample){.ticks = t + i,
                                                         .thread = i,
                                                         .stack = i,
                                                         .weight_ns = 10 * NS_PER_MS,
                                                         .outcome = sample_symbol_id("complete"),
                                                         .state = JFR_STATE_JAVA,
                                                         .pc = 4096});
        jfr_write_execution_sample(w, t + i, i, i, JFR_STATE_JAVA);
        jfr_writer_flush(w, t + i, e);
    }
    jfr_write_book_line(w, t, "residual", "", -1, 0);
    jfr_write_setting(w, t, "clock", "signal");
    return jfr_writer_close(w, t + SAMPLE_TICKS_PER_SECOND, e);
}
