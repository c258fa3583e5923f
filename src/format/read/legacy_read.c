/* Reads the profiles that pprof's libraries wrote before profile.proto existed, in the way pprof's own reader does:
 *
 *     words       0 3 0 PERIOD_US 0, then COUNT DEPTH ADDRESS..., 0 1 0 at the end: CPU time (gperftools, Go); 4 or 8 bytes, either
 *                 order
 *     heap        heap profile: 1: 2 [3: 4] @ heap_v2/524288      then   1: 2 [3: 4] @ 0x12 0x34
 *     contention  --- contention: or --- mutex:                   then   CYCLES COUNT @ 0x12 0x34
 *     counts      goroutine profile: total 7                      then   COUNT @ 0x12 0x34
 *     threads     --- threadz 1 ---                               then   --- Thread 7f (name: x/12) stack: ---, addresses
 *
 * A map of the process's memory may follow. If comments of Go name the addresses, they get these names, else they stay numbers. This
 * reader converts the file to a profile.proto, and pprof_read reads that and chooses the value. */
#include "format/import.h"

#include "format/pprof.h"
#include "format/read/legacy_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

struct words {
    const uint8_t *at, *end;
    size_t size; /* bytes in a word: 4 or 8 */
    bool big;
};

static bool take_word(struct words *w, uint64_t *v)
{
    if ((size_t)(w->end - w->at) < w->size)
        return false;
    *v = 0;
    for (size_t i = 0; i < w->size; i++)
        *v |= (uint64_t)w->at[w->big ? w->size - 1 - i : i] << 8 * i;
    w->at += w->size;
    return true;
}

struct words_head {
    bool java;
    uint64_t period_us;
};

/* Reads the five words at the beginning: 0, 3, 0 (1 for Java), the period, 0. */
static bool begin_words(struct words *w, const uint8_t *bytes, size_t size, struct words_head *head)
{
    static const struct words forms[] = {{.size = 4}, {.size = 4, .big = true}, {.size = 8}, {.size = 8, .big = true}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        uint64_t v[5];
        size_t n = 0;
        *w = forms[i];
        w->at = bytes;
        w->end = bytes + size;
        while (n < 5 && take_word(w, &v[n]))
            n++;
        if (n == 5 && !v[0] && v[1] == 3 && v[2] <= 1 && v[3] && v[3] < INT64_MAX / 1000 && !v[4]) {
            *head = (struct words_head){v[2] == 1, v[3]};
            return true;
        }
    }
    return false;
}

/* Reads stacks up to the one that marks the end. The address of a caller is where its call returns to, so `less` (1) is subtracted to
 * get the call. Java's addresses are the calls themselves (less = 0). */
static int take_stacks(struct words *w, struct legacy *l, uint64_t less, bool *whole)
{
    uint64_t count, depth, address = 0;
    *whole = false;
    while (take_word(w, &count) && take_word(w, &depth) && depth <= (size_t)(w->end - w->at) / w->size) {
        struct legacy_row row = {.values = {(int64_t)count}};
        for (uint64_t i = 0; i < depth && take_word(w, &address); i++)
            if (legacy_address(l, i ? address - less : address))
                return -ENOMEM;
        *whole = !count && depth == 1 && !address;
        if (*whole)
            break;
        if (__builtin_mul_overflow((int64_t)count, l->period, &row.values[1]))
            row.values[1] = -1;
        if (legacy_sample(l, &row))
            return -ENOMEM;
    }
    l->address_count -= l->pending;
    l->pending = 0;
    return 0;
}

/* Reads the name of an address of Java: "0x123  java.lang.Thread.run (Thread.java:748)". */
static int take_java_name(struct legacy *l, struct span line)
{
    uint64_t address, number = 0;
    line = lines_trim(line);
    if (!lines_start(line, "0x") || !lines_take_hex(&line, &address))
        return 0;
    line = lines_trim(line);
    const char *place = line.len ? memrchr(line.bytes, '(', line.len) : NULL, *colon = place ? memrchr(line.bytes, ':', line.len) : NULL;
    if (colon && colon > place) {
        struct span digits = lines_from(line, (size_t)(colon - line.bytes) + 1);
        lines_take_number(&digits, &number);
    }
    struct span name = lines_trim((struct span){line.bytes, place ? (size_t)(place - line.bytes) : line.len});
    return name.len ? legacy_name(l, address, name, number) : 0;
}

static int take_words(struct legacy *l, struct words *w, const struct words_head *head)
{
    static const char *const types[] = {"samples", "cpu"}, *const units[] = {"count", "nanoseconds"};
    bool whole;
    memcpy(l->types, types, sizeof types);
    memcpy(l->units, units, sizeof units);
    l->period_type = "cpu";
    l->period_unit = "nanoseconds";
    l->period = (int64_t)head->period_us * 1000;
    int rc = take_stacks(w, l, !head->java, &whole);
    rc = rc || head->java ? rc : legacy_strip(l, true);
    l->left_out += !whole;
    struct span text = {(const char *)w->at, (size_t)(w->end - w->at)}, line;
    while (!rc && lines_next(&text, &line))
        rc = head->java ? take_java_name(l, line) : legacy_mapping(l, line);
    return rc;
}

/* ---- all ---- */

bool legacy_is(const uint8_t *bytes, size_t size)
{
    struct words w;
    struct words_head head;
    struct span text = {(const char *)bytes, size}, line;
    if (begin_words(&w, bytes, size, &head))
        return true;
    while (lines_next(&text, &line))
        if (lines_trim(line).len && *line.bytes != '#')
            return legacy_text_is(line);
    return false;
}

static int take(struct legacy *l, const struct import *in)
{
    struct words w;
    struct words_head head;
    if (begin_words(&w, in->bytes, in->size, &head))
        return take_words(l, &w, &head);
    int rc = legacy_text_take(l, (struct span){(const char *)in->bytes, in->size});
    return rc == -EINVAL ? import_bad(in, "not a profile in a legacy format of pprof: its beginning is unknown") : rc;
}

int legacy_read(struct profile *p, const struct import *in)
{
    struct legacy l = {0};
    struct buffer proto;
    buffer_init(&proto, INT32_MAX);
    int rc = take(&l, in);
    if (!rc && l.is_of_java)
        rc = import_bad(in, "a contention profile in pprof's legacy format for Java, which candor does not read; convert it with "
                            "'go tool pprof -proto' first");
    if (!rc && l.left_out && !l.row_count)
        rc = import_bad(in, "damaged: a profile in a legacy format of pprof without a complete sample");
    if (!rc) {
        legacy_write(&l, &proto);
        struct import one = *in;
        one.bytes = proto.data;
        one.size = proto.len;
        rc = proto.failed ? -ENOMEM : pprof_read(p, &one);
    }
    if (!rc && l.left_out)
        rc = profile_add_problem(p, "warning", "%llu lines left out that are not samples; the profile may be incomplete",
                                 (unsigned long long)l.left_out);
    if (!rc && l.discarded)
        rc = profile_add_problem(p, "warning", "the profiled program discarded %llu samples: they are not in this profile",
                                 (unsigned long long)l.discarded);
    buffer_deinit(&proto);
    legacy_deinit(&l);
    return rc;
}
