/* What the JVM counts about its collections, in artificial performance counters: which counters are added up, and which are ignored.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "agent/hot/layout.h"
#include "agent/hotspot/collections.h"
#include "agent/hotspot/counters.h"

#include <dlfcn.h>
#include <stddef.h>
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

/* Returns where the value is. */
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

/* Whatever bytes are there, the result lies within the memory. */
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

/* ---- a JVM's exported tables, with its flags only: this program takes the place of its library ---- */

struct flag {
    const char *name;
    bool *value;
};

struct field_entry {
    const char *type, *field, *type_string;
    int is_static;
    uint64_t offset;
    void *address;
};

struct type_entry {
    const char *name;
    uint64_t size;
};

struct constant_entry {
    const char *name;
    uint64_t value;
};

static bool yes = true, no;
static struct flag made[4], *flags = made;
static size_t flag_count;
static const struct field_entry fields[] = {
    {"JVMFlag", "flags", "JVMFlag*", 1, 0, &flags},
    {"JVMFlag", "numFlags", "size_t", 1, 0, &flag_count},
    {"JVMFlag", "_name", "const char*", 0, offsetof(struct flag, name), NULL},
    {"JVMFlag", "_addr", "void*", 0, offsetof(struct flag, value), NULL},
    {NULL, NULL, NULL, 0, 0, NULL},
};
static const struct type_entry types[] = {{"JVMFlag", sizeof(struct flag)}, {NULL, 0}};
static const struct constant_entry constants[] = {{NULL, 0}};

#define EXPORTED             __attribute__((visibility("default"), used))
#define NUMBER(name, number) EXPORTED const uint64_t name = (number)

EXPORTED const void *const gHotSpotVMStructs = fields;
EXPORTED const void *const gHotSpotVMTypes = types;
EXPORTED const void *const gHotSpotVMIntConstants = constants;
EXPORTED const void *const gHotSpotVMLongConstants = constants;
NUMBER(gHotSpotVMStructEntryArrayStride, sizeof(struct field_entry));
NUMBER(gHotSpotVMStructEntryTypeNameOffset, offsetof(struct field_entry, type));
NUMBER(gHotSpotVMStructEntryFieldNameOffset, offsetof(struct field_entry, field));
NUMBER(gHotSpotVMStructEntryTypeStringOffset, offsetof(struct field_entry, type_string));
NUMBER(gHotSpotVMStructEntryIsStaticOffset, offsetof(struct field_entry, is_static));
NUMBER(gHotSpotVMStructEntryOffsetOffset, offsetof(struct field_entry, offset));
NUMBER(gHotSpotVMStructEntryAddressOffset, offsetof(struct field_entry, address));
NUMBER(gHotSpotVMTypeEntryArrayStride, sizeof(struct type_entry));
NUMBER(gHotSpotVMTypeEntryTypeNameOffset, offsetof(struct type_entry, name));
NUMBER(gHotSpotVMTypeEntrySizeOffset, offsetof(struct type_entry, size));
NUMBER(gHotSpotVMIntConstantEntryArrayStride, sizeof(struct constant_entry));
NUMBER(gHotSpotVMIntConstantEntryNameOffset, offsetof(struct constant_entry, name));
NUMBER(gHotSpotVMIntConstantEntryValueOffset, offsetof(struct constant_entry, value));
NUMBER(gHotSpotVMLongConstantEntryArrayStride, sizeof(struct constant_entry));
NUMBER(gHotSpotVMLongConstantEntryNameOffset, offsetof(struct constant_entry, name));
NUMBER(gHotSpotVMLongConstantEntryValueOffset, offsetof(struct constant_entry, value));

/* A JVM with these flags, whose collectors have counted 3 and 4: how many of these collections have examined old objects. */
static uint64_t count_of_old(void *library, int java_version, const char *collector, bool *generational)
{
    uint64_t count;
    flag_count = 0;
    made[flag_count++] = (struct flag){"UseSomething", &yes};
    made[flag_count++] = (struct flag){collector, &yes};
    if (generational)
        made[flag_count++] = (struct flag){"ZGenerational", generational};
    vm_layout.java_version = java_version;
    collections_fill(library);
    return collections_of_old(&count) ? count : 0;
}

/* The last test: the answer of the library is remembered. */
static void test_generations(void)
{
    void *library = dlopen(NULL, RTLD_LAZY);
    begin();
    add("sun.gc.collector.0.invocations", 'J', 3);
    add("sun.gc.collector.1.invocations", 'J', 4);
    find();
    tap_ok(count_of_old(library, 17, "UseSerialGC", NULL) == 4 && !collections_are_concurrent(), "the first has the young alone");
    tap_ok(count_of_old(library, 17, "UseShenandoahGC", NULL) == 7 && collections_are_concurrent(), "of Shenandoah each looks at all");
    tap_ok(count_of_old(library, 17, "UseZGC", NULL) == 7 && collections_are_concurrent(), "of ZGC before it had generations, too");
    tap_ok(count_of_old(library, 21, "UseZGC", &no) == 7 && count_of_old(library, 21, "UseZGC", &yes) == 4, "later a flag says");
    tap_ok(count_of_old(library, 25, "UseZGC", NULL) == 4 && collections_are_concurrent(), "now it has them always, and no flag");
    dlclose(library);
}

int main(void)
{
    data = calloc(1, BYTES);
    test_sums();
    test_absent();
    test_damage();
    test_generations();
    counters = (struct counters){0};
    free(data);
    return tap_done();
}
