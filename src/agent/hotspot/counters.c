#include "agent/hotspot/counters.h"

#include "agent/hotspot/vmstructs.h"
#include "base/text/number.h"
#include "base/time_units.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct counters counters;

/* head magic ca fe c0 c0 | order (0 big, 1 little) | major | minor | accessible
 *         used:4 overflow:4 modified:8 first_entry:4 entries:4
 *  entry length:4 name_offset:4 vector_length:4 type:1 flags:1 unit:1 variability:1 data_offset:4 ...
 *
 * Numbers have the byte order of this machine, which is the JVM's. used and first_entry count from the head's first byte. The JVM may add
 * an entry meanwhile: the entry is all zero at first, and its data_offset is written last, except for the data. */
enum { HEAD = 32, ENTRY = 20, MAJOR = 2, AT_USED = 8, AT_FIRST = 24, AT_ENTRIES = 28, TYPE_NUMBER = 'J', TYPE_BYTES = 'B' };

static uint32_t u32(const uint8_t *at)
{
    uint32_t v;
    memcpy(&v, at, sizeof v);
    return v;
}

/* ---- one entry ---- */

struct entry {
    const char *name;
    const uint8_t *data;
    uint32_t length; /* of a text */
    uint8_t type;
};

static bool read_entry(const uint8_t *at, uint32_t length, struct entry *e)
{
    uint32_t name = u32(at + 4), count = u32(at + 8), data = u32(at + 16);
    bool number = at[12] == TYPE_NUMBER && !count;
    size_t bytes = number ? sizeof(int64_t) : count;
    if (name < ENTRY || name >= length || data < ENTRY || data > length || bytes > length - data || !memchr(at + name, 0, length - name))
        return false;
    *e = (struct entry){(const char *)at + name, at + data, count, at[12]};
    return number ? (uintptr_t)e->data % sizeof(int64_t) == 0 : at[12] == TYPE_BYTES && count;
}

static void take_collector(struct counters *c, const struct entry *e)
{
    static const char prefix[] = "sun.gc.collector.";
    uint64_t i;
    if (strncmp(e->name, prefix, sizeof prefix - 1))
        return;
    const char *rest = e->name + sizeof prefix - 1;
    if (number_take(&rest, 10, 0, COUNTERS_COLLECTORS - 1, &i))
        return;
    if (!strcmp(rest, ".name") && e->type == TYPE_BYTES)
        c->collectors[i].name = (struct counters_text){(const char *)e->data, e->length};
    else if (!strcmp(rest, ".invocations") && e->type == TYPE_NUMBER)
        c->collectors[i].collections = (const int64_t *)(const void *)e->data;
}

static void take_space(struct counters *c, const struct entry *e)
{
    unsigned generation, space;
    int end = 0;
    if (e->type == TYPE_NUMBER && sscanf(e->name, "sun.gc.generation.%u.space.%u.used%n", &generation, &space, &end) == 2 && end &&
        !e->name[end] && c->space_count < COUNTERS_SPACES)
        c->spaces_used[c->space_count++] = (const int64_t *)(const void *)e->data;
}

static void take_clock(struct counters *c, const struct entry *e)
{
    if (e->type == TYPE_NUMBER && !strcmp(e->name, "sun.os.hrt.frequency"))
        c->ticks_per_second = counters_value((const int64_t *)(const void *)e->data);
}

#define COUNTER_PLACE(field, name) {name, &c->field},

static void take_entry(struct counters *c, const struct entry *e)
{
    const struct {
        const char *name;
        const int64_t **out;
    } numbers[] = {COUNTER_ROWS(COUNTER_PLACE)};
    const struct {
        const char *name;
        struct counters_text *out;
    } texts[] = {{"sun.gc.cause", &c->cause}, {"sun.gc.lastCause", &c->last_cause}};
    for (size_t i = 0; e->type == TYPE_NUMBER && i < sizeof numbers / sizeof *numbers; i++)
        if (!strcmp(e->name, numbers[i].name))
            *numbers[i].out = (const int64_t *)(const void *)e->data;
    for (size_t i = 0; e->type == TYPE_BYTES && i < sizeof texts / sizeof *texts; i++)
        if (!strcmp(e->name, texts[i].name))
            *texts[i].out = (struct counters_text){(const char *)e->data, e->length};
    take_clock(c, e);
    take_collector(c, e);
    take_space(c, e);
}

