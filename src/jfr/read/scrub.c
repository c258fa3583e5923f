#include "jfr/read/scrub.h"

#include "base/array.h"
#include "jfr/read/input.h"
#include "jfr/read/reader_internal.h"
#include "jfr/read/scrub_record.h"

#include <errno.h>
#include <stdlib.h>

enum { RECORD_MAX = 1 << 30 };

struct move { /* of a checkpoint: its offsets in the old chunk and in the new one */
    uint64_t from, to;
};

struct rewriting {
    struct scrub scrub;
    uint64_t dropped;
    struct buffer done; /* the new chunk */
    struct move *moves;
    uint32_t move_count, move_cap;
};

/* ---- sizes and distances ---- */

/* Writes a number into n bytes, in which it must fit. */
static void put_padded(struct buffer *b, uint64_t v, size_t n)
{
    for (size_t i = 1; i < n; i++, v >>= 7)
        buffer_u8(b, (uint8_t)(v | 0x80));
    buffer_u8(b, (uint8_t)v);
}

/* Returns the distance from here to the new place of the previous checkpoint; the old number if there is none. */
static uint64_t new_distance(const struct rewriting *r, uint64_t from, uint64_t to, uint64_t distance)
{
    for (uint32_t i = r->move_count; i-- > 0;)
        if (r->moves[i].from == from + distance)
            return r->moves[i].to - to;
    return distance;
}

static bool rewrite_checkpoint(struct rewriting *r, const uint8_t *start, const uint8_t *type, const uint8_t *end)
{
    uint64_t skipped, distance, pools, from = (uint64_t)(start - r->scrub.chunk->bytes), to = r->done.len;
    uint8_t kind;
    const uint8_t *at = type;
    for (int i = 0; i < 3; i++) /* type, start, duration */
        at = input_varint(at, end, &skipped);
    const uint8_t *behind = input_varint(at, end, &distance);
    const uint8_t *next = input_varint(input_byte(behind, end, &kind), end, &pools);
    if (!next || ARRAY_GROW(r->moves, r->move_cap, r->move_count))
        return false;
    scrub_copy(&r->scrub, type, at);
    put_padded(&r->scrub.out, new_distance(r, from, to, distance), (size_t)(behind - at));
    scrub_copy(&r->scrub, behind, next);
    r->moves[r->move_count++] = (struct move){from, to};
    for (uint64_t i = 0; i < pools && next; i++)
        next = scrub_pool(&r->scrub, next, end);
    return next && scrub_copy(&r->scrub, next, end);
}

/* ---- the chunk ---- */

/* Writes the finished record after its size. The size has at least as many bytes as before. */
static void finish_record(struct rewriting *r, size_t size_bytes)
{
    while (size_bytes < 9 && (size_bytes + r->scrub.out.len) >> (7 * size_bytes))
        size_bytes++;
    put_padded(&r->done, size_bytes + r->scrub.out.len, size_bytes);
    buffer_put(&r->done, r->scrub.out.data, r->scrub.out.len);
}

static void rewrite_record(struct rewriting *r, const uint8_t *start, const uint8_t *type, const uint8_t *end, uint64_t id,
                           uint64_t *metadata)
{
    struct jfr_cursor cursor = {r->scrub.chunk, start};
    struct jfr_event event;
    bool good = true;
    buffer_reset(&r->scrub.out);
    if (id == JFR_METADATA_TYPE) {
        if (start == r->scrub.chunk->bytes + r->scrub.chunk->metadata)
            *metadata = r->done.len;
        scrub_copy(&r->scrub, type, end);
    } else if (id == JFR_CHECKPOINT_TYPE) {
        good = rewrite_checkpoint(r, start, type, end);
    } else {
        const struct jfr_type *known = jfr_type_by_id(r->scrub.chunk, id);
        good = known && known->event && jfr_cursor_next(&cursor, &event) && scrub_event(&r->scrub, &event, type, end);
    }
    r->scrub.out_of_memory |= r->scrub.out.failed;
    r->dropped += !good;
    if (good)
        finish_record(r, (size_t)(type - start));
}

static void put_be64(uint8_t *at, uint64_t v)
{
    for (int i = 8; i-- > 0; v >>= 8)
        at[i] = (uint8_t)v;
}

/* Writes the sizes and offsets into the header, and marks the chunk as complete. */
static void finish_header(struct rewriting *r, uint64_t metadata)
{
    uint64_t checkpoint = input_be(r->scrub.chunk->bytes + 16, 8), now = r->move_count ? r->moves[r->move_count - 1].to : 0;
    for (uint32_t i = 0; i < r->move_count; i++)
        if (r->moves[i].from == checkpoint)
            now = r->moves[i].to;
    put_be64(r->done.data + 8, r->done.len);
    put_be64(r->done.data + 16, now);
    put_be64(r->done.data + 24, metadata);
    r->done.data[64] = 0;
}

static void rewrite(struct rewriting *r)
{
    const struct jfr_chunk *c = r->scrub.chunk;
    uint64_t metadata = 0, size = 0, id = 0;
    buffer_put(&r->done, c->bytes, JFR_HEADER_BYTES);
    for (const uint8_t *at = c->bytes + JFR_HEADER_BYTES; at < c->end; at += size) {
        const uint8_t *type = input_varint(at, c->end, &size); /* the scan has checked that it is complete */
        input_varint(type, c->end, &id);
        rewrite_record(r, at, type, at + size, id, &metadata);
    }
    if (!r->done.failed)
        finish_header(r, metadata);
}

int jfr_scrub_chunk(struct jfr_chunk *c, uint8_t **bytes, size_t *size, struct jfr_scrubbed *counts)
{
    struct rewriting r = {.scrub = {.chunk = c, .name = ""}};
    buffer_init(&r.done, SIZE_MAX / 2);
    buffer_init(&r.scrub.out, RECORD_MAX);
    map_init(&r.scrub.masked);
    int rc = scrub_find_masked(&r.scrub);
    if (!rc)
        rewrite(&r);
    if (r.done.failed || r.scrub.out_of_memory)
        rc = -ENOMEM;
    counts->texts += r.scrub.texts;
    counts->events += r.scrub.events;
    counts->dropped += r.dropped;
    *bytes = r.done.data;
    *size = r.done.len;
    if (rc)
        buffer_deinit(&r.done);
    buffer_deinit(&r.scrub.out);
    map_deinit(&r.scrub.masked);
    free(r.moves);
    return rc;
}
