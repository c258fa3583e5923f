/* Copies the rows of a store from one place to another. Segments are read one after the other, and are cut into the parts of their
 * recordings, because rows in ClickHouse are not merged. Parts are written in batches, because each request makes a file there. */
#include "base/array.h"
#include "base/strtab.h"
#include "store/catalogue/catalogue_move.h"
#include "store/store_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_ROWS = 1 << 18, BATCH_PARTS = 1 << 14 }; /* a batch with more is written */

/* Parts of segments with one dictionary and type, which are read next. */
struct group {
    struct catalogue_stored *parts; /* by segment and recording; their texts are those of struct move */
    uint32_t count, cap;
    struct rows_wanted wanted; /* the segments, in `list` */
    struct rows_one list[ROWS_AHEAD_MAX];
};

/* Parts that are written next. */
struct batch {
    struct rows_part *parts;       /* each owns its rows */
    struct catalogue_moved *moved; /* for each part */
    uint32_t count, cap, moved_cap, days;
    uint64_t rows;
};

struct move {
    struct store *from, *to;
    store_copy_progress *progress;
    struct error *e;
    struct strtab texts;
    struct group group;
    struct rows_ahead ahead;
    struct batch batch;
    uint64_t done, segments, damaged;
};

static int no_memory(struct move *m)
{
    return error_set(m->e, -ENOMEM, "out of memory");
}

static bool is_damaged(int rc)
{
    return rc == -EBADMSG || rc == -ENOENT;
}

/* ---- writing ---- */

static void empty_batch(struct batch *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        segment_deinit(b->parts[i].rows);
        free(b->parts[i].rows);
    }
    b->count = b->days = 0;
    b->rows = 0;
}

static int write_batch(struct move *m)
{
    struct batch *b = &m->batch;
    int rc = m->to->rows->write(m->to, b->parts, b->count, m->e);
    for (uint32_t i = 0; i < b->count; i++) {
        b->moved[i].rows = b->parts[i].rows->row_count;
        b->moved[i].bytes = b->parts[i].bytes;
    }
    rc = rc ? rc : catalogue_move(m->to->catalogue, b->moved, b->count, m->e);
    empty_batch(b);
    return rc;
}

/* Parts come by day. */
static bool is_full(const struct batch *b, int64_t day)
{
    bool more = b->count && b->moved[b->count - 1].before.day != day;
    return b->rows >= BATCH_ROWS || b->count >= BATCH_PARTS || (more && b->days == ROWS_DAYS_MAX);
}

/* Adds a part of the segment, without its rows. */
static int add_part(struct move *m, const struct catalogue_stored *p, const struct segment *of)
{
    struct batch *b = &m->batch;
    struct segment *rows = calloc(1, sizeof *rows);
    uint64_t *recordings = malloc(sizeof *recordings);
    if (!rows || !recordings || ARRAY_GROW(b->parts, b->cap, b->count) || ARRAY_GROW(b->moved, b->moved_cap, b->count)) {
        free(rows);
        free(recordings);
        return no_memory(m);
    }
    *recordings = p->recording;
    *rows = (struct segment){.first = of->first,
                             .recordings = recordings,
                             .recording_count = 1,
                             .strings = of->strings,
                             .nodes = of->nodes,
                             .threads = of->threads,
                             .contexts = of->contexts};
    b->days += !b->count || b->moved[b->count - 1].before.day != p->day;
    b->parts[b->count] = (struct rows_part){++m->to->last_segment, p->dictionary, p->service, p->type, rows, 0};
    b->moved[b->count] = (struct catalogue_moved){.segment = m->to->last_segment, .before = *p};
    b->count++;
    return 0;
}

static int compare_part(const void *recording, const void *moved)
{
    uint64_t a = *(const uint64_t *)recording, b = ((const struct catalogue_moved *)moved)->before.recording;
    return a < b ? -1 : a > b;
}

/* Gives the rows of a segment to its parts, which the batch has from `first` on. Rows without a part belong to no answer. */
static int give_rows(struct move *m, const struct segment *g, uint32_t first)
{
    struct batch *b = &m->batch;
    struct segment *to = NULL;
    for (uint32_t i = 0; i < g->row_count; i++) {
        struct segment_row row = g->rows[i];
        if (!i || row.recording != g->rows[i - 1].recording) {
            const struct catalogue_moved *at =
                bsearch(&g->recordings[row.recording], &b->moved[first], b->count - first, sizeof *b->moved, compare_part);
            to = at ? b->parts[at - b->moved].rows : NULL;
        }
        if (!to)
            continue;
        if (ARRAY_GROW(to->rows, to->row_cap, to->row_count))
            return no_memory(m);
        row.recording = 0;
        to->rows[to->row_count++] = row;
    }
    b->rows += g->row_count;
    return 0;
}

static int take_segment(struct move *m, const struct segment *g, const struct catalogue_stored *parts, uint32_t count)
{
    int rc = is_full(&m->batch, parts->day) ? write_batch(m) : 0;
    uint32_t first = m->batch.count;
    for (uint32_t i = 0; !rc && i < count; i++)
        rc = add_part(m, &parts[i], g);
    return rc ? rc : give_rows(m, g, first);
}

/* ---- reading ---- */

