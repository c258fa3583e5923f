#include "format_seed.h"

#include "base/buffer.h"
#include "base/time_units.h"
#include "format/collapsed.h"
#include "format/otlp.h"
#include "format/pprof.h"
#include "compress/intake.h"
#include "format/speedscope.h"
#include "format_text.h"
#include "profile_maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void must(bool good, const char *what)
{
    if (!good) {
        printf("Bail out! %s\n", what);
        exit(1);
    }
}

static uint32_t frame(struct profile *p, const char *class_name, const char *name, const char *descriptor, int32_t line, uint32_t bci,
                      uint8_t type)
{
    uint32_t method, id;
    must(!profile_method(p, maker_string(p, class_name), maker_string(p, name), maker_string(p, descriptor), &method) &&
             !profile_frame(p, method, line, bci, type, &id),
         "out of memory");
    return id;
}

static void add(struct profile *p, uint32_t stack, uint32_t thread, uint8_t state, const char *outcome, int64_t time, uint64_t weight)
{
    struct profile_sample s = {
        .stack = stack, .thread = thread, .state = state, .outcome = maker_string(p, outcome), .time_ns = time, .weight = weight};
    must(!profile_add_sample(p, &s), "out of memory");
}

static uint32_t label(struct profile *p, uint32_t set, const char *key, const char *value, const char *unit, bool number)
{
    const struct profile_label l = {
        .parent = set, .key = maker_string(p, key), .value = maker_string(p, value), .unit = maker_string(p, unit), .number = number};
    must(!profile_label(p, &l, &set), "out of memory");
    return set;
}

/* Some samples get labels: a text, a text and numbers, nothing. */
static void add_labels(struct profile *p)
{
    uint32_t one = label(p, 0, "endpoint", "GET /caf\xc3\xa9?a=\"b\"", "", false);
    uint32_t more = label(p, label(p, one, "bytes", "4096", "bytes", true), "span id", "-17", "", true);
    uint32_t other = label(p, label(p, 0, "zero", "0", "", true), "endpoint", "4096", "", false);
    const uint32_t sets[] = {0, one, more, other};
    for (uint32_t i = 0; i < p->sample_count; i++)
        p->samples[i].labels = sets[i % 4];
}

void format_seed_profile(struct profile *p)
{
    static const int64_t start = 1700000000000000000;
    uint32_t run, hot, inlined, native, failed, mark, second, gc;
    maker_init(p);
    must(!profile_thread(p, maker_string(p, "w\xc3\xb6rker \"1\"; x"), 4712, 17, &second) &&
             !profile_thread(p, maker_string(p, "GC Thread#0"), 4713, 0, &gc),
         "out of memory");
    uint32_t frames[] = {frame(p, "java.lang.Thread", "run", "()V", 840, 11, JFR_FRAME_INTERPRETED),
                         frame(p, "demo.Work$$Lambda/0x1f", "hot", "(ILjava/lang/String;)V", 23, 7, JFR_FRAME_C2),
                         frame(p, "demo.Work", "<init>", "()V", 24, 9, JFR_FRAME_INLINED),
                         frame(p, "libc.so.6", "memcpy", JFR_NO_DESCRIPTOR, 0, 0, JFR_FRAME_NATIVE),
                         frame(p, "gc_active", "evacuate", "", 0, 0, JFR_FRAME_FAILED)};
    must(!profile_truncation_frame(p, &mark), "out of memory");
    must(!profile_stack(p, 0, frames[0], &run) && !profile_stack(p, run, frames[1], &hot) && !profile_stack(p, hot, frames[2], &inlined) &&
             !profile_stack(p, hot, frames[3], &native) && !profile_stack(p, 0, frames[4], &failed) && !profile_stack(p, 0, mark, &mark) &&
             !profile_stack(p, mark, frames[1], &mark),
         "out of memory");
    for (int i = 0; i < 20; i++)
        add(p, i % 3 ? hot : inlined, i % 2 ? 0 : second, JFR_STATE_JAVA, "complete", start + i * 10000001, 10000000 + (uint64_t)i);
    add(p, native, 0, JFR_STATE_NATIVE, "complete", start + 300000000, 12345678);
    add(p, failed, gc, JFR_STATE_NOT_JAVA, "gc_active", start + 310000000, 10000000);
    add(p, mark, second, JFR_STATE_JAVA, "truncated", start + 320000000, 10000000);
    add_labels(p);
    p->interval_ns = 10 * NS_PER_MS;
    p->start_ns = start;
    p->duration_ns = 400 * NS_PER_MS;
    p->pid = 4711;
    p->command = maker_string(p, "demo.Main --port 80");
    p->jvm_version = maker_string(p, "OpenJDK 25");
}

