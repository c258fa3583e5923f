#include "format/read/legacy_text.h"

#include "base/time_units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One of the text formats. */
struct kind;

struct texts {
    struct legacy *l;
    const struct kind *kind;
    int64_t period;    /* heap: mean bytes between two samples; 0 = values are not sampled */
    bool has_alloc;    /* heap: the file also has figures of all allocations, not only of live objects */
    uint64_t hz;       /* contention: cycles per second */
    uint64_t sampling; /* contention: events per recorded event */
    bool in_thread, repeats;
};

struct kind {
    bool (*begins)(struct texts *t, struct span line);
    int (*take)(struct texts *t, struct span line);
};

/* ---- functions for all text formats ---- */

static bool is_map_begin(struct span line)
{
    return lines_find(line, "--- Memory map: ---") || lines_find(line, "MAPPED_LIBRARIES:");
}

/* Adds the addresses in a line, each reduced by `less`. Returns their number, or -ENOMEM. */
static int take_addresses(struct legacy *l, struct span line, uint64_t less)
{
    int count = 0;
    for (const char *at; (at = lines_find(line, "0x"));) {
        uint64_t address;
        line = lines_from(line, (size_t)(at - line.bytes));
        if (!lines_take_hex(&line, &address)) {
            line = lines_from(line, 2);
            continue;
        }
        if (legacy_address(l, address - less))
            return -ENOMEM;
        count++;
    }
    return count;
}

/* Reads blanks, a sign and digits. */
static bool take_signed(struct span *t, int64_t *number)
{
    uint64_t v;
    *t = lines_from(*t, lines_blanks(*t));
    bool negative = lines_take_sign(t, '-');
    if (!lines_take_number(t, &v) || v > INT64_MAX)
        return false;
    *number = negative ? -(int64_t)v : (int64_t)v;
    return true;
}

static bool take_mark(struct span *t, char mark)
{
    *t = lines_from(*t, lines_blanks(*t));
    return lines_take_sign(t, mark);
}

static int add_sample(struct texts *t, struct span line, const struct legacy_row *row)
{
    return take_addresses(t->l, line, 1) < 0 ? -ENOMEM : legacy_sample(t->l, row);
}

static void set_types(struct legacy *l, const char *const types[LEGACY_VALUES], const char *const units[LEGACY_VALUES])
{
    memcpy(l->types, types, sizeof l->types);
    memcpy(l->units, units, sizeof l->units);
}

/* ---- heap ---- */

struct heap_values {
    int64_t objects, bytes, all_objects, all_bytes;
};

/* Reads "1: 2 [3: 4] @". *t is then the text after it. */
static bool take_heap_values(struct span *t, struct heap_values *v)
{
    return take_signed(t, &v->objects) && take_mark(t, ':') && take_signed(t, &v->bytes) && take_mark(t, '[') &&
           take_signed(t, &v->all_objects) && take_mark(t, ':') && take_signed(t, &v->all_bytes) && take_mark(t, ']') && take_mark(t, '@');
}

/* Reads the first line. heap_v2 contains the mean distance of samples, and Go's heap twice that. Other files contain none, or have all
 * allocations instead of samples. */
static bool heap_begins(struct texts *t, struct span line)
{
    static const char *const all[] = {"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"};
    static const char *const some[] = {"objects", "space"}, *const units[] = {"count", "bytes", "count", "bytes"};
    struct heap_values v;
    uint64_t period = 0;
    if (!lines_start(line, "heap profile:"))
        return false;
    line = lines_from(line, strlen("heap profile:"));
    if (!take_heap_values(&line, &v))
        return false;
    line = lines_trim(line);
    const char *slash = memchr(line.bytes, '/', line.len);
    struct span name = {line.bytes, slash ? (size_t)(slash - line.bytes) : lines_word(line)};
    struct span rest = lines_from(line, slash ? name.len + 1 : line.len);
    if (slash && (!lines_take_number(&rest, &period) || period > INT64_MAX))
        period = 0;
    bool go = name.len == 4 && lines_start(name, "heap"), v2 = lines_start(name, "heap_v2") || lines_start(name, "heapz_v2");
    if (!go && !v2 && !lines_start(name, "heapprofile") && !lines_start(name, "growth") && !lines_start(name, "fragmentation"))
        return false;
    t->period = go ? (int64_t)period / 2 : v2 ? (int64_t)period : 0;
    t->has_alloc = (go || v2 || lines_start(name, "heapprofile")) &&
                   ((v.all_objects != v.objects && v.all_objects) || (v.all_bytes != v.bytes && v.all_bytes));
    const char *two[LEGACY_VALUES] = {some[0], some[1]}, *two_units[LEGACY_VALUES] = {units[0], units[1]};
    set_types(t->l, t->has_alloc ? all : two, t->has_alloc ? units : two_units);
    t->l->period_type = "space";
    t->l->period_unit = "bytes";
    t->l->period = t->period;
    return true;
}

