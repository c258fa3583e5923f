/* Figures that the JVM reports: read from a file, in order of time; and each rule at its limit and below it.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"

#include "analysis/analyze.h"
#include "base/time_units.h"
#include "jfr_craft.h"

#include <string.h>

#define BEGAN   (1000 * (int64_t)NS_PER_S)
#define SECONDS 60

enum { READINGS_MAX = 2000 };

static struct reading list[READINGS_MAX];
static uint32_t count;
static int64_t jvm_start_ns;
static uint32_t processors;
static char said[256]; /* by the first finding */

static void put(int second, enum reading_kind kind, double value)
{
    if (count < READINGS_MAX)
        list[count++] = (struct reading){BEGAN + second * (int64_t)NS_PER_S, value, (uint8_t)kind};
}

static void begin(void)
{
    count = processors = 0;
    jvm_start_ns = BEGAN - 60 * (int64_t)NS_PER_S;
}

/* The id of the only finding, or "" for none. */
static const char *found(void)
{
    struct findings f;
    struct evidence e = {.readings = list,
                         .reading_count = count,
                         .duration_ns = SECONDS * NS_PER_S,
                         .jvm_start_ns = jvm_start_ns,
                         .processors = processors};
    if (findings_init(&f) || analyze(&f, &e))
        tap_ok(false, "there is memory");
    for (uint32_t i = 0; i < f.count; i++)
        tap_note("%s %.1f: %s", finding_infos[f.list[i].kind].id, f.list[i].score, findings_text(&f, f.list[i].text));
    const char *id = f.count == 1 ? finding_infos[f.list[0].kind].id : f.count ? "several" : "";
    snprintf(said, sizeof said, "%s", f.count ? findings_text(&f, f.list[0].text) : "");
    findings_deinit(&f);
    return id;
}

static void is(const char *id, const char *what)
{
    tap_ok(!strcmp(found(), id), "%s: %s", what, *id ? id : "nothing");
}

/* In a minute of readings one figure rises from 0 to `a`, and another from 0 to `b`. */
static void put_rise(enum reading_kind one, double a, enum reading_kind other, double b)
{
    begin();
    for (int second = 0; second <= SECONDS; second++) {
        put(second, one, 1e6 + a * second / SECONDS);
        if (other != READING_KINDS)
            put(second, other, 1e6 + b * second / SECONDS);
    }
}

static void put_same(enum reading_kind kind, double value, int times)
{
    begin();
    for (int i = 0; i < times; i++)
        put(i % SECONDS, kind, value);
}

/* 600 periods: a share of 0.052 is found, because the low end of its interval counts. */
static void test_container(void)
{
    put_rise(READING_PERIODS_THROTTLED, 46, READING_PERIODS, 600);
    is("cpu_throttled", "46 of 600 periods are throttled");
    put_rise(READING_PERIODS_THROTTLED, 41, READING_PERIODS, 600);
    is("", "41, which may be 30");
    put_rise(READING_PERIODS_THROTTLED, 3, READING_PERIODS, 3);
    is("cpu_throttled", "all of three");
    begin();
    put(0, READING_MEMORY_LIMIT, 1000);
    put(1, READING_RESIDENT, 500);
    put(2, READING_RESIDENT, 871);
    put(3, READING_RESIDENT, 600);
    is("container_full", "87.1 % of the container's memory at one time");
    list[2].value = 870;
    is("", "87.0 %");
    list[0].value = 0;
    is("", "and a container without a limit");
    put_rise(READING_MEMORY_REFUSED, 22, READING_KINDS, 0);
    is("container_full", "22 times at the limit in a minute");
    put_rise(READING_MEMORY_REFUSED, 18, READING_KINDS, 0);
    is("", "18, which may be 11");
}