static void each_entry(struct counters *c, void (*take)(struct counters *, const struct entry *))
{
    size_t size = c->size, used = u32(c->memory + AT_USED), at = u32(c->memory + AT_FIRST);
    if (used < size)
        size = used;
    for (uint32_t n = u32(c->memory + AT_ENTRIES); n && at < size && size - at >= ENTRY; n--) {
        uint32_t length = u32(c->memory + at);
        struct entry e;
        if (length < ENTRY || length > size - at)
            break;
        if (read_entry(c->memory + at, length, &e))
            take(c, &e);
        at += length;
    }
}

bool counters_parse(struct counters *c, const uint8_t *memory, size_t size)
{
    static const uint8_t magic[] = {0xca, 0xfe, 0xc0, 0xc0};
    *c = (struct counters){0};
    const uint8_t order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    if (size < HEAD || memcmp(memory, magic, sizeof magic) || memory[4] != order || memory[5] != MAJOR)
        return false;
    *c = (struct counters){.found = true, .memory = memory, .size = size};
    each_entry(c, take_entry);
    return true;
}

/* ---- where they are ---- */

/* Finds the counters by the JVM's own tables. This works even if the JVM does not share them with other processes. */
static bool find_by_tables(void *libjvm)
{
    struct vmstructs v;
    if (!vmstructs_open(&v, libjvm))
        return false;
    const uint8_t *const *start = vmstructs_static(&v, "PerfMemory", "_start");
    const uint8_t *const *end = vmstructs_static(&v, "PerfMemory", "_end");
    return start && end && *start && *end > *start && counters_parse(&counters, *start, (size_t)(*end - *start));
}

/* Whether this is a line of /proc/self/maps for the file that this JVM writes, /tmp/hsperfdata_USER/PID. It must be mapped writable: a tool
 * in this JVM may have mapped files of other JVMs, but only to read them. */
static bool is_of_counters(const char *line, uintptr_t *low, uintptr_t *high)
{
    char access[5];
    int at = 0;
    if (sscanf(line, "%lx-%lx %4s %*s %*s %*s %n", low, high, access, &at) < 3 || !at || strncmp(access, "rw", 2))
        return false;
    const char *folder = strstr(line + at, "/hsperfdata_"), *file = folder ? strchr(folder + 1, '/') : NULL;
    uint64_t pid;
    return file && (file++, !number_take(&file, 10, 0, INT_MAX, &pid)) && pid == (uint64_t)getpid() &&
           (*file == '\n' || *file == ' ' || !*file);
}

static bool find_by_maps(void)
{
    char *line = NULL;
    size_t room = 0;
    uintptr_t low, high;
    bool found = false;
    FILE *f = fopen("/proc/self/maps", "re");
    while (f && !found && getline(&line, &room, f) > 0)
        found = is_of_counters(line, &low, &high) && counters_parse(&counters, (const uint8_t *)low, high - low);
    free(line);
    if (f)
        fclose(f);
    return found;
}

void counters_find(void *libjvm)
{
    if (!counters.found && !find_by_tables(libjvm) && !find_by_maps())
        counters = (struct counters){0};
}

void counters_find_at(uintptr_t start)
{
    const uint8_t *const *at = (const uint8_t *const *)start;
    if (!counters.found && at && *at && !counters_parse(&counters, *at, SIZE_MAX))
        counters = (struct counters){0};
}

bool counters_find_clock(void)
{
    if (counters.found && !counters.ticks_per_second)
        each_entry(&counters, take_clock);
    return counters.ticks_per_second;
}

/* ---- reading ---- */

uint64_t counters_value(const int64_t *counter)
{
    /* Relaxed, because only the number itself matters. */
    return counter ? (uint64_t)__atomic_load_n(counter, __ATOMIC_RELAXED) : 0;
}

void counters_copy(const struct counters_text *text, char *out, size_t size)
{
    size_t n = 0;
    for (; text->bytes && n + 1 < size && n < text->room && ((const volatile char *)text->bytes)[n]; n++)
        out[n] = ((const volatile char *)text->bytes)[n];
    out[n] = 0;
}

uint64_t counters_ns(uint64_t ticks)
{
    uint64_t f = counters.ticks_per_second;
    return f ? ticks / f * NS_PER_S + ticks % f * NS_PER_S / f : 0; /* f is below 2^33, so nothing overflows within a century */
}

void counters_find_errors(uintptr_t stack_overflows, uintptr_t out_of_memory)
{
    counters.stack_overflows = (const volatile int32_t *)stack_overflows;
    counters.out_of_memory = (const volatile int32_t *)out_of_memory;
}