/* Scales the figures of a sample to the allocations that it represents: an allocation is sampled with the probability 1 - exp(-size /
 * period). */
static void scale(int64_t period, int64_t *objects, int64_t *bytes)
{
    if (!*objects || !*bytes) {
        *objects = *bytes = 0;
    } else if (period > 1) {
        double size = (double)*bytes / (double)*objects, factor = 1 / (1 - exp(-size / (double)period));
        double many = (double)*objects * factor, much = (double)*bytes * factor;
        *objects = fabs(many) < 9e18 ? (int64_t)many : INT64_MIN;
        *bytes = fabs(much) < 9e18 ? (int64_t)much : INT64_MIN;
    }
}

static int heap_take(struct texts *t, struct span line)
{
    struct heap_values v;
    struct legacy_row row = {0};
    if (!take_heap_values(&line, &v) || (!v.objects && v.bytes) || (t->has_alloc && !v.all_objects && v.all_bytes)) {
        t->l->left_out++;
        return 0;
    }
    if (v.objects || (t->has_alloc && v.all_objects))
        row.block = v.objects ? v.bytes / v.objects : v.all_bytes / v.all_objects;
    bool sampled = t->period > 0;
    if (sampled)
        scale(t->period, &v.objects, &v.bytes);
    if (sampled)
        scale(t->period, &v.all_objects, &v.all_bytes);
    int at = 0;
    if (t->has_alloc) {
        row.values[at++] = v.all_objects;
        row.values[at++] = v.all_bytes;
    }
    row.values[at++] = v.objects;
    row.values[at] = v.bytes;
    return add_sample(t, line, &row);
}

/* ---- contention ---- */

static bool contention_begins(struct texts *t, struct span line)
{
    static const char *const types[LEGACY_VALUES] = {"contentions", "delay"}, *const units[LEGACY_VALUES] = {"count", "nanoseconds"};
    if (!lines_start(line, "--- contentionz ") && !lines_start(line, "--- contention:") && !lines_start(line, "--- mutex:"))
        return false;
    set_types(t->l, types, units);
    t->sampling = 1;
    return true;
}

/* Reads an attribute. Only Java's profiles have the attributes format and resolution. */
static void take_attribute(struct texts *t, struct span name, struct span value)
{
    uint64_t number;
    t->l->is_of_java |= lines_start(name, "format") || lines_start(name, "resolution");
    if (!lines_take_number(&value, &number))
        return;
    if (lines_start(name, "cycles/second"))
        t->hz = number;
    else if (lines_start(name, "sampling period"))
        t->sampling = number;
    else if (lines_start(name, "discarded samples"))
        t->l->discarded = number;
    else if (lines_start(name, "ms since reset") && number < INT64_MAX / NS_PER_MS)
        t->l->duration_ns = (int64_t)number * NS_PER_MS;
}

/* Reads a line "DELAY COUNT @ 0x12", or an attribute. */
static int contention_take(struct texts *t, struct span line)
{
    uint64_t delay, count;
    struct span rest = line;
    const char *equals = memchr(line.bytes, '=', line.len);
    if (equals && !lines_find(line, "@")) {
        size_t at = (size_t)(equals - line.bytes);
        take_attribute(t, lines_trim((struct span){line.bytes, at}), lines_trim(lines_from(line, at + 1)));
        return 0;
    }
    if (!lines_take_number(&rest, &delay) || !lines_blanks(rest)) {
        t->l->left_out++;
        return 0;
    }
    rest = lines_trim(rest);
    if (!lines_take_number(&rest, &count) || !take_mark(&rest, '@') || delay > INT64_MAX || count > INT64_MAX) {
        t->l->left_out++;
        return 0;
    }
    struct legacy_row row = {.values = {(int64_t)count, (int64_t)delay}};
    if (t->sampling && t->hz) {
        double ns = (double)delay * (double)t->sampling / ((double)t->hz / NS_PER_S);
        row.values[1] = ns < 9e18 ? (int64_t)ns : -1;
    }
    if (t->sampling && __builtin_mul_overflow((int64_t)count, (int64_t)t->sampling, &row.values[0]))
        row.values[0] = -1;
    return add_sample(t, rest, &row);
}

/* ---- counts ---- */