static void test_statistics(void)
{
    put_same(READING_SWITCHES, 10400, 10);
    is("context_switches", "10,400 switches a second, of a machine whose processors are unknown");
    put_same(READING_SWITCHES, 10300, 10);
    is("", "10,300");
    put_same(READING_SWITCHES, 64 * 10400, 10);
    processors = 64;
    is("context_switches", "as many of each of 64 processors");
    put_same(READING_SWITCHES, 64 * 10300, 10);
    processors = 64;
    is("", "and a little less");
    put_rise(READING_CLASSES_LOADED, 160, READING_CLASSES_UNLOADED, 0);
    is("classes_grow", "160 classes in a minute");
    put_rise(READING_CLASSES_LOADED, 140, READING_CLASSES_UNLOADED, 0);
    is("", "140, which may be 118");
    put_rise(READING_CLASSES_LOADED, 1600, READING_CLASSES_UNLOADED, 1500);
    is("", "most of which are unloaded");
    put_rise(READING_CLASSES_LOADED, 1600, READING_CLASSES_UNLOADED, 0);
    jvm_start_ns = BEGAN - 59 * (int64_t)NS_PER_S;
    is("", "a program that begins");
    jvm_start_ns = 0;
    is("", "or may do so");
    put_rise(READING_THREADS, 24, READING_KINDS, 0);
    is("threads_grow", "24 threads in a minute");
    put_rise(READING_THREADS, 18, READING_KINDS, 0);
    is("", "18, which may be 11");
    begin();
    for (int second = 0; second <= SECONDS; second++)
        put(second, READING_THREADS, second < 20 ? 10 : 210);
    is("", "a pool that is filled once");
    put_rise(READING_THREADS, 100, READING_KINDS, 0);
    jvm_start_ns = BEGAN;
    is("threads_grow", "a hundred threads in the JVM's first minute, which are added all the time");
    put_rise(READING_THREADS, 99, READING_KINDS, 0);
    jvm_start_ns = BEGAN;
    is("", "99");
    begin();
    jvm_start_ns = BEGAN;
    for (int second = 0; second < 6; second++)
        put(second, READING_THREADS, 390 + 86 * second + (second > 0 ? -1 : 0));
    is("threads_grow", "six readings, of which one third has one");
    begin();
    jvm_start_ns = BEGAN;
    for (int second = 0; second <= SECONDS; second++)
        put(second, READING_THREADS, second < SECONDS / 2 ? 20 * second : 600 + second);
    is("", "pools that fill in the first half of that minute");
}

static const struct {
    const char *id;
    enum reading_kind kind;
    double value;
    int most; /* this many are no finding; one more is a finding */
} happenings[] = {
    {"code_cache_full", READING_CODE_FULL, 1, 0},      {"metaspace_full", READING_METASPACE_FULL, 1, 0},
    {"submit_failed", READING_SUBMIT_FAILED, 1, 0},    {"jdk_data_lost", READING_DATA_LOST, 4096, 0},
    {"gc_overrun", READING_EVACUATION_FAILED, 1, 4},   {"gc_overrun", READING_MODE_FAILED, 1, 4},
    {"gc_overrun", READING_PROMOTION_FAILED, 1, 4},    {"child_processes", READING_PROCESSES, 1, 20},
    {"redefinitions", READING_REDEFINED, 40, 3},       {"redefinitions", READING_RETRANSFORMED, 40, 3},
    {"redefinitions", READING_RETRANSFORMED, 1000, 2},
};

static void test_happenings(void)
{
    for (size_t i = 0; i < sizeof happenings / sizeof *happenings; i++) {
        char what[64];
        snprintf(what, sizeof what, "%d of %s in a minute", happenings[i].most, reading_events[happenings[i].kind]);
        put_same(happenings[i].kind, happenings[i].value, happenings[i].most);
        is("", what);
        put_same(happenings[i].kind, happenings[i].value, happenings[i].most + 1);
        is(happenings[i].id, "and one more");
    }
    put_same(READING_REDEFINED, 1000, 10);
    jvm_start_ns = BEGAN;
    is("", "classes that are redefined when a program begins");
}

static void test_words(void)
{
    put_same(READING_DATA_LOST, 4096, 1);
    is("jdk_data_lost", "one loss");
    tap_ok(!strcmp(said, "once the JDK's recorder lost data"), "in words: %s", said);
    put_same(READING_DATA_LOST, 4096, 2);
    is("jdk_data_lost", "two");
    tap_ok(!strcmp(said, "2 times the JDK's recorder lost data"), "in words: %s", said);
}

/* Fifteen minutes. In one of them thousands of classes or threads are added, evenly. */
static void test_growth_in_window(enum reading_kind kind)
{
    struct findings f;
    begin();
    for (int second = 0; second < 900; second++)
        put(second, kind, second < 400 ? 0 : second < 460 ? 100 * (second - 400) : 6000);
    struct evidence e = {
        .readings = list, .reading_count = count, .start_ns = BEGAN, .duration_ns = 900 * NS_PER_S, .jvm_start_ns = jvm_start_ns};
    tap_ok(!findings_init(&f) && !analyze(&f, &e) && !f.count, "%s: a minute in which they grow is nothing", reading_events[kind]);
    findings_deinit(&f);
}

