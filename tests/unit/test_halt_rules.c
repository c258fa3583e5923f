/* Rules about pauses and other halts: each is found at its limit and not below it, and harmless halts of the same kind are not reported.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"

#include "analysis/analyze.h"
#include "base/time_units.h"
#include "events/halt_parts.h"

#include <math.h>
#include <string.h>

#define SECONDS 10.0
#define EACH_NS (10 * NS_PER_MS)

enum { REST = 100, MOST = 20000 };

static struct halts halts;
static uint64_t jvm_errors[JVM_ERROR_COUNT];
static char place[64]; /* the value of the last finding is the largest */

static uint32_t word(const char *text)
{
    return strtab_add_text(&halts.strings, text);
}

static void add_at(const char *site, enum halt_kind kind, const char *what, uint64_t ns, int count)
{
    for (int i = 0; i < count; i++) {
        struct halt one = {.kind = (uint8_t)kind, .ns = ns, .count = 1, .what = word(what), .site = word(site), .thread = word("main")};
        halts_add(&halts, &one);
    }
}

static void add(enum halt_kind kind, const char *what, uint64_t ns, int count)
{
    add_at("demo.Main.work:4", kind, what, ns, count);
}

static void begin(void)
{
    halts = (struct halts){0};
    strtab_init(&halts.strings);
}

/* Whether there is a finding with that id; *others: the number of findings with other ids. */
static bool finds(const char *id, uint32_t *others)
{
    struct findings f;
    struct jvm_info jvm = {(char *)"-XX:MaxGCPauseMillis=20", (char *)"", 25, 0, true};
    struct evidence e = {.halts = &halts, .jvm = &jvm, .duration_ns = (uint64_t)(SECONDS * NS_PER_S)};
    bool found = false;
    memcpy(e.jvm_errors, jvm_errors, sizeof e.jvm_errors);
    *others = 0;
    if (findings_init(&f) || analyze(&f, &e))
        tap_ok(false, "there is memory");
    for (uint32_t i = 0; i < f.count; i++) {
        bool is_it = !strcmp(finding_infos[f.list[i].kind].id, id);
        found = found || is_it;
        *others += !is_it;
        if (is_it)
            snprintf(place, sizeof place, "%s", findings_text(&f, f.list[i].site));
        if (!is_it)
            tap_note("%s: %s", finding_infos[f.list[i].kind].id, findings_text(&f, f.list[i].text));
    }
    findings_deinit(&f);
    halts_deinit(&halts);
    return found;
}

/* v as a function of the number of halts. */
enum measure { SHARE, A_SECOND, A_MINUTE, OF_TIME, WAITERS };

static double low_of(enum measure measure, int count)
{
    double sum = count * (double)EACH_NS, whole = SECONDS * NS_PER_S;
    switch (measure) {
    case SHARE:
        return amount_share(count, count + REST, count + REST).low;
    case A_SECOND:
        return amount_count(count).low / SECONDS;
    case A_MINUTE:
        return amount_count(count).low / (SECONDS / 60);
    case OF_TIME:
        return amount_normal(sum, sqrt(count) * (double)EACH_NS).low / whole;
    default:
        return sum / whole;
    }
}

