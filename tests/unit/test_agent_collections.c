/* What the JVM counts of its collections, in performance counters that are made up: what is added up, and what is left alone.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "agent/hotspot/collections.h"
#include "agent/hotspot/counters.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 32, BYTES = 1 << 14, NAME_AT = 20 };

static uint8_t *data;
static uint32_t used, entries;

static void put32(uint32_t at, uint32_t v)
{
    memcpy(data + at, &v, sizeof v);
}

static void begin(void)
{
    memset(data, 0, BYTES);
    memcpy(data, (uint8_t[]){0xca, 0xfe, 0xc0, 0xc0, 1, 2, 0, 1}, 8);
    used = HEAD;
    entries = 0;
    put32(24, HEAD);
}

/* Returns where the value lies. */
static uint8_t *add(const char *name, char type, uint64_t value)
{
    uint32_t name_bytes = ((uint32_t)strlen(name) + 8) & ~7u, value_at = (NAME_AT + name_bytes + 7) & ~7u, length = value_at + 8;
    uint8_t *entry = data + used;
    put32(used, length);
    put32(used + 4, NAME_AT);
    entry[12] = (uint8_t)type;
    put32(used + 16, value_at);
    strcpy((char *)entry + NAME_AT, name);
    memcpy(entry + value_at, &value, sizeof value);
    used += length;
    put32(8, used);
    put32(28, ++entries);
    return entry + value_at;
}

static void find(void)
{
    counters_parse(&counters, data, BYTES);
}

static void test_sums(void)
{
    uint64_t count, grown = 500, none = UINT64_MAX;
    begin();
    add("java.ci.totalTime", 'J', 99);
    add("sun.gc.generation.0.space.0.used", 'J', 100);
    add("sun.gc.generation.0.space.0.capacity", 'J', 7000);
    uint8_t *old = add("sun.gc.generation.1.space.0.used", 'J', 20);
    add("sun.gc.generation.1.space.0.used.extra", 'J', 5000);
    add("sun.gc.metaspace.used", 'J', 5000);
    add("sun.gc.collector.1.name", 'B', 5000);
    add("sun.gc.collector.1.invocations", 'J', 3);
    add("sun.gc.collector.2.invocations", 'J', 4);
    add("sun.gc.collector.1.time", 'J', 5000);
    find();
    tap_ok(collections_heap_used() == 120, "the spaces' used bytes, of all generations");
    tap_ok(collections_of_old(&count) && count == 7, "the collectors' counts");
    memcpy(old, &grown, sizeof grown);
    tap_ok(collections_heap_used() == 600, "as they are now");
    find();
    tap_ok(collections_heap_used() == 600, "found again, they are not added twice");
    memcpy(old, &none, sizeof none);
    tap_ok(collections_heap_used() == 100, "what is no size is left out");
}

static void test_absent(void)
{
    static uintptr_t nothing, start;
    uint64_t count;
    counters = (struct counters){0};
    tap_ok(!collections_heap_used() && !collections_of_old(&count), "a JVM without counters");
    counters_find_at(0);
    counters_find_at((uintptr_t)&nothing);
    tap_ok(!counters.found && !collections_heap_used() && !collections_of_old(&count), "or with none yet");
    begin();
    add("sun.gc.generation.0.space.0.used", 'J', 100);
    start = (uintptr_t)data;
    data[0] = 0;
    counters_find_at((uintptr_t)&start);
    tap_ok(!counters.found && !collections_heap_used(), "what is something else");
    data[0] = 0xca;
    counters_find_at((uintptr_t)&start);
    tap_ok(counters.found && collections_heap_used() == 100, "by a pointer that a symbol tells");
    tap_ok(!collections_begun() && !collections_are_concurrent(), "nothing is known that no table told");
}

static bool lies_within(const int64_t *counter)
{
    return (const uint8_t *)counter >= data && (const uint8_t *)(counter + 1) <= data + used;
}

/* Whatever stands there, what is found lies within. */
static void test_damage(void)
{
    int found = 0, outside = 0;
    for (uint32_t at = 8; at < 200; at++)
        for (int value = 0; value < 256; value += 17) {
            begin();
            add("sun.gc.generation.0.space.0.used", 'J', 100);
            add("sun.gc.generation.1.space.0.used", 'J', 100);
            data[at] = (uint8_t)value;
            data[at + 1] ^= (uint8_t)(value * 7);
            counters_parse(&counters, data, used);
            for (uint32_t i = 0; i < counters.space_count; i++)
                outside += !lies_within(counters.spaces_used[i]);
            found += counters.space_count > 0;
        }
    tap_ok(found > 0 && !outside, "damage: something is found %d times, and lies within", found);
}

int main(void)
{
    data = calloc(1, BYTES);
    test_sums();
    test_absent();
    test_damage();
    counters = (struct counters){0};
    free(data);
    return tap_done();
}
