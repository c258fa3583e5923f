/* The summary of a roll-up: what each label set has in each slot, and the recordings that do not lie within one. It is apart from the rows,
 * because the catalog keeps it, and answers about recordings, times and losses need nothing else. */
#include "store/rollup/rollup.h"

#include "base/array.h"
#include "store/files/column.h"

#include <errno.h>
#include <stdlib.h>

int rollup_group(struct rollup_summary *m, uint64_t labelset, uint32_t *group)
{
    bool added;
    uint32_t *place = ARRAY_GROW(m->labelsets, m->group_cap, m->group_count) ? NULL : map_add(&m->groups, labelset, &added);
    if (!place)
        return -ENOMEM;
    if (added) {
        *place = m->group_count;
        m->labelsets[m->group_count++] = labelset;
    }
    *group = *place;
    return 0;
}

struct rollup_slot *rollup_slot(struct rollup_summary *m, uint32_t group, uint32_t slot)
{
    bool added;
    uint32_t *place = ARRAY_GROW(m->slots, m->slot_cap, m->slot_count) ? NULL : map_add(&m->places, (uint64_t)group << 8 | slot, &added);
    if (!place)
        return NULL;
    if (added) {
        m->slots[m->slot_count] = (struct rollup_slot){.group = group, .slot = slot, .begun = INT64_MAX, .ended = INT64_MIN};
        *place = m->slot_count++;
    }
    return &m->slots[*place];
}

