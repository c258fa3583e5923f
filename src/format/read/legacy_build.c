#include "format/read/legacy_build.h"

#include "base/array.h"
#include "base/pb.h"
#include "format/pprof_fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int legacy_address(struct legacy *l, uint64_t address)
{
    if (ARRAY_GROW(l->addresses, l->address_cap, l->address_count))
        return -ENOMEM;
    l->addresses[l->address_count++] = address;
    l->pending++;
    return 0;
}

int legacy_sample(struct legacy *l, const struct legacy_row *row)
{
    if (ARRAY_GROW(l->rows, l->row_cap, l->row_count))
        return -ENOMEM;
    struct legacy_row *to = &l->rows[l->row_count++];
    *to = *row;
    to->first = l->address_count - l->pending;
    to->count = l->pending;
    l->pending = 0;
    return 0;
}

/* Stacks that share an address repeat its comments; only those of the first stack are used. */
int legacy_name(struct legacy *l, uint64_t address, struct span function, uint64_t line)
{
    bool added;
    const struct legacy_place *last = l->place_count ? &l->places[l->place_count - 1] : NULL;
    uint32_t run = last ? last->run + (last->address != address) : 1;
    uint32_t *of = map_add(&l->run_of, address, &added);
    if (!of || ARRAY_GROW(l->places, l->place_cap, l->place_count))
        return -ENOMEM;
    if (added)
        *of = run;
    l->places[l->place_count] = (struct legacy_place){address, function, line, run, l->place_count};
    l->place_count++;
    return 0;
}

/* Whether the first n characters are permissions, such as "r-xp". */
static bool is_permissions(struct span t, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strchr("-rwxp", t.bytes[i]) || !t.bytes[i])
            return false;
    return n >= 3;
}

int legacy_mapping(struct legacy *l, struct span line)
{
    struct legacy_range range = {0};
    struct span t = lines_trim(line);
    if (!lines_take_hex(&t, &range.start) || !(lines_take_sign(&t, '-') || lines_blanks(t)))
        return 0;
    t = lines_trim(t);
    if (!lines_take_hex(&t, &range.end) || range.end <= range.start)
        return 0;
    lines_take_sign(&t, ':');
    t = lines_trim(t);
    size_t n = lines_word(t);
    if (is_permissions(t, n) && !memchr(t.bytes, 'x', n))
        return 0;
    for (; (n = lines_word(t)); t = lines_trim(lines_from(t, n)))
        if (*t.bytes == '/' || *t.bytes == '[') {
            range.file = (struct span){t.bytes, n};
            break;
        }
    if (ARRAY_GROW(l->ranges, l->range_cap, l->range_count))
        return -ENOMEM;
    l->ranges[l->range_count++] = range;
    return 0;
}

static void drop_second(struct legacy *l, struct legacy_row *row)
{
    uint64_t *stack = &l->addresses[row->first];
    memmove(stack + 1, stack + 2, (row->count - 2) * sizeof *stack);
    row->count--;
}

/* Drops the second frame if all samples but one in 32 have the same. *dropped = whether there was such a frame. */
static int strip_shared(struct legacy *l, bool *dropped)
{
    struct map counts = {0};
    bool added;
    uint64_t shared = 0;
    int rc = 0;
    *dropped = false;
    for (uint32_t i = 0; !rc && i < l->row_count; i++) {
        if (l->rows[i].count < 2)
            continue;
        uint64_t second = l->addresses[l->rows[i].first + 1];
        uint32_t *n = map_add(&counts, second, &added);
        rc = n ? 0 : -ENOMEM;
        if (n && ++*n >= l->row_count - l->row_count / 32) {
            shared = second;
            *dropped = true;
        }
    }
    map_deinit(&counts);
    for (uint32_t i = 0; !rc && *dropped && i < l->row_count; i++)
        if (l->rows[i].count > 1 && l->addresses[l->rows[i].first + 1] == shared)
            drop_second(l, &l->rows[i]);
    return rc;
}

int legacy_strip(struct legacy *l, bool shared)
{
    bool dropped = shared;
    int rc = 0;
    for (int i = 0; !rc && dropped && i < 2; i++)
        rc = strip_shared(l, &dropped);
    for (uint32_t i = 0; !rc && i < l->row_count; i++) {
        if (l->rows[i].count < 2)
            continue;
        const uint64_t *stack = &l->addresses[l->rows[i].first];
        if (stack[0] == stack[1] + 1)
            drop_second(l, &l->rows[i]);
    }
    return rc;
}

/* ---- profile.proto ---- */

struct writer {
    struct legacy *l;
    struct buffer *out, message, inner;
    struct map location_of; /* address -> id */
    uint32_t strings, locations, functions;
};

/* Adds a string and returns its index. The first string, which is empty, gets 0. */
static uint64_t add_string(struct writer *w, struct span t)
{
    pb_put_bytes(w->out, PPROF_STRING, t.bytes, t.len);
    return w->strings++;
}

static uint64_t add_word(struct writer *w, const char *word)
{
    return add_string(w, (struct span){word, strlen(word)});
}

static void put_type(struct writer *w, uint32_t number, struct span type, const char *unit)
{
    buffer_reset(&w->message);
    pb_put_uint(&w->message, PPROF_VALUE_TYPE, add_string(w, type));
    pb_put_uint(&w->message, PPROF_VALUE_UNIT, add_word(w, unit));
    pb_put_message(w->out, number, &w->message);
}