/* An hour with one bad minute; a sixth of that minute is throttled. */
static void test_window(void)
{
    struct findings f;
    begin();
    for (int second = 0; second < 900; second++) {
        put(second, READING_PERIODS, 10 * second);
        put(second, READING_PERIODS_THROTTLED, second < 400 ? 0 : second < 410 ? (second - 400) * 10 : 100);
    }
    struct evidence e = {.readings = list, .reading_count = count, .start_ns = BEGAN, .duration_ns = 900 * NS_PER_S};
    tap_ok(!findings_init(&f) && !analyze(&f, &e) && f.count == 1, "ten bad seconds of fifteen minutes");
    tap_ok(f.count && f.list[0].from_ns == BEGAN + 400 * (int64_t)NS_PER_S && f.list[0].window_ns == 10 * NS_PER_S, "and when they were");
    findings_deinit(&f);
}

/* ---- from a file ---- */

enum { LONG = 10, CLASSES = 100, FULL, OTHER };

static const struct craft_type types[] = {
    {LONG, "long"},
    {CLASSES,
     "jdk.ClassLoadingStatistics",
     "jdk.jfr.Event",
     {{"startTime", LONG}, {"loadedClassCount", LONG}, {"unloadedClassCount", LONG}}},
    {FULL, "jdk.CodeCacheFull", "jdk.jfr.Event", {{"startTime", LONG}}},
    {OTHER, "jdk.ResidentSetSize", "jdk.jfr.Event", {{"startTime", LONG}}}, /* here its field has another name */
};

static void put_event(struct buffer *b, unsigned type, uint64_t ms, uint64_t loaded)
{
    size_t event = craft_event(b, type);
    buffer_varint(b, CRAFT_START_TICKS + ms * 1000);
    if (type == CLASSES) {
        buffer_varint(b, loaded);
        buffer_varint(b, 3);
    }
    craft_event_end(b, event);
}

static void test_file(void)
{
    struct buffer b;
    struct jfr_file *file;
    struct readings r = {0};
    struct error e = {""};
    buffer_init(&b, 1 << 20);
    size_t chunk = craft_begin(&b, types, sizeof types / sizeof *types);
    put_event(&b, CLASSES, 20, 700);
    put_event(&b, FULL, 15, 0);
    put_event(&b, CLASSES, 10, 500);
    put_event(&b, OTHER, 12, 0);
    craft_end(&b, chunk);
    tap_ok(!jfr_file_open_memory(&file, b.data, b.len, "test", NULL, &e) && !readings_read(&r, file, &e), "read: %s", e.text);
    static const struct {
        int ms;
        enum reading_kind kind;
        double value;
    } wanted[] = {{10, READING_CLASSES_LOADED, 500},
                  {10, READING_CLASSES_UNLOADED, 3},
                  {15, READING_CODE_FULL, 1},
                  {20, READING_CLASSES_LOADED, 700},
                  {20, READING_CLASSES_UNLOADED, 3}};
    uint32_t n = sizeof wanted / sizeof *wanted;
    bool same = r.count == n;
    for (uint32_t i = 0; same && i < n; i++)
        same = r.list[i].ns == CRAFT_START_NS + wanted[i].ms * (int64_t)NS_PER_MS && r.list[i].kind == wanted[i].kind &&
               r.list[i].value == wanted[i].value;
    tap_ok(same, "all of them, in order of time (%u)", r.count);
    int64_t at = CRAFT_START_NS + 15 * (int64_t)NS_PER_MS;
    tap_ok(readings_from(r.list, r.count, at) == 2 && readings_from(r.list, r.count, at + 1) == 3 && !readings_from(NULL, 0, 7),
           "from a time on");
    readings_deinit(&r);
    jfr_file_close(file);
    buffer_deinit(&b);
}

int main(void)
{
    test_container();
    test_statistics();
    test_happenings();
    test_words();
    test_window();
    test_growth_in_window(READING_CLASSES_LOADED);
    test_growth_in_window(READING_THREADS);
    test_file();
    return tap_done();
}
