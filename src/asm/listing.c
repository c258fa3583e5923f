#include "asm/listing.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FEEDS_WITHIN = 4 }; /* lines */

/* The offsets after `at` where an instruction certainly begins. */
struct beginnings {
    const struct asm_point *const *points;
    uint32_t count, next;
    uint64_t entry, size; /* offsets */
};

static uint64_t next_beginning(struct beginnings *b, uint64_t at)
{
    while (b->next < b->count && b->points[b->next]->offset <= at)
        b->next++;
    uint64_t next = b->next < b->count ? b->points[b->next]->offset : b->size;
    return b->entry > at && b->entry < next ? b->entry : next;
}

static int put_line(struct asm_listing *l, struct asm_line line)
{
    if (ARRAY_GROW(l->lines, l->cap, l->count))
        return -ENOMEM;
    l->lines[l->count++] = line;
    return 0;
}

static void put_points(struct asm_listing *l, const struct asm_point *const *points, uint32_t count)
{
    for (uint32_t i = 0, at = 0; i < count; i++) {
        while (at < l->count && l->lines[at].offset < points[i]->offset)
            at++;
        if (at < l->count && l->lines[at].offset == points[i]->offset)
            l->lines[at].point = points[i];
    }
}

int asm_listing_make(struct asm_listing *l, struct asm_decoder *d, const struct asm_snapshot *s, const struct asm_point *const *points,
                     uint32_t point_count)
{
    uint32_t unit = d->processor == ASM_AARCH64 ? 4 : 1;
    struct beginnings beginnings = {points, point_count, 0, s->entry - s->address, s->size};
    *l = (struct asm_listing){.snapshot = s};
    for (uint64_t at = 0; at < s->size;) {
        uint64_t limit = next_beginning(&beginnings, at), left = limit - at;
        struct asm_line line = {.offset = (uint32_t)at};
        line.decoded = asm_decode(d, s->bytes + at, left, s->address + at, &line.instruction);
        if (!line.decoded) {
            line.instruction = (struct asm_instruction){.size = (uint8_t)(left < unit ? left : unit)};
            l->undecoded += line.instruction.size;
        }
        if (put_line(l, line))
            return -ENOMEM;
        at += line.instruction.size;
    }
    put_points(l, points, point_count);
    return 0;
}

void asm_listing_deinit(struct asm_listing *l)
{
    free(l->lines);
    memset(l, 0, sizeof *l);
}

uint32_t asm_listing_find(const struct asm_listing *l, uint32_t offset)
{
    uint32_t low = 0, high = l->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (l->lines[middle].offset + l->lines[middle].instruction.size <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int by_offset(const void *left, const void *right)
{
    const struct asm_point *a = *(const struct asm_point *const *)left, *b = *(const struct asm_point *const *)right;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

const struct asm_point **asm_listing_points(const struct asm_regions *s, uint32_t snapshot, uint32_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < s->count; i++)
        *count += s->regions[i].snapshot == snapshot ? s->regions[i].count : 0;
    const struct asm_point **points = calloc(*count + 1u, sizeof(struct asm_point *));
    for (uint32_t i = 0, n = 0; points && i < s->count; i++)
        for (uint32_t k = 0; s->regions[i].snapshot == snapshot && k < s->regions[i].count; k++)
            points[n++] = &s->points[s->regions[i].first + k];
    if (points)
        qsort(points, *count, sizeof *points, by_offset);
    return points;
}

uint32_t asm_listing_feeds(const struct asm_listing *l, uint32_t line)
{
    if (line >= l->count || !l->lines[line].decoded)
        return UINT32_MAX;
    uint64_t wanted = l->lines[line].instruction.reads;
    for (uint32_t back = 1; back <= FEEDS_WITHIN && back <= line; back++) {
        const struct asm_line *before = &l->lines[line - back];
        if (!before->decoded || before->instruction.flow == ASM_JUMP || before->instruction.flow == ASM_RETURN)
            return UINT32_MAX;
        bool feeds = (before->instruction.writes & wanted) != 0;
        if ((feeds && (before->instruction.loads || before->instruction.slow)) || (back == 1 && before->instruction.slow))
            return line - back;
        wanted &= ~before->instruction.writes;
        if (!wanted)
            return UINT32_MAX;
    }
    return UINT32_MAX;
}
