/* The JVM's counters in hand-written memory, whole and damaged; and how a pause gets from the JVM's thread to the collector.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"

#include "agent/hot/layout.h"
#include "agent/hotspot/counters.h"
#include "agent/trigger/jvm/gc_pauses.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* ---- counters ---- */

enum { MEMORY = 4096, FIRST = 32 };

static _Alignas(8) uint8_t memory[MEMORY];
static size_t used;
static uint32_t entries;

static void put32(size_t at, uint32_t v)
{
    memcpy(memory + at, &v, sizeof v);
}

static void begin_memory(void)
{
    memset(memory, 0, sizeof memory);
    memcpy(memory, "\xca\xfe\xc0\xc0\1\2\0\1", 8);
    put32(24, FIRST);
    used = FIRST;
    entries = 0;
}

/* room 0: a number; otherwise a text. Returns where its data is. */
static size_t add(const char *name, size_t room)
{
    size_t head = used, name_bytes = strlen(name) + 1, data = (20 + name_bytes + 7) / 8 * 8;
    size_t length = (data + (room ? room : 8) + 7) / 8 * 8;
    put32(head, (uint32_t)length);
    put32(head + 4, 20);
    put32(head + 8, (uint32_t)room);
    memory[head + 12] = room ? 'B' : 'J';
    put32(head + 16, (uint32_t)data);
    memcpy(memory + head + 20, name, name_bytes);
    used += length;
    put32(8, (uint32_t)used);
    put32(28, ++entries);
    return head + data;
}

static void set(size_t at, int64_t v)
{
    memcpy(memory + at, &v, sizeof v);
}

static size_t young, full, cause, last_cause;

static void make_counters(void)
{
    begin_memory();
    set(add("sun.os.hrt.frequency", 0), 500000000);
    set(add("sun.rt.safepoints", 0), 7);
    set(add("sun.rt.safepointTime", 0), 1000);
    set(add("sun.rt.safepointSyncTime", 0), 10);
    cause = add("sun.gc.cause", 32);
    last_cause = add("sun.gc.lastCause", 32);
    memcpy(memory + add("sun.gc.collector.0.name", 16), "young", 6);
    young = add("sun.gc.collector.0.invocations", 0);
    memcpy(memory + add("sun.gc.collector.1.name", 16), "full", 5);
    full = add("sun.gc.collector.1.invocations", 0);
    add("sun.gc.collector.9.invocations", 0);
    memcpy(memory + cause, "No GC", 6);
}

static void test_parse(void)
{
    struct counters c;
    char text[32], cut[4];
    make_counters();
    tap_ok(counters_parse(&c, memory, sizeof memory) && c.found && c.ticks_per_second == 500000000, "counters are found");
    tap_ok(counters_value(c.safepoints) == 7 && counters_value(c.safepoint_ticks) == 1000 && counters_value(c.synchronizing_ticks) == 10,
           "numbers");
    set(young, 3);
    tap_ok(counters_value(c.collectors[0].collections) == 3 && !c.collectors[2].collections, "they are read where they are");
    counters_copy(&c.collectors[1].name, text, sizeof text);
    tap_ok(!strcmp(text, "full"), "texts: %s", text);
    counters_copy(&c.cause, cut, sizeof cut);
    tap_ok(!strcmp(cut, "No "), "cut to the room there is");
    counters_copy(&c.collectors[3].name, text, sizeof text);
    tap_ok(!text[0] && !counters_value(c.collectors[3].collections), "what is not there is empty, and 0");
    memory[0] = 0;
    tap_ok(!counters_parse(&c, memory, sizeof memory) && !c.found, "no magic: none");
}

/* Like a JVM that has reported to its agents that it is ready, and continues to start. */
static void test_late_clock(void)
{
    begin_memory();
    set(add("sun.rt.safepoints", 0), 7);
    counters_parse(&counters, memory, sizeof memory);
    tap_ok(counters.found && !counters_find_clock() && !counters_ns(1000), "no clock yet");
    size_t entry = used, clock = add("sun.os.hrt.frequency", 0);
    put32(entry + 16, 0);
    tap_ok(!counters_find_clock(), "an entry whose data is not placed yet is none");
    put32(entry + 16, (uint32_t)(clock - entry));
    tap_ok(!counters_find_clock(), "nor is one without its number");
    set(clock, 500000000);
    tap_ok(counters_find_clock() && counters_ns(1000) == 2000, "a clock that is added later is found");
    add("sun.os.hrt.frequency", 0);
    tap_ok(counters_find_clock() && counters_value(counters.safepoints) == 7, "and stays");
    counters = (struct counters){0};
    tap_ok(!counters_find_clock(), "without counters there is none");
}