static uint8_t *keep(FILE *f, char **text)
{
    must(!fclose(f) && *text, "out of memory");
    return (uint8_t *)*text;
}

/* The same input as the reader of files unpacks it. */
static void decompress(struct format_seed *seed)
{
    struct intake in;
    struct error e;
    must(!intake_open_memory(&in, seed->bytes, seed->size, "seed", &e), "it is packed by us");
    uint8_t *plain = malloc(in.size + 1);
    must(plain != NULL, "out of memory");
    memcpy(plain, in.bytes, in.size);
    plain[in.size] = 0;
    seed->size = in.size;
    intake_close(&in);
    free(seed->bytes);
    seed->bytes = plain;
}

/* ---- Honest-Profiler's log, which Candor does not write ---- */

static void be(struct buffer *b, uint64_t v, int bytes)
{
    while (bytes--)
        buffer_u8(b, (uint8_t)(v >> 8 * bytes));
}

static void word(struct buffer *b, const char *text)
{
    be(b, strlen(text), 4);
    buffer_text(b, text);
}

static void method(struct buffer *b, bool old, uint64_t id, const char *class_name, const char *name)
{
    buffer_u8(b, old ? 3 : 31);
    be(b, id, 8);
    word(b, "Work.java");
    word(b, class_name);
    if (!old)
        word(b, "");
    word(b, name);
    if (!old) {
        word(b, "()V");
        word(b, "");
    }
}

static void log_frame(struct buffer *b, bool old, uint64_t id)
{
    buffer_u8(b, old ? 2 : 21);
    be(b, 5, 4);
    if (!old)
        be(b, 23, 4);
    be(b, id, 8);
}

static void trace(struct buffer *b, bool old, uint32_t frames, uint64_t thread)
{
    buffer_u8(b, old ? 1 : 11);
    be(b, frames, 4);
    be(b, thread, 8);
    if (!old) {
        be(b, 1700000000, 8);
        be(b, 5, 8);
    }
}

/* Names come after their first use, as in real logs. */
static void make_log(struct format_seed *seed, bool old)
{
    struct buffer b;
    buffer_init(&b, 1 << 20);
    trace(&b, old, 2, 7);
    log_frame(&b, old, 100);
    method(&b, old, 100, "Ldemo/Work;", "hot");
    log_frame(&b, old, 101);
    method(&b, old, 101, "java.lang.Thread", "run");
    buffer_u8(&b, 4);
    be(&b, 7, 8);
    word(&b, "main");
    trace(&b, old, 1, 7);
    log_frame(&b, old, 102);
    method(&b, old, 102, "AGCT", "UnknownJavaErr5");
    trace(&b, old, (uint32_t)-3, 0);
    must(!b.failed, "out of memory");
    seed->bytes = b.data;
    seed->size = b.len;
}

/* ---- texts in formats that Candor does not write ---- */

static const char perf_seed[] = "# a comment\n"
                                "java 41/42 [001] 12.000000500:   10101010 cpu-clock:u: \n"
                                "\tffffffff8103d0ca do_read+0x1a ([kernel.kallsyms])\n"
                                "\t    7f7241239aec read+0x1f (/lib/libc.so.6)\n"
                                "\t    7f722d119786 LWork;::main->LWork;::hot(I)V+0x46 (/tmp/perf-41.map)\n"
                                "  Work.java:17\n\n"
                                "C2 Compiler 7 41/43 13.5: 10101010 cpu-clock:u: 7f00 [unknown] (/lib/libjvm.so)\n"
                                "java 41/42 14.5: 3 sched:sched_switch: prev_comm=java\n"
                                "\t7f00aa int a.b.C.m(int) (/tmp/perf-41.map)\n\n";

static const char heap_seed[] = "heap profile: 3: 96 [5: 160] @ heap_v2/524288\n"
                                "1: 64 [2: 128] @ 0x401 0x501 0x601\n"
                                "#\t0x400\tmain.inner+0x1\t/src/a.go:12\n"
                                "#\t0x400\tmain.outer+0x1\t/src/a.go:13\n"
                                "#\t0x500\tmain.main+0x1\t/src/a.go:20\n"
                                "2: 32 [3: 32] @ 0x401 0x701\n\n"
                                "MAPPED_LIBRARIES:\n700-800 r-xp 00000000 08:01 12 /lib/libc.so.6\n";
