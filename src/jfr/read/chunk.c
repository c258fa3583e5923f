#include "base/time_units.h"
#include "jfr/read/reader.h"

#include "base/array.h"
#include "jfr/read/input.h"
#include "jfr/read/reader_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>

enum { SCRATCH_MAX = 1 << 30 };

/* ---- the scan: what is in the chunk, and how far it is whole ---- */

/* Finds the tally of a type id. */
struct tally_places {
    struct map by_id;
    uint32_t by_small_id[JFR_SMALL_IDS]; /* index + 1, 0 = none */
};

static struct jfr_tally *tally_of(struct jfr_chunk *c, struct tally_places *places, uint64_t id)
{
    bool added;
    if (id < JFR_SMALL_IDS && places->by_small_id[id])
        return &c->tallies[places->by_small_id[id] - 1];
    uint32_t *index = map_add(&places->by_id, id ^ c->seed, &added);
    if (!index || (added && ARRAY_GROW(c->tallies, c->tally_cap, c->tally_count)))
        return NULL;
    if (added) {
        *index = c->tally_count;
        c->tallies[c->tally_count++] = (struct jfr_tally){.id = id};
        if (id < JFR_SMALL_IDS)
            places->by_small_id[id] = c->tally_count;
    }
    return &c->tallies[*index];
}

static int note_event(struct jfr_chunk *c, struct tally_places *places, uint64_t id, uint64_t offset, uint64_t size)
{
    if (id == JFR_METADATA_TYPE)
        c->metadata = offset;
    if (id == JFR_CHECKPOINT_TYPE) {
        if (ARRAY_GROW(c->checkpoints, c->checkpoint_cap, c->checkpoint_count))
            return -ENOMEM;
        c->checkpoints[c->checkpoint_count++] = offset;
    }
    struct jfr_tally *tally = tally_of(c, places, id);
    if (!tally)
        return -ENOMEM;
    tally->events++;
    tally->bytes += size;
    return 0;
}

/* Reads size and type of the event at `at`. Returns where its fields begin, or NULL if it is damaged. */
static const uint8_t *event_head(const uint8_t *at, const uint8_t *end, uint64_t *size, uint64_t *id)
{
    const uint8_t *fields = input_varint(input_varint(at, end, size), end, id);
    return fields && *size <= (uint64_t)(end - at) && *size >= (uint64_t)(fields - at) ? fields : NULL;
}

/* Builds the places of the tallies that an earlier scan has made. */
static int find_places(struct jfr_chunk *c, struct tally_places *places)
{
    map_init(&places->by_id);
    for (uint32_t i = 0; i < c->tally_count; i++) {
        bool added;
        uint32_t *index = map_add(&places->by_id, c->tallies[i].id ^ c->seed, &added);
        if (!index)
            return -ENOMEM;
        *index = i;
        if (c->tallies[i].id < JFR_SMALL_IDS)
            places->by_small_id[c->tallies[i].id] = i + 1;
    }
    return 0;
}

/* Scans from `at` to the chunk's end. */
static int scan(struct jfr_chunk *c, const uint8_t *at)
{
    struct tally_places places = {0};
    int rc = find_places(c, &places);
    const uint8_t *end = c->end;
    while (at < end && !rc) {
        uint64_t size, id;
        if (!event_head(at, end, &size, &id)) {
            c->info.whole = false;
            c->end = at;
            jfr_problem_add(c->problems, c->index, c->info.offset + (uint64_t)(at - c->bytes),
                            "no complete event here; the last %" PRIu64 " bytes of the chunk are not read", (uint64_t)(end - at));
            break;
        }
        rc = note_event(c, &places, id, (uint64_t)(at - c->bytes), size);
        at += size;
    }
    map_deinit(&places.by_id);
    return rc;
}

static void spread_tallies(struct jfr_chunk *c)
{
    uint64_t unknown = 0;
    for (uint32_t i = 0; i < c->tally_count; i++) {
        const struct jfr_tally *t = &c->tallies[i];
        struct jfr_type *type = jfr_type_by_id(c, t->id);
        if (type && type->event) {
            type->events = t->events;
            type->event_bytes = t->bytes;
        } else if (t->id != JFR_METADATA_TYPE && t->id != JFR_CHECKPOINT_TYPE) {
            unknown += t->events;
        }
    }
    if (unknown)
        jfr_problem_add(c->problems, c->index, c->info.offset, "%" PRIu64 " events have types that the chunk does not declare; skipped",
                        unknown);
}

/* ---- opening ---- */