static int note_damaged(struct move *m, uint64_t segment)
{
    struct error why = *m->e;
    store_tell(m->from, "%s", why.text);
    m->damaged++;
    return catalogue_segment_bad(m->to->catalogue, segment, why.text, m->e);
}

/* Moves the group's segment at this place, of which these are the parts. */
static int move_segment(struct move *m, uint32_t at, const struct catalogue_stored *parts, uint32_t count)
{
    struct rows_wanted wanted = m->group.wanted;
    struct segment g;
    wanted.list += at;
    wanted.count -= at;
    if (store_is_stopping(m->to))
        return error_set(m->e, -ECANCELED, "interrupted");
    int rc = m->from->rows->read(m->from, &m->ahead, &wanted, SEGMENT_ALL, &g, m->e);
    if (m->progress)
        m->progress(++m->done, m->segments);
    if (is_damaged(rc))
        return note_damaged(m, wanted.list->number);
    if (rc)
        return rc;
    rc = take_segment(m, &g, parts, count);
    segment_deinit(&g);
    return rc;
}

static int move_group(struct move *m)
{
    struct group *g = &m->group;
    int rc = 0;
    for (uint32_t i = 0, begin = 0, end = 0; !rc && i < g->wanted.count; i++, begin = end) {
        while (end < g->count && g->parts[end].segment == g->list[i].number)
            end++;
        rc = move_segment(m, i, &g->parts[begin], end - begin);
    }
    g->count = g->wanted.count = 0;
    g->wanted.rows = 0;
    rows_ahead_empty(&m->ahead);
    return rc;
}

/* Whether the part can be read with those of the group; then its segment is among the wanted ones. */
static bool joins(struct move *m, const struct catalogue_stored *p)
{
    struct group *g = &m->group;
    const struct catalogue_stored *first = g->parts;
    bool alike = !g->count || (first->dictionary == p->dictionary && first->type_id == p->type_id && first->day == p->day);
    return alike && rows_want(&g->wanted, g->list, m->from->rows->ahead, p->segment, p->rows, p->weight);
}

static const char *keep(struct move *m, const char *text)
{
    uint32_t id = strtab_add_text(&m->texts, text);
    return id || !*text ? strtab_text(&m->texts, id) : NULL;
}

static int take_part(void *move, const struct catalogue_stored *p)
{
    struct move *m = move;
    struct group *g = &m->group;
    if (!joins(m, p)) {
        int rc = move_group(m);
        if (rc)
            return rc;
        joins(m, p);
    }
    const char *type = keep(m, p->type), *service = keep(m, p->service);
    if (!type || !service || ARRAY_GROW(g->parts, g->cap, g->count))
        return no_memory(m);
    g->parts[g->count] = *p;
    g->parts[g->count].type = type;
    g->parts[g->count++].service = service;
    g->wanted = (struct rows_wanted){p->dictionary, type, p->day * SECONDS_PER_DAY, g->list, g->wanted.count, g->wanted.rows};
    return 0;
}

/* ---- roll-ups ---- */

static int move_rollup(void *move, const struct catalogue_rollup_file *f)
{
    struct move *m = move;
    struct catalogue_rollup_file moved = *f;
    struct rollup_file file;
    if (store_is_stopping(m->to))
        return error_set(m->e, -ECANCELED, "interrupted");
    int rc = m->from->rows->read_rollup(m->from, f->dictionary, f->number, &file, m->e);
    if (is_damaged(rc)) {
        store_tell(m->from, "%s", m->e->text);
        m->damaged++;
        return catalogue_rollup_bad(m->to->catalogue, f->number, m->e);
    }
    if (rc)
        return rc;
    rc = m->to->rows->write_rollup(m->to, f->dictionary, f->number, &file, &moved.bytes, m->e);
    rollup_file_deinit(&file);
    return rc ? rc : catalogue_move_rollup(m->to->catalogue, &moved, m->e);
}

/* ---- all ---- */

static int count_segment(void *move, uint32_t dictionary, uint64_t segment)
{
    ((struct move *)move)->segments++;
    return 0;
}

static int move_all(struct move *m)
{
    struct catalogue *from = m->from->catalogue, *to = m->to->catalogue;
    uint64_t last, last_recording; /* what `to` has sealed since it was opened has higher numbers */
    int rc = catalogue_last_ids(from, &last, &last_recording, m->e);
    rc = rc ? rc : catalogue_each_segment(from, count_segment, m, m->e);
    rc = rc ? rc : catalogue_stored(from, take_part, m, m->e);
    rc = rc ? rc : move_group(m);
    rc = rc ? rc : write_batch(m);
    rc = rc ? rc : catalogue_good_rollup_files(from, move_rollup, m, m->e);
    return rc ? rc : catalogue_move_end(to, last, m->e);
}

int rows_move(struct store *from, struct store *to, store_copy_progress *progress, uint64_t *damaged, struct error *e)
{
    struct move *m = calloc(1, sizeof *m);
    if (!m)
        return error_set(e, -ENOMEM, "out of memory");
    m->from = from;
    m->to = to;
    m->progress = progress;
    m->e = e;
    int rc = strtab_init(&m->texts) ? no_memory(m) : move_all(m);
    *damaged = m->damaged;
    empty_batch(&m->batch);
    free(m->batch.parts);
    free(m->batch.moved);
    free(m->group.parts);
    rows_ahead_deinit(&m->ahead);
    strtab_deinit(&m->texts);
    free(m);
    return rc;
}