static const char thread_seed[] = "--- threadz 1 ---\n\n--- Thread 7f00 (name: main/41) stack: ---\n  0x401 start\n  0x501 run\n"
                                  "--- Thread 7f01 (name: a/42) stack: ---\n  same as previous thread\n"
                                  "--- Thread 7f02 (name: b/43) stack: ---\n  0x601\n--- Memory map: ---\n0x400-0x500: /bin/x\n";
static const char dump_seed[] = "2024-05-01 12:00:00\nFull thread dump OpenJDK 64-Bit Server VM (21.0.5+11 mixed mode):\n\n"
                                "\"a \"b\" c\" #1 [42] prio=5 tid=0x7f nid=42 waiting on condition\n"
                                "   java.lang.Thread.State: TIMED_WAITING (sleeping)\n"
                                "\tat java.lang.Thread.sleep(java.base@21/Native Method)\n\tat demo.Main.run(Main.java:12)\n\n"
                                "\"GC Thread#0\" os_prio=0 tid=0x7e nid=0x2b runnable\n\n";
static const uint32_t words_seed[] = {0, 3, 0, 10000, 0, 2, 3, 0x400, 0x501, 0x601, 1, 2, 0x410, 0x501, 0, 1, 0};

static void keep_bytes(struct format_seed *seed, const void *bytes, size_t size)
{
    seed->size = size;
    seed->bytes = calloc(1, size + 1);
    must(seed->bytes != NULL, "out of memory");
    memcpy(seed->bytes, bytes, size);
}

void format_seeds(struct format_seed seeds[FORMAT_SEEDS], const struct profile *p)
{
    static const unsigned ids = FORMAT_THREADS | FORMAT_THREAD_IDS | FORMAT_STATES | FORMAT_OUTCOMES;
    static const unsigned all = ids | FORMAT_LINES | FORMAT_TYPES | FORMAT_COUNTS | FORMAT_PROCESS | FORMAT_LABELS;
    static const struct {
        const char *name;
        import_reader *read;
        unsigned holds;
    } kinds[FORMAT_SEEDS] = {
        {"pprof", pprof_read, all},
        {"otlp", otlp_read, all | FORMAT_TIMES},
        {"otlp-1.9", otlp_read, all | FORMAT_TIMES},
        {"collapsed", collapsed_read, 0},
        {"speedscope", speedscope_read, FORMAT_THREADS | FORMAT_LINES | FORMAT_COUNTS},
        {"collapsed-ns", collapsed_read, 0},
        {"hpl", hpl_read, 0},
        {"hpl-old", hpl_read, 0},
        {"perf", perf_read, 0},
        {"legacy-heap", legacy_read, 0},
        {"legacy-threads", legacy_read, 0},
        {"legacy-words", legacy_read, 0},
        {"threads", threads_read, 0},
    };
    for (int i = 0; i < FORMAT_SEEDS; i++) {
        struct format_seed *s = &seeds[i];
        *s = (struct format_seed){.name = kinds[i].name, .read = kinds[i].read, .holds = kinds[i].holds};
        if (s->read == hpl_read) {
            make_log(s, i == 7);
            continue;
        }
        if (i >= 8) {
            const void *const texts[] = {perf_seed, heap_seed, thread_seed, words_seed, dump_seed};
            const size_t sizes[] = {sizeof perf_seed - 1, sizeof heap_seed - 1, sizeof thread_seed - 1, sizeof words_seed,
                                    sizeof dump_seed - 1};
            keep_bytes(s, texts[i - 8], sizes[i - 8]);
            continue;
        }
        char *text = NULL;
        FILE *f = open_memstream(&text, &s->size);
        int rc = i == 0   ? pprof_write(f, p)
                 : i == 1 ? otlp_write(f, p, OTLP_1_10)
                 : i == 2 ? otlp_write(f, p, OTLP_1_9)
                 : i == 3 ? collapsed_write(f, p, COLLAPSED_SAMPLES, false)
                 : i == 4 ? speedscope_write(f, p, "demo.Main --port 80")
                          : collapsed_write(f, p, COLLAPSED_NS, false);
        must(!rc, "out of memory");
        s->bytes = keep(f, &text);
        if (i == 0)
            decompress(s);
    }
}

int format_seed_read(struct profile *p, const struct format_seed *seed, const uint8_t *bytes, size_t size, struct error *e)
{
    const struct import in = {
        .bytes = bytes, .size = size, .name = seed->name, .value = !strcmp(seed->name, "collapsed-ns") ? "ns" : NULL, .error = e};
    must(!profile_init(p), "out of memory");
    e->text[0] = 0;
    return seed->read(p, &in);
}