static bool count_begins(struct texts *t, struct span line)
{
    static const char total[] = " profile: total ";
    size_t n = lines_word(line);
    struct span rest = lines_from(line, n);
    uint64_t count;
    if (!n || !lines_start(rest, total))
        return false;
    rest = lines_from(rest, sizeof total - 1);
    if (!lines_take_number(&rest, &count) || lines_trim(rest).len)
        return false;
    t->l->type_name = (struct span){line.bytes, n};
    t->l->types[0] = "count";
    t->l->units[0] = "count";
    return true;
}

static int count_take(struct texts *t, struct span line)
{
    uint64_t count;
    if (!lines_take_number(&line, &count) || !take_mark(&line, '@') || count > INT64_MAX) {
        t->l->left_out++;
        return 0;
    }
    return add_sample(t, line, &(struct legacy_row){.values = {(int64_t)count}});
}

/* ---- threads ---- */

static bool thread_begins(struct texts *t, struct span line)
{
    bool head = lines_start(line, "--- threadz "), thread = lines_start(line, "--- Thread ");
    t->l->types[0] = "thread";
    t->l->units[0] = "count";
    t->in_thread = thread;
    return head || thread;
}

static int finish_thread(struct texts *t)
{
    struct legacy *l = t->l;
    bool done = t->in_thread, same = t->repeats;
    t->in_thread = t->repeats = false;
    if (done && (same || !l->pending) && l->row_count)
        l->rows[l->row_count - 1].values[0]++;
    else if (done && l->pending)
        return legacy_sample(l, &(struct legacy_row){.values = {1}});
    return 0;
}

/* Reads a line of a thread. The address of the leaf is not that of a call, so it is not reduced. */
static int thread_take(struct texts *t, struct span line)
{
    int rc = 0;
    if (lines_start(line, "--- Thread ")) {
        rc = finish_thread(t);
        t->in_thread = true;
    } else if (lines_find(line, "same as previous thread")) {
        t->repeats = true;
    } else if (t->in_thread && lines_start(line, "0x")) {
        uint32_t before = t->l->address_count, is_leaf = !t->l->pending;
        rc = take_addresses(t->l, line, 0) < 0 ? -ENOMEM : 0;
        for (uint32_t i = before + is_leaf; i < t->l->address_count; i++)
            t->l->addresses[i]--;
    }
    return rc;
}

/* ---- all of them ---- */

static const struct kind kinds[] = {{heap_begins, heap_take},
                                    {contention_begins, contention_take},
                                    {count_begins, count_take},
                                    {thread_begins, thread_take}};

static const struct kind *kind_of(struct texts *t, struct span line)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].begins(t, line))
            return &kinds[i];
    return NULL;
}

bool legacy_text_is(struct span line)
{
    struct legacy l = {0};
    struct texts t = {.l = &l};
    return kind_of(&t, lines_trim(line));
}

/* Reads a comment that Go writes below a stack, with tabs between the words: "# 0x44cb2 runtime.goexit+0x1 /usr/lib/go/asm.s:1650". */
static int take_comment(struct legacy *l, struct span line)
{
    uint64_t address, number = 0;
    line = lines_trim(lines_from(line, 1));
    if (!lines_start(line, "0x") || !lines_take_hex(&line, &address))
        return 0;
    line = lines_trim(line);
    struct span function = {line.bytes, lines_word(line)};
    const char *colon = memrchr(line.bytes, ':', line.len);
    struct span digits = colon ? lines_from(line, (size_t)(colon - line.bytes) + 1) : (struct span){"", 0};
    const char *plus = function.len ? memrchr(function.bytes, '+', function.len) : NULL;
    lines_take_number(&digits, &number);
    if (plus)
        function.len = (size_t)(plus - function.bytes);
    return function.len ? legacy_name(l, address, function, number) : 0;
}

int legacy_text_take(struct legacy *l, struct span text)
{
    struct texts t = {.l = l};
    struct span line;
    bool in_map = false;
    int rc = 0;
    while (!rc && lines_next(&text, &line)) {
        line = lines_trim(line);
        in_map |= is_map_begin(line);
        if (in_map)
            rc = legacy_mapping(l, line);
        else if (line.len && *line.bytes == '#')
            rc = take_comment(l, line);
        else if (line.len && !t.kind && !(t.kind = kind_of(&t, line)))
            return -EINVAL;
        else if (line.len && t.kind && l->types[0])
            rc = t.kind->take(&t, line);
    }
    rc = rc ? rc : finish_thread(&t);
    return rc || t.kind ? rc : -EINVAL;
}