static void read_header(struct jfr_chunk *c, const struct jfr_extent *extent)
{
    const uint8_t *h = c->bytes;
    c->info = (struct jfr_chunk_info){
        .offset = extent->offset,
        .size = extent->size,
        .major = (uint16_t)input_be(h + 4, 2),
        .minor = (uint16_t)input_be(h + 6, 2),
        .start_ns = (int64_t)input_be(h + 32, 8),
        .duration_ns = (int64_t)input_be(h + 40, 8),
        .start_ticks = (int64_t)input_be(h + 48, 8),
        .ticks_per_second = input_be(h + 56, 8),
        .whole = !extent->cut,
    };
    if (!c->info.ticks_per_second) {
        jfr_problem_add(c->problems, c->index, c->info.offset, "the header has no clock rate; 1 GHz is assumed");
        c->info.ticks_per_second = NS_PER_S;
        c->info.whole = false;
    }
}

/* Uses the metadata event that the header names. A writer may have left several of them. */
static void choose_metadata(struct jfr_chunk *c)
{
    uint64_t offset = input_be(c->bytes + 24, 8), size, id;
    uint64_t length = (uint64_t)(c->end - c->bytes);
    if (offset >= JFR_HEADER_BYTES && offset < length && event_head(c->bytes + offset, c->end, &size, &id) && id == JFR_METADATA_TYPE)
        c->metadata = offset;
}

/* Reads the types of the chunk's events. Without them nothing in the chunk can be read. */
static int read_types(struct jfr_chunk *c)
{
    if (!(c->bytes[67] & 1)) {
        jfr_problem_add(c->problems, c->index, c->info.offset,
                        "its integers are not compressed, unlike those of every known writer; skipped");
        return -EINVAL;
    }
    int rc = scan(c, c->bytes + JFR_HEADER_BYTES);
    if (rc)
        return rc;
    choose_metadata(c);
    if (!c->metadata) {
        jfr_problem_add(c->problems, c->index, c->info.offset, "the chunk contains no metadata and cannot be read; skipped");
        return -EINVAL;
    }
    return jfr_metadata_read(c);
}

static int read_chunk(struct jfr_chunk *c)
{
    int rc = read_types(c);
    if (!rc)
        rc = jfr_pools_read(c, 0);
    if (rc)
        return rc;
    spread_tallies(c);
    return c->out_of_memory ? -ENOMEM : 0;
}

static struct jfr_chunk *chunk_new(const struct jfr_file *f, uint32_t index, struct jfr_declared *declared, struct jfr_problems *problems)
{
    struct jfr_chunk *c = calloc(1, sizeof *c);
    if (!c || strtab_init(&c->names)) {
        free(c);
        return NULL;
    }
    const struct jfr_extent *extent = &f->chunks[index];
    c->file = f;
    c->index = index;
    c->declared = declared;
    c->problems = problems;
    c->bytes = f->bytes + extent->offset;
    c->end = c->bytes + extent->size;
    if (getrandom(&c->seed, sizeof c->seed, GRND_NONBLOCK) < 0)
        c->seed = (uintptr_t)c;
    map_init(&c->texts);
    buffer_init(&c->scratch, SCRATCH_MAX);
    read_header(c, extent);
    return c;
}

int jfr_chunk_open(struct jfr_chunk **out, const struct jfr_file *f, uint32_t index, struct jfr_problems *problems, struct error *e)
{
    return jfr_chunk_open_next(out, f, index, NULL, problems, e);
}

int jfr_chunk_open_next(struct jfr_chunk **out, const struct jfr_file *f, uint32_t index, struct jfr_declared *declared,
                        struct jfr_problems *problems, struct error *e)
{
    *out = NULL;
    struct jfr_chunk *c = chunk_new(f, index, declared, problems);
    int rc = c ? read_chunk(c) : -ENOMEM;
    if (rc) {
        jfr_chunk_close(c);
        return rc == -ENOMEM ? error_set(e, rc, "%s: no memory to read chunk %u", f->name, index) : 0;
    }
    c->problems = NULL;
    *out = c;
    return 0;
}

int jfr_chunk_probe(const struct jfr_file *f, uint32_t index, struct jfr_problems *problems)
{
    struct jfr_chunk *c = chunk_new(f, index, NULL, problems);
    int rc = c ? read_types(c) : -ENOMEM;
    jfr_chunk_close(c);
    return rc;
}

int jfr_chunk_extend(struct jfr_chunk *c, uint64_t size)
{
    uint32_t checkpoints = c->checkpoint_count;
    const uint8_t *from = c->end;
    c->end = c->bytes + size;
    c->info.size = size;
    int rc = scan(c, from);
    if (!rc)
        rc = jfr_pools_read(c, checkpoints);
    if (!rc)
        spread_tallies(c);
    return rc;
}

