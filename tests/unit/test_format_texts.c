/* Formats that are read and not written: exact totals, stacks and types of small files, and what is refused.
 * tier: quick
 * timeout: 60 */
#include "../tap.h"

#include "compress/intake.h"
#include "format/read/formats.h"
#include "format_text.h"

#include <stdlib.h>
#include <string.h>

/* Reads bytes as a file of theirs: the content says what they are. */
static int load(struct profile *p, const void *bytes, size_t size, const char *value, struct error *e)
{
    struct intake in;
    e->text[0] = 0;
    if (profile_init(p) || intake_open_memory(&in, bytes, size, "file", e))
        abort();
    return formats_load_from(p, &in, "file", NULL, value, e);
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
    tap_ok(!rc && p.problem_count == 1 && strstr(profile_text(&p, p.problems[0].text), "not used: 1 samples of faults") &&
               p.duration_ns == 3500000000,
           "the other event is named");
    profile_deinit(&p);
    rc = load(&p, text, sizeof text - 1, "misses", &e);
    tap_ok(rc && strstr(e.text, "no samples of an event 'misses'; there are cycles, faults"), "%s", e.text);
    profile_deinit(&p);
}

int main(void)
{
    test_perf_heads();
    test_perf_frames();
    test_perf_events();
    return tap_done();
}