/* Whatever value one byte has, the results lie within the memory. */
static void test_damage(void)
{
    int found = 0;
    for (size_t at = 8; at < used; at++)
        for (int value = 0; value < 256; value += 51) {
            struct counters c;
            char text[64];
            make_counters();
            memory[at] = (uint8_t)value;
            if (!counters_parse(&c, memory, used))
                continue;
            found++;
            const int64_t *numbers[] = {c.safepoints, c.safepoint_ticks, c.synchronizing_ticks, c.collectors[0].collections};
            for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
                if (numbers[i] && ((const uint8_t *)numbers[i] < memory || (const uint8_t *)(numbers[i] + 1) > memory + used))
                    tap_ok(false, "byte %zu = %d: a number outside", at, value);
            if (c.cause.bytes && ((const uint8_t *)c.cause.bytes < memory || (const uint8_t *)c.cause.bytes + c.cause.room > memory + used))
                tap_ok(false, "byte %zu = %d: a text outside", at, value);
            counters_copy(&c.cause, text, sizeof text);
        }
    tap_ok(found > 0, "damaged counters: what is found lies within (%d)", found);
}

/* ---- pauses ---- */

static void put_cause(const char *now, const char *last)
{
    memset(memory + cause, 0, 32);
    memset(memory + last_cause, 0, 32);
    memcpy(memory + cause, now, strlen(now));
    memcpy(memory + last_cause, last, strlen(last));
}

static void test_pauses(void)
{
    struct gc_pause p;
    uint64_t lost, ns;
    make_counters();
    counters_parse(&counters, memory, sizeof memory);
    gc_pauses_reset();
    gc_pauses_end();
    tap_ok(!gc_pauses_take(&p), "an end without a beginning is no pause");
    gc_pauses_begin();
    set(young, 1);
    put_cause("No GC", "Allocation Failure");
    gc_pauses_end();
    tap_ok(gc_pauses_take(&p) && p.collector == 0 && !strcmp(p.cause, "Allocation Failure") && p.end_ns >= p.start_ns,
           "a pause: collector and cause by the counters");
    gc_pauses_begin();
    set(young, 2);
    gc_pauses_begin();
    set(full, 1);
    gc_pauses_end();
    gc_pauses_end();
    tap_ok(gc_pauses_take(&p) && p.collector == 1 && !gc_pauses_take(&p), "one within another is one, the more thorough collector's");
    gc_pauses_begin();
    gc_pauses_end();
    tap_ok(gc_pauses_take(&p) && p.collector == GC_NO_COLLECTOR && !p.cause[0], "one that nobody counts has not the cause of another");
    gc_pauses_begin();
    put_cause("Proactive", "Allocation Failure");
    gc_pauses_end();
    tap_ok(gc_pauses_take(&p) && !strcmp(p.cause, "Proactive"), "but the cause of the collection that is under way");
    gc_pauses_begin();
    gc_pauses_reset();
    gc_pauses_end();
    gc_pauses_begin();
    gc_pauses_end();
    tap_ok(gc_pauses_take(&p) && !gc_pauses_take(&p), "half a pause of the recording before is none");
    for (int i = 0; i < GC_PAUSES_MAX + 5; i++) {
        gc_pauses_begin();
        gc_pauses_end();
    }
    gc_pauses_lost(&lost, &ns);
    int taken = 0;
    while (gc_pauses_take(&p))
        taken++;
    tap_ok(taken == GC_PAUSES_MAX && lost == 5, "a full ring: the rest is counted");
    gc_pauses_reset();
    gc_pauses_lost(&lost, &ns);
    tap_ok(!lost && !ns, "and forgotten with a new recording");
}

static void test_operation(void)
{
    struct gc_pause p;
    uint64_t object[] = {0x1234, 0}, current = (uint64_t)(uintptr_t)object;
    vm_layout.vm_operation = (uintptr_t)&current;
    gc_pauses_begin();
    gc_pauses_end();
    tap_ok(gc_pauses_take(&p) && p.operation == 0x1234, "the operation, by its class");
    current = 0;
    gc_pauses_begin();
    gc_pauses_end();
    tap_ok(gc_pauses_take(&p) && !p.operation, "none");
    vm_layout.vm_operation = 0;
}

enum { STRESS = 200000 };

static _Atomic bool written_all;

static void *write_pauses(void *unused)
{
    for (int i = 0; i < STRESS; i++) {
        gc_pauses_begin();
        gc_pauses_end();
    }
    atomic_store(&written_all, true);
    return unused;
}

static void test_two_threads(void)
{
    struct gc_pause p;
    pthread_t writer;
    uint64_t taken = 0, lost, ns, before = 0;
    bool ordered = true;
    gc_pauses_reset();
    pthread_create(&writer, NULL, write_pauses, NULL);
    for (bool last = false;; last = atomic_load(&written_all)) {
        while (gc_pauses_take(&p)) {
            ordered = ordered && p.start_ns >= before && p.end_ns >= p.start_ns;
            before = p.end_ns;
            taken++;
        }
        if (last)
            break;
    }
    pthread_join(writer, NULL);
    gc_pauses_lost(&lost, &ns);
    tap_ok(taken + lost == STRESS && ordered, "two threads: all are taken, in order, or counted as lost");
    tap_note("%llu taken, %llu lost", (unsigned long long)taken, (unsigned long long)lost);
}

int main(void)
{
    test_parse();
    test_late_clock();
    test_damage();
    test_pauses();
    test_operation();
    test_two_threads();
    return tap_done();
}