static const struct {
    const char *id;
    enum halt_kind kind;
    const char *what;
    enum measure measure;
    double limit;
    int least;
} cases[] = {
    {"gc_humongous", HALT_GC, "G1New, G1 Humongous Allocation", SHARE, 0.5, 5},
    {"gc_locker", HALT_GC, "ParallelScavenge, GCLocker Initiated GC", SHARE, 0.5, 5},
    {"gc_metaspace", HALT_GC, "G1New, Metadata GC Threshold", A_MINUTE, 6, 5},
    {"gc_code_cache", HALT_GC, "G1New, CodeCache GC Threshold", A_MINUTE, 6, 5},
    {"gc_by_tool", HALT_GC, "G1Full, Heap Inspection Initiated GC", A_MINUTE, 2, 2},
    {"gc_by_tool", HALT_GC, "MSC, Heap Dump Initiated GC", A_MINUTE, 2, 2},
    {"gc_full", HALT_GC, "SerialOld, Allocation Failure", OF_TIME, 0.05, 3},
    {"gc_full", HALT_GC, "Parallel full collection pauses, Ergonomics", OF_TIME, 0.05, 3},
    {"gc_full", HALT_GC, "PSParallelCompact, Ergonomics", OF_TIME, 0.05, 3},
    {"gc_full", HALT_GC, "G1 full collection pauses, G1 Compaction Pause", OF_TIME, 0.02, 3},
    {"gc_full", HALT_GC, "Shenandoah, Allocation Failure: Pause Degenerated GC (Mark)", OF_TIME, 0.02, 3},
    {"slow_write", HALT_SOCKET_WRITE, "shop/10.0.0.1:99", WAITERS, 1, 3},
    {"slow_file", HALT_FILE_READ, "/data/a", WAITERS, 1, 3},
    {"slow_file", HALT_FILE_WRITE, "/data/a", WAITERS, 1, 3},
    {"allocation_stall", HALT_ALLOCATION, "Small", WAITERS, 0.1, 3},
    {"deoptimizations", HALT_DEOPTIMIZATION, "class_check, maybe_recompile", A_SECOND, 1000, 100},
    {"errors", HALT_EXCEPTION, "demo.ParserError", A_MINUTE, 60, 10},
};

static uint32_t others;

static bool finds_so_many(int i, int count)
{
    bool lasts = cases[i].kind != HALT_DEOPTIMIZATION && cases[i].kind != HALT_EXCEPTION;
    begin();
    add(cases[i].kind, cases[i].what, lasts ? EACH_NS : 0, count);
    if (cases[i].measure == SHARE)
        add(HALT_GC, "G1New, G1 Evacuation Pause", NS_PER_MS, REST);
    return finds(cases[i].id, &others);
}

static void test_case(int i)
{
    int border = cases[i].least;
    while (border < MOST && score_saturate(low_of(cases[i].measure, border), cases[i].limit) < SCORE_INFO)
        border++;
    tap_ok(finds_so_many(i, border) && !others, "%s, %s: found by %d", cases[i].id, cases[i].what, border);
    tap_ok(!finds_so_many(i, border - 1), "silent by one less");
}

static const struct {
    enum halt_kind kind;
    const char *what, *why;
} calm[] = {
    {HALT_FILE_READ, "", "a pipe has no name, and may have nothing to say"},
    {HALT_EXCEPTION, "demo.ParserException", "an exception is no Error"},
    {HALT_EXCEPTION, "demo.ErrorReport", "nor is what begins so"},
    {HALT_VM_OPERATION, "G1CollectForAllocation", "a collection has rules of its own"},
    {HALT_GC, "G1New, G1 Evacuation Pause", "young collections, within their time"},
};

static void test_calm(void)
{
    for (size_t i = 0; i < sizeof calm / sizeof *calm; i++) {
        begin();
        add(calm[i].kind, calm[i].what, calm[i].kind == HALT_GC ? NS_PER_MS : calm[i].kind == HALT_EXCEPTION ? 0 : 2 * NS_PER_S, 20);
        tap_ok(!finds("", &others) && !others, "%s", calm[i].why);
    }
}

static void test_target(void)
{
    begin();
    add(HALT_GC, "G1New, G1 Evacuation Pause", NS_PER_MS, REST);
    add(HALT_GC, "G1New, G1 Evacuation Pause", 21 * NS_PER_MS, 2);
    tap_ok(!finds("gc_misses_target", &others), "2 of 102 pauses are late");
    begin();
    add(HALT_GC, "G1New, G1 Evacuation Pause", NS_PER_MS, 5);
    add(HALT_GC, "G1New, G1 Evacuation Pause", 21 * NS_PER_MS, 5);
    tap_ok(finds("gc_misses_target", &others), "half of ten");
    begin();
    add(HALT_GC, "G1New, G1 Evacuation Pause", 19 * NS_PER_MS, 5);
    add(HALT_GC, "ZGC, Proactive", 21 * NS_PER_MS, 5);
    tap_ok(!finds("gc_misses_target", &others), "ZGC has no such target");
}