static int by_slot(const void *left, const void *right)
{
    const struct rollup_slot *a = left, *b = right;
    if (a->slot != b->slot)
        return a->slot < b->slot ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

void rollup_summary_sort(struct rollup_summary *m)
{
    if (m->slot_count)
        qsort(m->slots, m->slot_count, sizeof *m->slots, by_slot);
    map_clear(&m->places);
}

void rollup_summary_deinit(struct rollup_summary *m)
{
    free(m->labelsets);
    free(m->slots);
    free(m->longs);
    map_deinit(&m->groups);
    map_deinit(&m->places);
    *m = (struct rollup_summary){0};
}

/* ---- as bytes ---- */

static void put_slot(struct buffer *out, const struct rollup_slot *s)
{
    column_put(out, s->group);
    column_put(out, s->slot);
    column_put(out, s->rows);
    column_put(out, s->weight);
    column_put(out, s->recordings);
    column_put(out, s->seconds);
    column_put_signed(out, s->begun);
    column_put_signed(out, (int64_t)((uint64_t)s->ended - (uint64_t)s->begun));
}

static void put_long(struct buffer *out, const struct rollup_long *l)
{
    column_put(out, l->recording);
    column_put(out, l->group);
    column_put(out, l->first);
    column_put(out, l->last);
    column_put(out, (unsigned)l->flawed | (unsigned)l->lost << 1);
    column_put(out, l->rows);
    column_put(out, l->weight);
    column_put_signed(out, l->begun);
    column_put_signed(out, (int64_t)((uint64_t)l->ended - (uint64_t)l->begun));
}

int rollup_summary_write(const struct rollup_summary *m, struct buffer *out)
{
    struct buffer plain;
    buffer_init(&plain, COLUMN_BYTES_MAX);
    column_put(&plain, m->group_count);
    column_put(&plain, m->slot_count);
    column_put(&plain, m->long_count);
    for (uint32_t i = 0; i < m->group_count; i++)
        column_put(&plain, m->labelsets[i]);
    for (uint32_t i = 0; i < m->slot_count; i++)
        put_slot(&plain, &m->slots[i]);
    for (uint32_t i = 0; i < m->long_count; i++)
        put_long(&plain, &m->longs[i]);
    int rc = plain.failed ? -ENOMEM : column_pack(out, &plain);
    buffer_deinit(&plain);
    return rc;
}

static struct rollup_slot next_slot(struct column *in)
{
    struct rollup_slot s = {.group = (uint32_t)column_next(in), .slot = (uint32_t)column_next(in)};
    s.rows = column_next(in);
    s.weight = column_next(in);
    s.recordings = column_next(in);
    s.seconds = column_next(in);
    s.begun = column_next_signed(in);
    s.ended = (int64_t)((uint64_t)s.begun + (uint64_t)column_next_signed(in));
    return s;
}

static struct rollup_long next_long(struct column *in)
{
    struct rollup_long l = {.recording = column_next(in)};
    l.group = (uint32_t)column_next(in);
    l.first = (uint32_t)column_next(in);
    l.last = (uint32_t)column_next(in);
    uint64_t marks = column_next(in);
    l.flawed = marks & 1;
    l.lost = marks & 2;
    l.rows = column_next(in);
    l.weight = column_next(in);
    l.begun = column_next_signed(in);
    l.ended = (int64_t)((uint64_t)l.begun + (uint64_t)column_next_signed(in));
    return l;
}

static int take_all(struct rollup_summary *m, struct column *in, uint64_t groups, uint64_t slots, uint64_t longs)
{
    for (uint64_t i = 0; i < groups && !in->bad; i++) {
        uint32_t group;
        if (rollup_group(m, column_next(in), &group))
            return -ENOMEM;
        if (group != i)
            return -EBADMSG;
    }
    for (uint64_t i = 0; i < slots && !in->bad; i++) {
        if (ARRAY_GROW(m->slots, m->slot_cap, m->slot_count))
            return -ENOMEM;
        m->slots[m->slot_count] = next_slot(in);
        if (m->slots[m->slot_count].group >= groups || m->slots[m->slot_count++].slot >= ROLLUP_SLOTS)
            return -EBADMSG;
    }
    for (uint64_t i = 0; i < longs && !in->bad; i++) {
        if (ARRAY_GROW(m->longs, m->long_cap, m->long_count))
            return -ENOMEM;
        m->longs[m->long_count] = next_long(in);
        if (m->longs[m->long_count].group >= groups || m->longs[m->long_count++].last >= ROLLUP_SLOTS)
            return -EBADMSG;
    }
    return in->bad || in->at != in->size ? -EBADMSG : 0;
}

int rollup_summary_read(struct rollup_summary *m, const void *bytes, size_t size)
{
    struct column in;
    size_t at = 0;
    *m = (struct rollup_summary){0};
    int rc = bytes ? column_open(&in, bytes, size, &at) : -EBADMSG;
    if (rc)
        return rc;
    uint64_t groups = column_next(&in), slots = column_next(&in), longs = column_next(&in);
    rc = take_all(m, &in, groups, slots, longs);
    column_close(&in);
    return rc;
}

/* ---- from hours to the day ---- */

static int take_long(struct rollup_summary *day, const struct rollup_long *l, int64_t first)
{
    struct rollup_slot *s = rollup_slot(day, l->group, 0);
    if (!s)
        return -ENOMEM;
    if (!l->flawed && !l->lost && l->begun >= first && l->ended <= first + ROLLUP_DAY) {
        s->recordings++;
        s->seconds += (uint64_t)(l->ended - l->begun);
        return 0;
    }
    if (ARRAY_GROW(day->longs, day->long_cap, day->long_count))
        return -ENOMEM;
    day->longs[day->long_count] = *l;
    day->longs[day->long_count].first = day->longs[day->long_count].last = 0;
    day->long_count++;
    return 0;
}

int rollup_summary_of_day(struct rollup_summary *day, const struct rollup_summary *hours, int64_t first)
{
    uint32_t group;
    int rc = 0;
    *day = (struct rollup_summary){0};
    for (uint32_t i = 0; !rc && i < hours->group_count; i++)
        rc = rollup_group(day, hours->labelsets[i], &group);
    for (uint32_t i = 0; !rc && i < hours->slot_count; i++) {
        const struct rollup_slot *from = &hours->slots[i];
        struct rollup_slot *to = rollup_slot(day, from->group, 0);
        if (!to)
            return -ENOMEM;
        to->rows += from->rows;
        to->weight += from->weight;
        to->recordings += from->recordings;
        to->seconds += from->seconds;
        to->begun = from->begun < to->begun ? from->begun : to->begun;
        to->ended = from->ended > to->ended ? from->ended : to->ended;
    }
    for (uint32_t i = 0; !rc && i < hours->long_count; i++)
        rc = take_long(day, &hours->longs[i], first);
    rollup_summary_sort(day);
    return rc;
}
