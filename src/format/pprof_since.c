/* Subtracts profiles at the level of their bytes, so that whatever else they contain stays as it was sent. */
#include "format/pprof_since.h"

#include "base/array.h"
#include "base/map.h"
#include "base/pb.h"
#include "format/pprof_fields.h"

#include <errno.h>
#include <string.h>

struct row {
    uint64_t values[PPROF_SINCE_VALUES];
    bool written;
};

/* The samples of a profile, by the hash of their stack and labels. */
struct sums {
    struct map of; /* hash -> place in rows */
    struct row *rows;
    uint32_t cap;
    int64_t time_ns; /* that of the profile, by the program's clock; 0 = it has none */
};

struct pprof_since {
    bool begun; /* `before` is a profile */
    struct sums before, now;
};

/* Hashes by id. */
struct hashes {
    struct map of; /* id -> place in list */
    uint64_t *list;
    uint32_t count, cap;
};

/* The profile that is being read. */
struct reading {
    struct pb all;
    struct pb_field *strings;
    uint32_t string_count, string_cap;
    uint64_t types[PPROF_SINCE_VALUES]; /* the strings that are their names */
    uint32_t type_count;
    struct hashes functions, locations;
    uint64_t seed; /* depends on the values' names, so samples with other values are others */
};

struct sample {
    uint64_t hash, values[PPROF_SINCE_VALUES];
};

struct pprof_since *pprof_since_new(void)
{
    return calloc(1, sizeof(struct pprof_since));
}

static void sums_deinit(struct sums *s)
{
    map_deinit(&s->of);
    free(s->rows);
    *s = (struct sums){0};
}

void pprof_since_free(struct pprof_since *s)
{
    if (s) {
        sums_deinit(&s->before);
        sums_deinit(&s->now);
    }
    free(s);
}

void pprof_since_keep(struct pprof_since *s)
{
    sums_deinit(&s->before);
    s->before = s->now;
    s->now = (struct sums){0};
    s->begun = true;
}

/* ---- tables ---- */

static uint64_t join(uint64_t a, uint64_t b)
{
    return hash_mix(a * 31 + b);
}

static int hashes_put(struct hashes *h, uint64_t id, uint64_t hash)
{
    bool added;
    uint32_t *place = map_add(&h->of, id, &added);
    if (!place || ARRAY_GROW(h->list, h->cap, h->count))
        return -ENOMEM;
    *place = h->count;
    h->list[h->count++] = hash;
    return 0;
}

static uint64_t hashes_get(const struct hashes *h, uint64_t id)
{
    const uint32_t *place = map_find(&h->of, id);
    return place ? h->list[*place] : 0;
}

static uint64_t hash_string(const struct reading *r, uint64_t index)
{
    return index < r->string_count ? hash_bytes(r->strings[index].bytes, r->strings[index].size) : 0;
}

static int take_string(struct reading *r, const struct pb_field *f)
{
    if (ARRAY_GROW(r->strings, r->string_cap, r->string_count))
        return -ENOMEM;
    r->strings[r->string_count++] = *f;
    return 0;
}

static int take_type(struct reading *r, const struct pb_field *field)
{
    uint64_t type = 0;
    struct pb m = pb_message(field);
    if (r->type_count == PPROF_SINCE_VALUES)
        return -EINVAL;
    for (struct pb_field f; pb_next(&m, &f);)
        type = f.number == PPROF_VALUE_TYPE ? f.value : type;
    r->types[r->type_count++] = type;
    return 0;
}

/* Hashes the names of a function, because its id is another in each profile. */
static int take_function(struct reading *r, const struct pb_field *field)
{
    uint64_t id = 0, hash = 0;
    struct pb m = pb_message(field);
    for (struct pb_field f; pb_next(&m, &f);) {
        if (f.number == PPROF_FUNCTION_ID)
            id = f.value;
        else if (f.number == PPROF_FUNCTION_NAME || f.number == PPROF_FUNCTION_SYSTEM_NAME)
            hash = join(hash, hash_string(r, f.value));
    }
    return hashes_put(&r->functions, id, hash);
}

static uint64_t hash_line(const struct reading *r, const struct pb_field *field)
{
    uint64_t hash = 0;
    struct pb m = pb_message(field);
    for (struct pb_field f; pb_next(&m, &f);)
        hash = join(hash, f.number == PPROF_LINE_FUNCTION ? hashes_get(&r->functions, f.value) : f.value);
    return hash;
}

