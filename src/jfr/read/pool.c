/* Reads constant pools from the checkpoints. A checkpoint consists of size, 1 (its type), start, duration, distance to the previous
 * checkpoint, kind, pool count, then per pool: class, entry count, (key, value)*. Entries have no length, so damage ends a checkpoint.
 *
 * A pool consists of its entries in the order of the file, and a table of their numbers by key. If keys are mostly consecutive, they are
 * indexes of the table. (The keys of stacks are, in the order of the events.) Otherwise the table uses open addressing with linear probing,
 * and is at most half full. All checkpoints of the chunk are used. Of two entries with one key (a thread may have been renamed), the first
 * in the file is used. The JDK's parser does the same: it reads the checkpoints backwards, and each entry replaces an earlier one. */
#include "base/map.h"
#include "jfr/read/input.h"
#include "jfr/read/reader_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

enum {
    ENTRIES_FEW = 8, /* a file may have many pools, most of them small */
    ENTRIES_MAX = 1 << 30,
    SPAN_MAX = 4, /* a table with direct places may have this many places for each entry */
};

struct entry {
    uint64_t key;
    const uint8_t *at, *end;
};

struct jfr_pool {
    struct entry *entries;
    uint32_t count, cap;
    uint64_t low, high; /* the lowest and the highest key */
    uint32_t *numbers;  /* numbers of entries, plus 1; 0: free */
    uint64_t places;    /* 0 = no table yet */
    uint64_t first;     /* if `direct`, the key of the first place; otherwise the number of places is a power of two */
    uint32_t numbered;  /* number of entries in the table */
    bool direct;
};

/* The key's place in the table, or a free place for it; NULL if the table cannot contain the key. */
static uint32_t *place(const struct jfr_pool *p, uint64_t seed, uint64_t key)
{
    if (p->direct)
        return key - p->first < p->places ? &p->numbers[key - p->first] : NULL;
    uint64_t i = hash_mix(key ^ seed) & (p->places - 1);
    while (p->numbers[i] && p->entries[p->numbers[i] - 1].key != key)
        i = (i + 1) & (p->places - 1);
    return &p->numbers[i];
}

/* Makes an empty table for all entries. */
static int make_room(struct jfr_pool *p)
{
    uint64_t places = 16, span = p->high - p->low;
    bool direct = span / SPAN_MAX < p->count;
    if (direct)
        places = span + span / 4 + 1; /* higher keys may follow */
    while (!direct && places / 2 < p->count)
        places *= 2;
    uint32_t *numbers = calloc(places, sizeof *numbers);
    if (!numbers)
        return -ENOMEM;
    free(p->numbers);
    p->numbers = numbers;
    p->places = places;
    p->first = p->low;
    p->direct = direct;
    p->numbered = 0;
    return 0;
}

static bool has_room(const struct jfr_pool *p)
{
    return p->direct ? p->low >= p->first && p->high - p->first < p->places : p->places / 2 >= p->count;
}

/* Adds the new entries to the table. */
static int number(struct jfr_pool *p, uint64_t seed)
{
    if (!has_room(p) && make_room(p))
        return -ENOMEM;
    for (; p->numbered < p->count; p->numbered++) {
        uint32_t *s = place(p, seed, p->entries[p->numbered].key);
        if (!*s)
            *s = p->numbered + 1;
    }
    return 0;
}

static int grow(struct jfr_pool *p)
{
    uint32_t cap = p->cap ? p->cap * 2 : ENTRIES_FEW;
    struct entry *entries = cap <= ENTRIES_MAX ? realloc(p->entries, cap * sizeof *entries) : NULL;
    if (!entries)
        return -ENOMEM;
    p->entries = entries;
    p->cap = cap;
    return 0;
}

static int put(struct jfr_pool *p, const struct entry *entry)
{
    if (p->count == p->cap && grow(p))
        return -ENOMEM;
    if (!p->count || entry->key < p->low)
        p->low = entry->key;
    if (!p->count || entry->key > p->high)
        p->high = entry->key;
    p->entries[p->count++] = *entry;
    return 0;
}

void jfr_pool_free(struct jfr_pool *p)
{
    if (!p)
        return;
    free(p->entries);
    free(p->numbers);
    free(p);
}

struct jfr_value jfr_pool_get(struct jfr_chunk *c, const struct jfr_type *type, uint64_t key)
{
    const struct jfr_pool *p = type ? type->pool : NULL;
    const uint32_t *number = p && p->places ? place(p, c->seed, key) : NULL;
    if (!number || !*number)
        return (struct jfr_value){0};
    const struct entry *entry = &p->entries[*number - 1];
    struct jfr_value v = jfr_value_at(c, &(struct jfr_field){.type = type}, entry->at, entry->end);
    v.exact = true;
    return v;
}

/* ---- reading ---- */

/* Returns the only type that values of the type contain directly, if there is only one. */
static const struct jfr_type *content_of(const struct jfr_type *type)
{
    while (type->kind == JFR_KIND_STRUCT && !type->broken && type->field_count == 1 && !type->fields[0].array && !type->fields[0].pooled)
        type = type->fields[0].type;
    return type;
}

/* Reads the entries of one pool. Returns where they end, or NULL on damage. *rc is -ENOMEM if there is no memory. */
static const uint8_t *read_entries(struct jfr_type *type, uint64_t count, const uint8_t *at, const uint8_t *end, int *rc)
{
    const struct jfr_type *content = content_of(type);
    for (uint64_t i = 0; i < count && at && !*rc; i++) {
        struct entry entry;
        entry.at = input_varint(at, end, &entry.key);
        entry.end = at = jfr_skip_type(content, entry.at, end);
        if (at && type->min_size)
            *rc = put(type->pool, &entry);
    }
    return at;
}

static const uint8_t *read_pool(struct jfr_chunk *c, const uint8_t *at, const uint8_t *end, int *rc)
{
    uint64_t id, count;
    at = input_varint(input_varint(at, end, &id), end, &count);
    struct jfr_type *type = at ? jfr_type_by_id(c, id) : NULL;
    if (!type)
        return NULL;
    if (!type->pool)
        type->pool = calloc(1, sizeof *type->pool);
    if (!type->pool)
        *rc = -ENOMEM;
    return *rc ? NULL : read_entries(type, count, at, end, rc);
}

static int read_checkpoint(struct jfr_chunk *c, uint64_t offset)
{
    const uint8_t *start = c->bytes + offset, *at = start;
    uint64_t size = 0, skipped, pools;
    uint8_t kind;
    input_varint(at, c->end, &size); /* the scan has checked that it is there and complete */
    const uint8_t *end = start + size;
    for (int i = 0; i < 5; i++) /* size, type, start, duration, distance */
        at = input_varint(at, end, &skipped);
    at = input_varint(input_byte(at, end, &kind), end, &pools);
    int rc = 0;
    for (uint64_t i = 0; at && i < pools && !rc; i++)
        at = read_pool(c, at, end, &rc);
    if (!at && !rc) {
        c->info.whole = false;
        jfr_problem_add(c->problems, c->index, c->info.offset + offset,
                        "a checkpoint of %" PRIu64 " bytes is damaged: names in it may be missing", size);
    }
    return rc;
}

int jfr_pools_read(struct jfr_chunk *c, uint32_t from)
{
    int rc = 0;
    for (uint32_t i = from; i < c->checkpoint_count && !rc; i++)
        rc = read_checkpoint(c, c->checkpoints[i]);
    for (uint32_t i = 0; i < c->types->count && !rc; i++)
        rc = c->types->list[i].pool ? number(c->types->list[i].pool, c->seed) : 0;
    return rc;
}
