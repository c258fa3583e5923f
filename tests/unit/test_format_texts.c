/* Formats that are only read: exact totals, stacks and types of small files, and what is refused.
 * tier: quick
 * timeout: 60 */
#include "../tap.h"

#include "base/time_units.h"
#include "compress/intake.h"
#include "format/read/formats.h"
#include "format_text.h"

#include <stdlib.h>
#include <string.h>

/* Reads bytes as another tool's file: the content must show the format. */
static int load(struct profile *p, const void *bytes, size_t size, const char *value, struct error *e)
{
    struct intake in;
    e->text[0] = 0;
    if (profile_init(p) || intake_open_memory(&in, bytes, size, "file", e))
        abort();
    return formats_load_from(p, &in, "file", NULL, value, NULL, e);
}

static void is(const char *text, const char *value, const char *format, unsigned what, const char *wanted, const char *about)
{
    struct profile p;
    struct error e;
    int rc = load(&p, text, strlen(text), value, &e);
    char *found = format_text(&p, what);
    if (!tap_ok(!rc && !strcmp(profile_text(&p, p.source), format) && !strcmp(found, wanted), "%s: %s", format, about))
        tap_note("%s\n%s", e.text, found);
    free(found);
    profile_deinit(&p);
}

static void test_perf_heads(void)
{
    static const char frame[] = "\t7f00aa main (/bin/x)\n\n";
    static const struct {
        const char *head, *wanted;
    } cases[] = {
        {"java 19983 cycles:", "java 19983 0 main; 1\nsum 1 samples\n"},
        {"java 7829 [000] 95.123: 10101010 cpu-clock:", "java 7829 0 main; 10101010\nsum 10101010 ns\n"},
        {"V8 Worker 9 12/25607 4794564.109216:      77 cycles:u: ", "V8 Worker 9 25607 0 main; 77\nsum 77 events\n"},
        {"   swapper     0 [017]  1.5: cycles:ppp:", "swapper 0 0 main; 1\nsum 1 samples\n"},
        {"a b 3 4 [0] 1.5: 7 sched:sched_switch: prev_comm=x 9 y:", "a b 3 4 0 main; 7\nsum 7 events\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text, "# comment\n%s\n%s", cases[i].head, frame);
        is(text, NULL, "perf", FORMAT_THREADS | FORMAT_THREAD_IDS, cases[i].wanted, cases[i].head);
    }
    is("x 5 1.0: 3 cycles: 7f00aa main (/bin/x)\nx 6 1.1: 4 cycles: 7f00aa main (/bin/x)\n", NULL, "perf",
       FORMAT_THREADS | FORMAT_THREAD_IDS, "x 5 0 main; 3\nx 6 0 main; 4\nsum 7 events\n", "a frame in the line of the head");
    is("x 5 1.0: 3 cycles:\n\nx 6 1.1: 4 cycles:\n\t7f00aa main (/bin/x)\n", NULL, "perf", FORMAT_THREADS | FORMAT_THREAD_IDS,
       "x 5 0 [no stack]; 3\nx 6 0 main; 4\nsum 7 events\n", "a first sample without frames");
    is("dd 5 1.0: 3 cycles:\ncc1 6 1.1: 4 cycles:\n\t7f00aa main (/bin/x)\n", NULL, "perf", FORMAT_THREADS | FORMAT_THREAD_IDS,
       "cc1 6 0 main; 4\ndd 5 0 [no stack]; 3\nsum 7 events\n", "commands whose names are hexadecimal numbers");
}

static void test_perf_frames(void)
{
    static const struct {
        const char *frame, *wanted;
    } cases[] = {
        {"ffffffff8103d0ca read_msr ([kernel.kallsyms])", "read_msr(Kernel 0 )"},
        {"ffffffffc0 nf_hook+0x1 ([nf_conntrack])", "nf_hook(Kernel 0 )"},
        {"c0de ext4_read+0x1 (/lib/modules/ext4.ko.xz)", "ext4_read(Kernel 0 )"},
        {"7ffe clock_gettime ([vdso])", "clock_gettime(Native 0 ()L;)"},
        {"7f12 std::map<int>::find(int) const+0x10 (/usr/lib/libx.so (deleted))", "std::map<int>::find(int) const(Native 0 ()L;)"},
        {"7f12 [unknown] (/usr/lib/libx.so)", "[libx.so](Native 0 ()L;)"},
        {"7f12 [unknown] ([unknown])", "[unknown](Native 0 )"},
        {"7f12 Lorg/foo/Bar;::method+0x4 (/tmp/perf-1.map)", "org.foo.Bar.method(Java 0 )"},
        {"7f12 Lorg/foo/Bar;::method(I)V (/tmp/perf-1.map)", "org.foo.Bar.method(Java 0 (I)V)"},
        {"7f12 org.foo.Bar::method (/tmp/perf-1.map)", "org.foo.Bar.method(Java 0 )"},
        {"7f12 Lorg/foo/Bar;<init>(I)V (/tmp/jitted-1-7.so)", "org.foo.Bar.<init>(Java 0 (I)V)"},
        {"7f12 int org.foo.Bar.method(java.lang.String) (/tmp/perf-1.map)", "org.foo.Bar.method(Java 0 )"},
        {"7f12 LA;::a->LB;::b->LC;::c (/tmp/perf-1.map)", "A.a(Java 0 );B.b(Inlined 0 );C.c(Inlined 0 )"},
        {"7f12 Interpreter (/tmp/perf-1.map)", "Interpreter(Stub 0 )"},
        {"7f12 foo::bar (/bin/x)", "foo::bar(Native 0 ()L;)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400], wanted[400];
        snprintf(text, sizeof text, "java 1 1.0: 1 cycles:\n\t%s\n\n", cases[i].frame);
        snprintf(wanted, sizeof wanted, "%s; 1\nsum 1 events\n", cases[i].wanted);
        is(text, NULL, "perf", FORMAT_TYPES, wanted, cases[i].frame);
    }
}

/* A zero byte within a class's name. */
static void test_perf_zero(void)
{
    static const char text[] = "java 1 1.0: 1 cycles:\n\t7f12 La\0/bcdefghijkl/m;::n (/tmp/perf-1.map)\n\n";
    struct profile p;
    struct error e;
    int rc = load(&p, text, sizeof text - 1, NULL, &e);
    tap_ok(!rc && p.weight == 1 && p.frames[p.nodes[p.samples[0].stack].frame].type == JFR_FRAME_STUB,
           "perf: a name with a zero byte is no Java class");
    profile_deinit(&p);
}

static void test_perf_events(void)
{
    static const char text[] = "java 1 1.0: 10 cycles:\n\t7f00 a (/x)\n\njava 1 2.0: 20 faults:\n\t7f00 b (/x)\n\n"
                               "java 2 4.5: 30 cycles:\n\n";
    struct profile p;
    struct error e;
    is(text, NULL, "perf", FORMAT_TIMES, "00000000001000000000 a; 10\n00000000004500000000 [no stack]; 30\nsum 40 events\n",
       "the first event's samples, with their times");
    is(text, "faults", "perf", 0, "b; 20\nsum 20 events\n", "those of another one");
    int rc = load(&p, text, sizeof text - 1, NULL, &e);
    tap_ok(!rc && p.problem_count == 1 && strstr(profile_text(&p, p.problems[0].text), "1 samples of faults are not used") &&
               p.duration_ns == 3500 * NS_PER_MS,
           "the other event is named");
    profile_deinit(&p);
    rc = load(&p, text, sizeof text - 1, "misses", &e);
    tap_ok(rc && strstr(e.text, "no samples of an event 'misses'; the file has cycles, faults"), "%s", e.text);
    profile_deinit(&p);
}

/* Scaled by 1 / (1 - exp(-64 / 524288)) and 1 / (1 - exp(-16 / 524288)), rounded down. */
static void test_legacy_heap(void)
{
    static const char v2[] = "heap profile: 3: 96 [3: 96] @ heap_v2/524288\n1: 64 [1: 64] @ 0x401 0x501\n2: 32 [2: 32] @ 0x401\n";
    static const char all[] = "heap profile: 3: 96 [9: 999] @ heapprofile\n1: 64 [2: 640] @ 0x401 0x501\n0: 0 [7: 359] @ 0x401\n";
    static const char go[] = "heap profile: 1: 64 [1: 64] @ heap/2\n1: 64 [1: 64] @ 0x401\n#\t0x400\tmain.inner+0x1\t/a.go:12\n"
                             "#\t0x400\tmain.outer+0x1\t/a.go:13\n";
    is(v2, NULL, "legacy", FORMAT_LABELS, "bytes#16bytes 0x400; 1048592\nbytes#64bytes 0x500;0x400; 524320\nsum 1572912 bytes\n",
       "a sampled heap");
    is(all, NULL, "legacy", 0, "0x500;0x400; 64\nsum 64 bytes\n", "a heap with all allocations: what is in use");
    is(all, "alloc_space", "legacy", 0, "0x400; 359\n0x500;0x400; 640\nsum 999 bytes\n", "and what was allocated");
    is(all, "alloc_objects", "legacy", 0, "0x400; 7\n0x500;0x400; 2\nsum 9 count\n", "and how many");
    is(go, NULL, "legacy", FORMAT_LINES, "main.outer:13;main.inner:12; 64\nsum 64 bytes\n",
       "Go's names and lines, of inlined functions, too");
}

static void test_legacy_contention(void)
{
    static const char java[] = "--- contentionz 1 ---\nformat = java\nresolution = microseconds\nsampling period = 100\n7 1 @ 0x401\n";
    static const char dropped[] = "--- contention:\ncycles/second = 1000000000\ndiscarded samples = 3\n7 1 @ 0x401\n";
    struct profile p;
    struct error e;
    int rc = load(&p, java, sizeof java - 1, NULL, &e);
    tap_ok(rc && strstr(e.text, "legacy format for Java"), "delays in another unit are not read as nanoseconds: %s", e.text);
    profile_deinit(&p);
    rc = load(&p, dropped, sizeof dropped - 1, NULL, &e);
    bool said = false;
    for (uint32_t i = 0; i < p.problem_count; i++)
        said |= strstr(profile_text(&p, p.problems[i].text), "discarded 3 samples") != NULL;
    tap_ok(!rc && said, "what was discarded is reported");
    profile_deinit(&p);
}

static void test_legacy_texts(void)
{
    static const char contention[] = "--- contention:\ncycles/second = 2000000000\nsampling period = 10\nms since reset = 5\n"
                                     "discarded samples = 0\n300 2 @ 0x401 0x501\n100 1 @ 0x401\n";
    static const char threads[] = "--- threadz 1 ---\n\n--- Thread 7f00 (name: main/41) stack: ---\n  0x401 start\n  0x501 run\n"
                                  "--- Thread 7f01 (name: a/42) stack: ---\n  same as previous thread\n"
                                  "--- Thread 7f02 (name: b/43) stack: ---\n  0x601\n--- Memory map: ---\n0x400-0x500: /bin/x\n";
    is(contention, NULL, "legacy", 0, "0x400; 500\n0x500;0x400; 1500\nsum 2000 ns\n", "contention: cycles become nanoseconds");
    is(contention, "contentions", "legacy", 0, "0x400; 10\n0x500;0x400; 20\nsum 30 count\n", "contention: events");
    is("--- mutex:\ncycles/second=1000000000\n7 1 @ 0x401\n", NULL, "legacy", 0, "0x400; 7\nsum 7 ns\n", "a mutex profile");
    is("# a comment\ngoroutine profile: total 5\n4 @ 0x401 0x501\n1 @ 0x601\n", NULL, "legacy", 0,
       "0x500;0x400; 4\n0x600; 1\nsum 5 count\n", "a count");
    is(threads, NULL, "legacy", FORMAT_TYPES, "0x500(Other 0 );0x401(Native 0 ()L;); 2\n0x601(Other 0 ); 1\nsum 3 count\n",
       "threads, one of them as the one before, and a library");
}

static void words_are(const uint64_t *words, size_t count, size_t size, bool big, const char *tail, const char *wanted, const char *about)
{
    uint8_t bytes[1000];
    struct profile p;
    struct error e;
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < size; k++)
            bytes[n++] = (uint8_t)(words[i] >> 8 * (big ? size - 1 - k : k));
    memcpy(bytes + n, tail, strlen(tail));
    int rc = load(&p, bytes, n + strlen(tail), NULL, &e);
    char *found = format_text(&p, FORMAT_COUNTS);
    if (!tap_ok(!rc && p.interval_ns == 10 * NS_PER_MS && !strcmp(found, wanted), "legacy: words of %zu bytes%s: %s", size,
                big ? ", big-endian" : "", about))
        tap_note("%s\n%s", e.text, found);
    free(found);
    profile_deinit(&p);
}

static void test_legacy_words(void)
{
    static const uint64_t plain[] = {0, 3, 0, 10000, 0, 2, 3, 0x400, 0x501, 0x601, 1, 2, 0x410, 0x511, 0, 1, 0};
    static const uint64_t copied[] = {0, 3, 0, 10000, 0, 2, 3, 0x400, 0x400, 0x601, 1, 2, 0x410, 0x511, 0, 1, 0};
    static const uint64_t shared[] = {0, 3, 0, 10000, 0, 2, 3, 0x400, 0x901, 0x601, 1, 3, 0x410, 0x901, 0x611, 0, 1, 0};
    static const uint64_t java[] = {0, 3, 1, 10000, 0, 5, 2, 0x400, 0x500, 0, 1, 0};
    static const char wanted[] = "0x510;0x410; 10000000 in 1\n0x600;0x500;0x400; 20000000 in 2\nsum 30000000 ns\n";
    for (int form = 0; form < 4; form++)
        words_are(plain, sizeof plain / sizeof *plain, form & 1 ? 8 : 4, form & 2, "", wanted, "stacks");
    words_are(copied, sizeof copied / sizeof *copied, 8, false, "",
              "0x510;0x410; 10000000 in 1\n0x600;0x400; 20000000 in 2\nsum 30000000 ns\n", "a second frame that is the leaf again");
    words_are(shared, sizeof shared / sizeof *shared, 8, false, "",
              "0x600;0x400; 20000000 in 2\n0x610;0x410; 10000000 in 1\nsum 30000000 ns\n", "a second frame that all have");
    words_are(java, sizeof java / sizeof *java, 8, false, "0x400 a.b.C.m (C.java:12)\n 0x500 a.b.C.main (C.java:20)\n",
              "a.b.C.main;a.b.C.m; 50000000 in 5\nsum 50000000 ns\n", "Java's, with names");
}

/* "a;b 2\n\U0001f600;c 3\n" in UTF-16, with and without byte order marks. */
static void test_utf16(void)
{
    static const uint16_t units[] = {0xfeff, 'a', ';', 'b', ' ', '2', '\r', '\n', 0xd83d, 0xde00, ';', 0xd83d, 'c', ' ', '3', '\n'};
    static const char marked[] = "\xef\xbb\xbf"
                                 "a;b 2\n";
    for (int form = 0; form < 4; form++) { /* big-endian or not, with the byte order mark or without */
        uint8_t bytes[sizeof units];
        size_t first = form & 2 ? 1 : 0, n = 0;
        for (size_t i = first; i < sizeof units / sizeof *units; i++) {
            bytes[n++] = (uint8_t)(form & 1 ? units[i] >> 8 : units[i] & 255);
            bytes[n++] = (uint8_t)(form & 1 ? units[i] & 255 : units[i] >> 8);
        }
        n = first ? 14 : n; /* without the mark only ASCII text is recognized with certainty */
        struct profile p;
        struct error e;
        int rc = load(&p, bytes, n, NULL, &e);
        char *found = format_text(&p, 0);
        const char *wanted = first ? "a;b; 2\nsum 2 samples\n"
                                   : "a;b; 2\n\xf0\x9f\x98\x80;\xef\xbf\xbd"
                                     "c; 3\nsum 5 samples\n";
        if (!tap_ok(!rc && !strcmp(found, wanted), "UTF-16, %s-endian, %s a mark", form & 1 ? "big" : "little", first ? "without" : "with"))
            tap_note("%s\n%s", e.text, found);
        free(found);
        profile_deinit(&p);
    }
    is(marked, NULL, "collapsed", 0, "a;b; 2\nsum 2 samples\n", "UTF-8 with a mark");
}

static void test_speedscope_events(void)
{
    static const struct {
        const char *events, *wanted, *error, *about;
    } cases[] = {
        {"{\"type\":\"O\",\"frame\":0,\"at\":0},{\"type\":\"O\",\"frame\":1,\"at\":2},{\"type\":\"C\",\"frame\":1,\"at\":5},"
         "{\"type\":\"C\",\"frame\":0,\"at\":9}",
         "A; 6\nA;B; 3\nsum 9 samples\n", NULL, "events in order"},
        {"{\"type\":\"O\",\"frame\":0,\"at\":0},{\"type\":\"O\",\"frame\":1,\"at\":2},{\"type\":\"C\",\"frame\":0,\"at\":5}", NULL,
         "event 2 closes 'A' while 'B' is open inside it", "a frame is closed before what it called"},
        {"{\"type\":\"O\",\"frame\":0,\"at\":0},{\"type\":\"C\",\"frame\":0,\"at\":2},{\"type\":\"C\",\"frame\":0,\"at\":5}", NULL,
         "event 2 closes 'A', but no frame is open", "a frame is closed twice"},
        {"{\"type\":\"O\",\"frame\":0,\"at\":5},{\"type\":\"C\",\"frame\":0,\"at\":4}", NULL,
         "event 1 has an earlier time than the event before it", "time goes back"},
        {"{\"type\":\"O\",\"frame\":7,\"at\":5}", NULL, "event 0 does not name a frame", "a frame that is not there"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[800];
        struct profile p;
        struct error e;
        snprintf(text, sizeof text,
                 "{\"shared\":{\"frames\":[{\"name\":\"A\"},{\"name\":\"B\"}]},\"profiles\":[{\"type\":\"evented\",\"unit\":\"none\","
                 "\"startValue\":0,\"endValue\":10,\"events\":[%s]}]}",
                 cases[i].events);
        int rc = load(&p, text, strlen(text), NULL, &e);
        char *found = format_text(&p, 0);
        if (!tap_ok(cases[i].error ? rc && strstr(e.text, cases[i].error) : !rc && !strcmp(found, cases[i].wanted), "speedscope: %s",
                    cases[i].about))
            tap_note("%s\n%s", e.text, found);
        free(found);
        profile_deinit(&p);
    }
}

int main(void)
{
    test_speedscope_events();
    test_utf16();
    test_legacy_heap();
    test_legacy_texts();
    test_legacy_contention();
    test_legacy_words();
    test_perf_heads();
    test_perf_frames();
    test_perf_events();
    test_perf_zero();
    return tap_done();
}
