/* Constant pools out of the checkpoints: size, 1 (its type), start, duration, distance to the previous checkpoint, kind,
 * pool count, then per pool: class, entry count, (key, value)*. Entries have no length, so that damage ends a checkpoint.
 *
 * A pool is a hash table from key to the place of the value in the file: open addressing, linear probing, 3/4 full. All
 * checkpoints of the chunk count; of two entries with one key (a thread may have been renamed) the first in the file does, as
 * for the JDK's parser, which reads the checkpoints backwards and lets each replace what it has. */
#include "base/array.h"
#include "base/map.h"
#include "jfr/input.h"
#include "jfr/reader_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct slot {
    uint64_t key;
    const uint8_t *at, *end; /* at is NULL: free */
};

struct jfr_pool {
    struct slot *slots;
    size_t cap, count; /* cap is a power of two, or 0 */
};

static struct slot *place(struct slot *slots, size_t cap, uint64_t seed, uint64_t key)
{
    size_t i = hash_mix(key ^ seed) & (cap - 1);
    while (slots[i].at && slots[i].key != key)
        i = (i + 1) & (cap - 1);
    return &slots[i];
}

static int grow(struct jfr_pool *p, uint64_t seed, size_t cap)
{
    struct slot *slots = calloc(cap, sizeof *slots);
    if (!slots)
        return -ENOMEM;
    for (size_t i = 0; i < p->cap; i++)
        if (p->slots[i].at)
            *place(slots, cap, seed, p->slots[i].key) = p->slots[i];
    free(p->slots);
    p->slots = slots;
    p->cap = cap;
    return 0;
}

static int put(struct jfr_pool *p, uint64_t seed, struct slot entry)
{
    if (p->count * 4 >= p->cap * 3 && grow(p, seed, p->cap ? p->cap * 2 : 16))
        return -ENOMEM;
    struct slot *s = place(p->slots, p->cap, seed, entry.key);
    if (!s->at) {
        p->count++;
        *s = entry;
    }
    return 0;
}

void jfr_pool_free(struct jfr_pool *p)
{
    if (p)
        free(p->slots);
    free(p);
}

struct jfr_value jfr_pool_get(struct jfr_chunk *c, const struct jfr_type *type, uint64_t key)
{
    if (!type || !type->pool || !type->pool->cap)
        return (struct jfr_value){0};
    const struct slot *s = place(type->pool->slots, type->pool->cap, c->seed, key);
    struct jfr_value v = jfr_value_at(c, &(struct jfr_field){.type = type}, s->at, s->end);
    v.exact = true;
    return v;
}

/* ---- reading ---- */

/* Room for as many entries as are claimed and could be there. */
static int reserve(struct jfr_pool *p, uint64_t seed, uint64_t count, const struct jfr_type *type, uint64_t bytes)
{
    uint64_t most = bytes / (1 + type->min_size), wanted = p->count + (count < most ? count : most);
    size_t cap = p->cap ? p->cap : 16;
    while (cap / 4 * 3 <= wanted)
        cap *= 2;
    return cap > p->cap ? grow(p, seed, cap) : 0;
}

/* Entries of one pool: where they end, NULL on damage; *rc is -ENOMEM when memory is short. */
static const uint8_t *read_entries(const struct jfr_chunk *c, struct jfr_type *type, uint64_t count, const uint8_t *at,
                                   const uint8_t *end, int *rc)
{
    for (uint64_t i = 0; i < count && at && !*rc; i++) {
        uint64_t key;
        const uint8_t *value = input_varint(at, end, &key);
        at = value ? jfr_skip_type(type, value, end) : NULL;
        if (at && type->min_size)
            *rc = put(type->pool, c->seed, (struct slot){key, value, at});
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
    if (!type->pool || reserve(type->pool, c->seed, count, type, (uint64_t)(end - at)))
        *rc = -ENOMEM;
    return *rc ? NULL : read_entries(c, type, count, at, end, rc);
}

static int read_checkpoint(struct jfr_chunk *c, uint64_t offset)
{
    const uint8_t *start = c->bytes + offset, *at = start;
    uint64_t size = 0, skipped, pools;
    uint8_t kind;
    input_varint(at, c->end, &size); /* the scan has seen that it is there and whole */
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
                        "a checkpoint of %" PRIu64 " bytes is damaged: names it holds may be missing", size);
    }
    return rc;
}

int jfr_pools_read(struct jfr_chunk *c, uint32_t from)
{
    int rc = 0;
    for (uint32_t i = from; i < c->checkpoint_count && !rc; i++)
        rc = read_checkpoint(c, c->checkpoints[i]);
    return rc;
}