/* Pauses that all have that cause. */
static void test_floor(void)
{
    static const char *const causes[] = {"G1New, G1 Humongous Allocation", "ParallelScavenge, GCLocker Initiated GC"};
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        begin();
        add(HALT_GC, causes[i], 5 * NS_PER_MS, 20);
        tap_ok(finds(i ? "gc_locker" : "gc_humongous", &others) && !others, "%s: a hundredth of the time", causes[i]);
        begin();
        add(HALT_GC, causes[i], 5 * NS_PER_MS, 19);
        tap_ok(!finds("", &others) && !others, "less of it is nothing");
    }
}

/* Moments have no length. */
static void test_places(void)
{
    begin();
    add_at("demo.First.look:1", HALT_EXCEPTION, "demo.ParserError", 0, 1);
    add_at("demo.Most.look:2", HALT_EXCEPTION, "demo.ParserError", 0, 40);
    add_at("demo.Last.look:3", HALT_EXCEPTION, "demo.ParserError", 0, 2);
    tap_ok(finds("errors", &others) && !strcmp(place, "demo.Most.look:2"), "the place of most errors, not of the first: %s", place);
}

static void test_constructors(void)
{
    begin();
    add_at("demo.Lost.<init>:3 < demo.BaseError.<init>:2 < demo.Look.ahead:7 < demo.Main.run:1", HALT_EXCEPTION, "demo.LostError", 0, 40);
    tap_ok(finds("errors", &others) && !strcmp(place, "demo.Look.ahead:7 < demo.Main.run:1"), "the place is below constructors: %s", place);
    begin();
    add_at("demo.Lost.<init>:3", HALT_EXCEPTION, "demo.LostError", 0, 40);
    tap_ok(finds("errors", &others) && !strcmp(place, "demo.Lost.<init>:3"), "unless there is nothing else");
}

static void test_single(void)
{
    begin();
    add(HALT_VM_OPERATION, "HeapDumper", 208 * NS_PER_MS, 1);
    tap_ok(finds("long_operation", &others) && !others, "an operation of 208 ms");
    begin();
    add(HALT_VM_OPERATION, "HeapDumper", 207 * NS_PER_MS, 30);
    tap_ok(!finds("long_operation", &others), "many of 207");
    begin();
    add(HALT_VM_OPERATION, "GC_HeapInspection", 208 * NS_PER_MS, 1);
    tap_ok(finds("long_operation", &others) && !others, "a histogram of the heap, which is no collection");
    begin();
    add(HALT_EXCEPTION, "java.lang.OutOfMemoryError", 0, 1);
    tap_ok(finds("errors", &others) && !others, "memory that has run out, once");
}

/* Errors that the JVM threw itself, by its own count. */
static void test_jvm_errors(void)
{
    begin();
    jvm_errors[JVM_ERROR_STACK_OVERFLOW] = 10;
    tap_ok(finds("errors", &others) && !others, "ten stack overflows in 10 s");
    begin();
    jvm_errors[JVM_ERROR_STACK_OVERFLOW] = 9;
    tap_ok(!finds("errors", &others) && !others, "nine may be chance");
    begin();
    jvm_errors[JVM_ERROR_STACK_OVERFLOW] = 0;
    jvm_errors[JVM_ERROR_OUT_OF_MEMORY] = 1;
    tap_ok(finds("errors", &others) && !others, "memory that has run out, once, without an event");
    jvm_errors[JVM_ERROR_OUT_OF_MEMORY] = 0;
}

int main(void)
{
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++)
        test_case(i);
    test_calm();
    test_target();
    test_floor();
    test_places();
    test_constructors();
    test_single();
    test_jvm_errors();
    return tap_done();
}