/* Frees the pages of a mapped chunk that was read. */
static void give_pages_back(const struct jfr_chunk *c)
{
    const struct intake *in = &c->file->intake;
    uintptr_t page = 4096, from = ((uintptr_t)c->bytes + page - 1) & ~(page - 1);
    uintptr_t to = ((uintptr_t)c->bytes + c->info.size) & ~(page - 1);
    if ((in->mapped || in->spool.fd >= 0) && from < to)
        madvise((void *)from, to - from, MADV_DONTNEED);
}

/* Keeps the types for later chunks, in place of the oldest ones. */
static void keep_types(struct jfr_declared *d, struct jfr_types *types)
{
    if (d->types[0]) {
        jfr_types_free(d->types[1]);
        d->types[1] = d->types[0];
    }
    d->types[0] = types;
}

static void leave_types(struct jfr_chunk *c)
{
    for (uint32_t i = 0; c->types && i < c->types->count; i++) {
        jfr_pool_free(c->types->list[i].pool);
        c->types->list[i].pool = NULL;
    }
    if (c->declared && c->types && c->types->source)
        keep_types(c->declared, c->types);
    else
        jfr_types_free(c->types);
}

void jfr_chunk_close(struct jfr_chunk *c)
{
    if (!c)
        return;
    give_pages_back(c);
    leave_types(c);
    free(c->tallies);
    free(c->checkpoints);
    map_deinit(&c->texts);
    strtab_deinit(&c->names);
    buffer_deinit(&c->scratch);
    free(c);
}

/* ---- times and types ---- */

const struct jfr_chunk_info *jfr_chunk_get_info(const struct jfr_chunk *c)
{
    return &c->info;
}

struct jfr_chunk_rest jfr_chunk_get_rest(const struct jfr_chunk *c)
{
    struct jfr_chunk_rest rest = {0};
    for (uint32_t i = 0; i < c->tally_count; i++) {
        const struct jfr_tally *t = &c->tallies[i];
        if (t->id == JFR_METADATA_TYPE) {
            rest.metadata = t->events;
            rest.metadata_bytes = t->bytes;
        } else if (t->id == JFR_CHECKPOINT_TYPE) {
            rest.checkpoints = t->events;
            rest.checkpoint_bytes = t->bytes;
        }
    }
    return rest;
}

static int64_t clamp(__int128 v)
{
    return v > INT64_MAX ? INT64_MAX : v < INT64_MIN ? INT64_MIN : (int64_t)v;
}

int64_t jfr_chunk_ticks_to_ns(const struct jfr_chunk *c, int64_t ticks)
{
    return clamp((__int128)ticks * NS_PER_S / (__int128)c->info.ticks_per_second);
}

int64_t jfr_chunk_epoch_ns(const struct jfr_chunk *c, int64_t ticks)
{
    __int128 since = (__int128)ticks - c->info.start_ticks;
    return clamp((__int128)c->info.start_ns + since * NS_PER_S / (__int128)c->info.ticks_per_second);
}

bool jfr_unit_is_span(enum jfr_unit unit)
{
    return unit >= JFR_UNIT_SPAN_TICKS && unit <= JFR_UNIT_SPAN_S;
}

bool jfr_moment_ns(const struct jfr_chunk *c, enum jfr_unit unit, int64_t v, int64_t *ns)
{
    switch (unit) {
    case JFR_UNIT_TIMESTAMP_TICKS:
        *ns = jfr_chunk_epoch_ns(c, v);
        return true;
    case JFR_UNIT_SPAN_TICKS:
        *ns = jfr_chunk_ticks_to_ns(c, v);
        return true;
    case JFR_UNIT_EPOCH_NS:
    case JFR_UNIT_SPAN_NS:
        *ns = v;
        return true;
    case JFR_UNIT_SPAN_US:
        *ns = clamp((__int128)v * NS_PER_US);
        return true;
    case JFR_UNIT_EPOCH_MS:
    case JFR_UNIT_SPAN_MS:
        *ns = clamp((__int128)v * NS_PER_MS);
        return true;
    case JFR_UNIT_EPOCH_S:
    case JFR_UNIT_SPAN_S:
        *ns = clamp((__int128)v * NS_PER_S);
        return true;
    default:
        return false;
    }
}

const struct jfr_type *jfr_chunk_types(const struct jfr_chunk *c, uint32_t *count)
{
    *count = c->types->count;
    return c->types->list;
}

