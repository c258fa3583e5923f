/* Which events were enabled in a recording, by its settings and by its contents, chunk by chunk; and which were switched off meanwhile.
 * tier: quick
 * timeout: 20
 * aarch64: yes */
#include "../tap.h"

#include "base/time_units.h"
#include "events/halts.h"
#include "events/recorded.h"
#include "jfr_craft.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>

enum { LONG = 10, STRING, SETTING = 100, SOCKET, FORCE, PIN, STATISTICS, MACHINE };

#define EVENT "jdk.jfr.Event"

static const struct craft_type types[] = {
    {LONG, "long"},
    {STRING, "java.lang.String"},
    {SETTING, "jdk.ActiveSetting", EVENT, {{"startTime", LONG}, {"id", LONG}, {"name", STRING}, {"value", STRING}}},
    {SOCKET, "jdk.SocketRead", EVENT, {{"startTime", LONG}}},
    {FORCE, "jdk.FileForce", EVENT, {{"startTime", LONG}}},
    {PIN, "jdk.VirtualThreadPinned", EVENT, {{"startTime", LONG}}},
    {STATISTICS, "jdk.ExceptionStatistics", EVENT, {{"startTime", LONG}, {"throwables", LONG}}},
    {MACHINE, "jdk.CPUInformation", EVENT, {{"startTime", LONG}, {"hwThreads", LONG}}},
};

static size_t begin(struct buffer *b, unsigned type, uint64_t ms)
{
    size_t event = craft_event(b, type);
    buffer_varint(b, CRAFT_START_TICKS + ms * 1000);
    return event;
}

static void put_setting(struct buffer *b, unsigned type, const char *name, const char *value)
{
    size_t event = begin(b, SETTING, 0);
    buffer_varint(b, type);
    craft_text(b, name);
    craft_text(b, value);
    craft_event_end(b, event);
}

static void put_statistics(struct buffer *b, uint64_t ms, uint64_t throwables)
{
    size_t event = begin(b, STATISTICS, ms);
    buffer_varint(b, throwables);
    craft_event_end(b, event);
}

static void put_machine(struct buffer *b, uint64_t processors)
{
    size_t event = begin(b, MACHINE, 0);
    buffer_varint(b, processors);
    craft_event_end(b, event);
}

/* Events of sockets are requested, but there are none. Forces are not requested. Pins are there, although no setting requests them. */
static void put_first(struct buffer *b)
{
    size_t chunk = craft_begin(b, types, sizeof types / sizeof *types);
    put_setting(b, SOCKET, "enabled", "true");
    put_setting(b, SOCKET, "threshold", "20 ms");
    put_setting(b, FORCE, "enabled", "false");
    put_setting(b, FORCE, "stackTrace", "true");
    craft_event_end(b, begin(b, PIN, 1));
    put_statistics(b, 900, 130); /* in no order */
    put_statistics(b, 100, 30);
    craft_end(b, chunk);
}

/* Like a JVM that started again. */
static void put_second(struct buffer *b)
{
    size_t chunk = craft_begin(b, types, sizeof types / sizeof *types);
    put_statistics(b, 200, 5);
    put_statistics(b, 400, 12);
    put_machine(b, 6);
    put_machine(b, 0);
    put_machine(b, 0x7fffffff);
    craft_end(b, chunk);
}

static int count_chunk(void *count, struct jfr_chunk *chunk)
{
    ++*(int *)count;
    return 0;
}

static int refuse_chunk(void *count, struct jfr_chunk *chunk)
{
    return ++*(int *)count == 1 ? -ENOMEM : 0;
}

/* Halts and other readers share one pass. */
static void test_pass(const struct jfr_file *file, const char *const *events)
{
    bool in[4] = {false};
    int chunks = 0;
    struct recorded r = {.events = events, .event_count = 4, .in = in};
    const struct pass_reader others[] = {{recorded_take, &r}, {count_chunk, &chunks}}, refusing = {refuse_chunk, &chunks};
    struct halts halts;
    struct error e = {""};
    tap_ok(!halts_read_beside(&halts, file, UINT_MAX, others, 2, NULL, &e) && chunks == 2, "each chunk is opened once: %d", chunks);
    tap_ok(in[0] && !in[1] && in[2] && !in[3] && r.processors == 6 && r.count == 4, "a reader beside finds what it finds alone");
    uint64_t duration_ns = halts.duration_ns;
    tap_ok(halts.count == 1 && halts.list[0].kind == HALT_PINNED, "and there is a halt");
    halts_deinit(&halts);
    halts_read_beside(&halts, file, UINT_MAX & ~(1u << HALT_PINNED), NULL, 0, NULL, &e);
    tap_ok(!halts.count && halts.duration_ns == duration_ns, "which is left out if its kind is not wanted; the duration stays: %" PRIu64,
           halts.duration_ns);
    halts_deinit(&halts);
    recorded_deinit(&r);
    chunks = 0;
    tap_ok(halts_read_beside(&halts, file, UINT_MAX, &refusing, 1, NULL, &e) == -ENOMEM && chunks == 1 && *e.text,
           "a reader that has no memory ends the pass: %s", e.text);
    halts_deinit(&halts);
}

int main(void)
{
    static const char *const events[] = {"jdk.SocketRead", "jdk.FileForce", "jdk.VirtualThreadPinned", "jdk.NoSuch"};
    static const struct time_range all = {INT64_MIN, INT64_MAX};
    bool in[4] = {true, true, true, true};
    struct recorded_throws throws;
    uint32_t processors = 7;
    struct jfr_file *file;
    struct error e = {""};
    struct buffer b;
    buffer_init(&b, 1 << 20);
    put_first(&b);
    put_second(&b);
    if (!tap_ok(!jfr_file_open_memory(&file, b.data, b.len, "crafted", NULL, &e), "opens: %s", e.text))
        return tap_done();
    tap_ok(!recorded_events(file, events, 4, &all, in, &throws, &processors, &e), "is read: %s", e.text);
    tap_ok(in[0] && !in[1] && in[2] && !in[3], "requested, refused, there all the same, unknown");
    tap_ok(throws.count == 107, "what was thrown between the first and the last count of each chunk: %" PRIu64, throws.count);
    tap_ok(throws.ns == NS_PER_S, "and in which time: %" PRIu64, throws.ns);
    tap_ok(processors == 6, "how many processors: what can be none is passed over: %" PRIu32, processors);
    const struct time_range some = {CRAFT_START_NS + 150 * NS_PER_MS, CRAFT_START_NS + 500 * NS_PER_MS};
    tap_ok(!recorded_events(file, events, 4, &some, in, &throws, &processors, &e) && throws.count == 7 && throws.ns == 200000000 && in[0],
           "the same of a part of the time: %" PRIu64, throws.count);
    test_pass(file, events);
    jfr_file_close(file);
    buffer_deinit(&b);
    return tap_done();
}