static int take_location(struct reading *r, const struct pb_field *field)
{
    uint64_t id = 0, hash = 0;
    struct pb m = pb_message(field);
    for (struct pb_field f; pb_next(&m, &f);) {
        if (f.number == PPROF_LOCATION_ID)
            id = f.value;
        else if (f.number == PPROF_LOCATION_ADDRESS)
            hash = join(hash, f.value);
        else if (f.number == PPROF_LOCATION_LINE)
            hash = join(hash, hash_line(r, &f));
    }
    return hashes_put(&r->locations, id, hash);
}

/* Reads what the samples refer to. A table may come after one that needs it, so there is a pass for each. */
static int read_tables(struct reading *r)
{
    static const struct {
        uint32_t number;
        int (*take)(struct reading *r, const struct pb_field *f);
    } passes[] = {
        {PPROF_STRING, take_string}, {PPROF_SAMPLE_TYPE, take_type}, {PPROF_FUNCTION, take_function}, {PPROF_LOCATION, take_location}};
    int rc = 0;
    for (size_t i = 0; !rc && i < sizeof passes / sizeof *passes; i++) {
        struct pb m = r->all;
        for (struct pb_field f; !rc && pb_next(&m, &f);)
            rc = f.number == passes[i].number ? passes[i].take(r, &f) : 0;
        rc = rc || !m.bad ? rc : -EINVAL;
    }
    if (!rc && !r->type_count) /* nothing at all is a message, too */
        rc = -EINVAL;
    for (uint32_t i = 0; i < r->type_count; i++)
        r->seed = join(r->seed, hash_string(r, r->types[i]));
    return rc;
}

static void reading_deinit(struct reading *r)
{
    free(r->strings);
    free(r->functions.list);
    free(r->locations.list);
    map_deinit(&r->functions.of);
    map_deinit(&r->locations.of);
}

/* ---- samples ---- */

static uint64_t hash_label(const struct reading *r, const struct pb_field *field)
{
    uint64_t hash = 0;
    struct pb m = pb_message(field);
    for (struct pb_field f; pb_next(&m, &f);)
        hash = join(hash, join(f.number, f.number == PPROF_LABEL_NUM ? f.value : hash_string(r, f.value)));
    return hash;
}

/* Reads a sample. Returns 0, or -EINVAL if it has not one value for each type, or a negative one. */
static int read_sample(const struct reading *r, const struct pb_field *field, struct sample *out)
{
    uint32_t count = 0;
    struct pb m = pb_message(field);
    *out = (struct sample){.hash = r->seed};
    for (struct pb_field f; pb_next(&m, &f);) {
        struct pb_numbers rest = pb_numbers(&f);
        if (f.number == PPROF_SAMPLE_LABEL)
            out->hash = join(out->hash, hash_label(r, &f));
        for (uint64_t v; f.number == PPROF_SAMPLE_LOCATION && pb_number(&rest, &v);)
            out->hash = join(out->hash, hashes_get(&r->locations, v));
        for (uint64_t v; f.number == PPROF_SAMPLE_VALUE && pb_number(&rest, &v);) {
            if (count == r->type_count || v >> 62)
                return -EINVAL;
            out->values[count++] = v;
        }
    }
    return m.bad || count != r->type_count ? -EINVAL : 0;
}

static bool is_sum(const struct reading *r, uint32_t value)
{
    static const char state[] = "inuse";
    uint64_t name = r->types[value];
    const struct pb_field *text = name < r->string_count ? &r->strings[name] : NULL;
    return !text || text->size < sizeof state - 1 || memcmp(text->bytes, state, sizeof state - 1) != 0;
}

/* Adds the sample to the sums. Samples with the same stack and labels become one. */
static int add(struct sums *s, const struct sample *one)
{
    bool added;
    uint32_t place = (uint32_t)s->of.count, *slot = map_add(&s->of, one->hash, &added);
    if (!slot || (added && ARRAY_GROW(s->rows, s->cap, place)))
        return -ENOMEM;
    if (added) {
        *slot = place;
        s->rows[place] = (struct row){0};
    }
    for (int i = 0; i < PPROF_SINCE_VALUES; i++)
        if (__builtin_add_overflow(s->rows[*slot].values[i], one->values[i], &s->rows[*slot].values[i]))
            return -EINVAL;
    return 0;
}

static int add_samples(const struct reading *r, struct sums *s)
{
    struct sample one;
    struct pb m = r->all;
    int rc = 0;
    for (struct pb_field f; !rc && pb_next(&m, &f);) {
        if (f.number == PPROF_TIME_NANOS)
            s->time_ns = (int64_t)f.value;
        if (f.number != PPROF_SAMPLE)
            continue;
        rc = read_sample(r, &f, &one);
        rc = rc ? rc : add(s, &one);
    }
    return rc;
}

static const struct row *find(const struct sums *s, uint64_t hash)
{
    const uint32_t *place = map_find(&s->of, hash);
    return place ? &s->rows[*place] : NULL;
}