static void put_types(struct writer *w)
{
    const struct legacy *l = w->l;
    for (int i = 0; i < LEGACY_VALUES && l->types[i]; i++)
        put_type(w, PPROF_SAMPLE_TYPE, l->type_name.len ? l->type_name : (struct span){l->types[i], strlen(l->types[i])}, l->units[i]);
    if (l->period_type)
        put_type(w, PPROF_PERIOD_TYPE, (struct span){l->period_type, strlen(l->period_type)}, l->period_unit);
    pb_put_int(w->out, PPROF_PERIOD, l->period);
    pb_put_int(w->out, PPROF_DURATION_NANOS, l->duration_ns);
}

static uint64_t location_of(struct writer *w, uint64_t address)
{
    bool added;
    uint32_t *id = map_add(&w->location_of, address, &added);
    if (!id) {
        w->out->failed = true;
        return 0;
    }
    if (added)
        *id = ++w->locations;
    return *id;
}

static void put_row(struct writer *w, const struct legacy_row *row, uint64_t bytes_key)
{
    struct buffer *m = &w->message, *inner = &w->inner;
    buffer_reset(m);
    buffer_reset(inner);
    for (uint32_t i = 0; i < row->count; i++)
        pb_put_varint(inner, location_of(w, w->l->addresses[row->first + i]));
    pb_put_message(m, PPROF_SAMPLE_LOCATION, inner);
    buffer_reset(inner);
    for (int i = 0; i < LEGACY_VALUES && w->l->types[i]; i++)
        pb_put_varint(inner, (uint64_t)row->values[i]);
    pb_put_message(m, PPROF_SAMPLE_VALUE, inner);
    if (row->block) {
        buffer_reset(inner);
        pb_put_uint(inner, PPROF_LABEL_KEY, bytes_key);
        pb_put_int(inner, PPROF_LABEL_NUM, row->block);
        pb_put_uint(inner, PPROF_LABEL_UNIT, bytes_key);
        pb_put_message(m, PPROF_SAMPLE_LABEL, inner);
    }
    pb_put_message(w->out, PPROF_SAMPLE, m);
}

static int by_start(const void *left, const void *right)
{
    const struct legacy_range *a = left, *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

/* Orders by address. Functions inlined at one address stay in their order. */
static int by_address(const void *left, const void *right)
{
    const struct legacy_place *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

/* Returns how many elements begin at or before the address. The elements are sorted by their first field. */
static uint32_t until(const void *base, size_t size, uint32_t count, uint64_t address)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint64_t first;
        memcpy(&first, (const char *)base + middle * size, sizeof first);
        if (first <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void put_line(struct writer *w, const struct legacy_place *place)
{
    struct buffer f;
    buffer_init(&f, 1 << 10);
    pb_put_uint(&f, PPROF_FUNCTION_ID, ++w->functions);
    pb_put_uint(&f, PPROF_FUNCTION_NAME, add_string(w, place->function));
    pb_put_message(w->out, PPROF_FUNCTION, &f);
    buffer_reset(&f);
    pb_put_uint(&f, PPROF_LINE_FUNCTION, w->functions);
    pb_put_uint(&f, PPROF_LINE_LINE, place->line);
    pb_put_message(&w->message, PPROF_LOCATION_LINE, &f);
    buffer_deinit(&f);
}

static void put_location(struct writer *w, uint64_t address, uint32_t id)
{
    struct legacy *l = w->l;
    uint32_t range = until(l->ranges, sizeof *l->ranges, l->range_count, address);
    const uint32_t *run = map_find(&l->run_of, address);
    buffer_reset(&w->message);
    pb_put_uint(&w->message, PPROF_LOCATION_ID, id);
    pb_put_uint(&w->message, PPROF_LOCATION_ADDRESS, address);
    if (range && address < l->ranges[range - 1].end)
        pb_put_uint(&w->message, PPROF_LOCATION_MAPPING, range);
    uint32_t at = run && address ? until(l->places, sizeof *l->places, l->place_count, address - 1) : l->place_count;
    for (; at < l->place_count && l->places[at].address == address && l->places[at].run == *run; at++)
        put_line(w, &l->places[at]);
    pb_put_message(w->out, PPROF_LOCATION, &w->message);
}

static void put_mapping(struct writer *w, const struct legacy_range *range, uint32_t id)
{
    buffer_reset(&w->message);
    pb_put_uint(&w->message, PPROF_MAPPING_ID, id);
    pb_put_uint(&w->message, PPROF_MAPPING_FILENAME, add_string(w, range->file));
    pb_put_message(w->out, PPROF_MAPPING, &w->message);
}

void legacy_write(struct legacy *l, struct buffer *out)
{
    struct writer w = {.l = l, .out = out};
    buffer_init(&w.message, out->max);
    buffer_init(&w.inner, out->max);
    add_word(&w, "");
    uint64_t bytes_key = add_word(&w, "bytes");
    put_types(&w);
    for (uint32_t i = 0; i < l->row_count; i++)
        put_row(&w, &l->rows[i], bytes_key);
    if (l->range_count)
        qsort(l->ranges, l->range_count, sizeof *l->ranges, by_start);
    if (l->place_count)
        qsort(l->places, l->place_count, sizeof *l->places, by_address);
    for (uint32_t i = 0; i < l->range_count; i++)
        put_mapping(&w, &l->ranges[i], i + 1);
    for (size_t i = 0; i < w.location_of.cap; i++)
        if (w.location_of.slots[i].used)
            put_location(&w, w.location_of.slots[i].key, w.location_of.slots[i].value);
    out->failed |= w.message.failed || w.inner.failed;
    buffer_deinit(&w.message);
    buffer_deinit(&w.inner);
    map_deinit(&w.location_of);
}

void legacy_deinit(struct legacy *l)
{
    free(l->addresses);
    free(l->rows);
    free(l->ranges);
    free(l->places);
    map_deinit(&l->run_of);
}