const struct jfr_type *jfr_chunk_type(const struct jfr_chunk *c, const char *name)
{
    for (uint32_t i = 0; i < c->types->count; i++)
        if (!strcmp(c->types->list[i].name, name))
            return &c->types->list[i];
    return NULL;
}

/* Returns the first field of that name. */
static const struct jfr_field *find_sorted(const struct jfr_type *type, const char *name)
{
    uint32_t low = 0, high = type->field_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strncmp(type->by_name[middle]->name, name, JFR_NAME_COMPARED) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < type->field_count && !strcmp(type->by_name[low]->name, name) ? type->by_name[low] : NULL;
}

const struct jfr_field *jfr_type_field(const struct jfr_type *type, const char *name)
{
    if (type && type->by_name && strlen(name) < JFR_NAME_COMPARED)
        return find_sorted(type, name);
    for (uint32_t i = 0; type && i < type->field_count; i++)
        if (!strcmp(type->fields[i].name, name))
            return &type->fields[i];
    return NULL;
}

/* ---- events ---- */

struct jfr_cursor jfr_cursor_init(struct jfr_chunk *c)
{
    return (struct jfr_cursor){c, c->bytes + JFR_HEADER_BYTES};
}

bool jfr_cursor_next(struct jfr_cursor *cursor, struct jfr_event *event)
{
    struct jfr_chunk *c = cursor->chunk;
    while (cursor->at < c->end) {
        uint64_t size, id;
        const uint8_t *at = cursor->at, *fields = event_head(at, c->end, &size, &id);
        if (!fields)
            return false;
        cursor->at += size;
        const struct jfr_type *type = jfr_type_by_id(c, id);
        if (!type || !type->event)
            continue;
        event->chunk = c;
        event->type = type;
        event->offset = c->info.offset + (uint64_t)(at - c->bytes);
        event->size = size;
        event->at[0] = fields;
        event->known = 1;
        return true;
    }
    return false;
}

static const uint8_t *event_end(const struct jfr_event *e)
{
    return e->chunk->bytes + (e->offset - e->chunk->info.offset) + e->size;
}

/* Returns where the field begins; NULL if the event is damaged before it. The positions of fields are found one after the other, and
 * kept. */
static const uint8_t *find_field(struct jfr_event *e, const struct jfr_field *f)
{
    const struct jfr_type *type = e->type;
    const uint8_t *end = event_end(e);
    while (e->known <= f->index && e->known < JFR_SPLIT_MAX) {
        e->at[e->known] = jfr_skip_field(&type->fields[e->known - 1], e->at[e->known - 1], end);
        e->known++;
    }
    if (f->index < JFR_SPLIT_MAX)
        return e->at[f->index];
    const uint8_t *at = e->at[JFR_SPLIT_MAX - 1];
    for (uint32_t i = JFR_SPLIT_MAX - 1; i < f->index; i++)
        at = jfr_skip_field(&type->fields[i], at, end);
    return at;
}

static inline const uint8_t *field_at(struct jfr_event *e, const struct jfr_field *f)
{
    return f->index < e->known ? e->at[f->index] : find_field(e, f);
}

struct jfr_value jfr_event_value(struct jfr_event *e, const struct jfr_field *f)
{
    if (!f)
        return (struct jfr_value){0};
    return jfr_value_at(e->chunk, f, field_at(e, f), event_end(e));
}

uint64_t jfr_event_key(struct jfr_event *e, const struct jfr_field *f)
{
    uint64_t key = 0;
    if (!f || !f->pooled || f->array)
        return 0;
    return input_varint(field_at(e, f), event_end(e), &key) ? key : 0;
}

int64_t jfr_event_int(struct jfr_event *e, const struct jfr_field *f)
{
    uint64_t bits;
    if (!f || f->type->kind != JFR_KIND_LONG || f->array || f->pooled)
        return jfr_value_int(jfr_event_value(e, f));
    return input_varint(field_at(e, f), event_end(e), &bits) ? (int64_t)bits : 0;
}

int64_t jfr_event_epoch_ns(struct jfr_event *e)
{
    const struct jfr_field *f = e->type->start_time;
    return f ? jfr_chunk_epoch_ns(e->chunk, jfr_event_int(e, f)) : e->chunk->info.start_ns;
}

int64_t jfr_event_span_ns(struct jfr_event *e, const char *field)
{
    const struct jfr_field *f = jfr_type_field(e->type, field);
    int64_t ns, v = jfr_event_int(e, f);
    if (!f)
        return 0;
    if (!jfr_moment_ns(e->chunk, f->unit, v, &ns) || !jfr_unit_is_span(f->unit))
        ns = jfr_chunk_ticks_to_ns(e->chunk, v);
    return ns > 0 ? ns : 0;
}