/* Whether each sum of `before` is still there, and is not smaller. */
static bool goes_on(const struct reading *r, const struct sums *before, const struct sums *now)
{
    for (size_t i = 0; i < before->of.cap; i++) {
        const struct map_slot *slot = &before->of.slots[i];
        const struct row *old = slot->used ? &before->rows[slot->value] : NULL, *new = old ? find(now, slot->key) : NULL;
        for (uint32_t v = 0; old && v < r->type_count; v++)
            if (is_sum(r, v) && old->values[v] > (new ? new->values[v] : 0))
                return false;
    }
    return true;
}

/* ---- the output ---- */

/* Computes what is new of a row. Returns whether there is anything. */
static bool subtract(const struct reading *r, const struct row *new, const struct row *old, uint64_t out[PPROF_SINCE_VALUES])
{
    bool any = false;
    for (uint32_t v = 0; v < r->type_count; v++) {
        out[v] = new->values[v] - (old && is_sum(r, v) ? old->values[v] : 0);
        any = any || out[v];
    }
    return any;
}

/* Writes a sample with these values in place of its own. */
static void put_sample(const struct reading *r, const struct pb_field *field, const uint64_t *values, struct buffer *out)
{
    struct buffer sample, numbers;
    struct pb m = pb_message(field);
    buffer_init(&sample, 2 * field->size + 128);
    buffer_init(&numbers, 128);
    for (uint32_t v = 0; v < r->type_count; v++)
        pb_put_varint(&numbers, values[v]);
    pb_put_message(&sample, PPROF_SAMPLE_VALUE, &numbers);
    for (;;) {
        const uint8_t *from = m.at;
        struct pb_field f;
        if (!pb_next(&m, &f))
            break;
        if (f.number != PPROF_SAMPLE_VALUE)
            buffer_put(&sample, from, (size_t)(m.at - from));
    }
    pb_put_message(out, PPROF_SAMPLE, &sample);
    buffer_deinit(&sample);
    buffer_deinit(&numbers);
}

/* Writes what is new of the sample's row, if this is the first sample of the row. Returns whether it did. */
static bool put_new(const struct reading *r, struct pprof_since *s, bool restart, const struct pb_field *field, struct buffer *out)
{
    struct sample one;
    uint64_t values[PPROF_SINCE_VALUES];
    if (read_sample(r, field, &one))
        return false;
    struct row *row = &s->now.rows[*map_find(&s->now.of, one.hash)];
    if (row->written || !subtract(r, row, restart ? NULL : find(&s->before, one.hash), values))
        return false;
    row->written = true;
    put_sample(r, field, values, out);
    return true;
}

/* Writes the profile, and returns the number of its samples. It begins when the one before was made. */
static uint32_t put_all(const struct reading *r, struct pprof_since *s, bool restart, struct buffer *out)
{
    uint32_t samples = 0;
    struct pb m = r->all;
    bool timed = !restart && s->before.time_ns > 0 && s->now.time_ns > s->before.time_ns;
    for (;;) {
        const uint8_t *from = m.at;
        struct pb_field f;
        if (!pb_next(&m, &f))
            break;
        if (f.number == PPROF_SAMPLE)
            samples += put_new(r, s, restart, &f, out);
        else if (!timed || (f.number != PPROF_TIME_NANOS && f.number != PPROF_DURATION_NANOS))
            buffer_put(out, from, (size_t)(m.at - from));
    }
    if (timed) {
        pb_put_int(out, PPROF_TIME_NANOS, s->before.time_ns);
        pb_put_int(out, PPROF_DURATION_NANOS, s->now.time_ns - s->before.time_ns);
    }
    return samples;
}

int pprof_since_take(struct pprof_since *s, const void *bytes, size_t n, struct buffer *out, enum pprof_since_result *result,
                     struct error *e)
{
    struct reading r = {.all = pb_init(bytes, n)};
    sums_deinit(&s->now);
    int rc = read_tables(&r);
    rc = rc ? rc : add_samples(&r, &s->now);
    *result = PPROF_SINCE_FIRST;
    if (!rc && s->begun) {
        bool restart = !goes_on(&r, &s->before, &s->now);
        uint32_t samples = put_all(&r, s, restart, out);
        *result = restart ? PPROF_SINCE_RESTART : samples ? PPROF_SINCE_MORE : PPROF_SINCE_NOTHING;
        rc = buffer_code(out) ? -ENOMEM : 0;
    }
    reading_deinit(&r);
    if (rc == -EINVAL)
        return error_set(e, rc, "it is no profile of sums in pprof's format, or is damaged");
    return rc ? error_set(e, rc, "out of memory") : 0;
}
