/* Makes roll-ups. Those by hour are made from rows when an hour is over, and again when a part came late or a file is damaged. Those by day
 * are made from those by hour when these are complete. It is apart from merging, because a roll-up adds up what segments keep.
 *
 *     1  The rows of the new hours are added to those of the roll-up's files, and written to new files, which are synced.
 *     2  The catalog replaces the old files by the new ones, in one transaction, if the parts are still those that were read.
 *     3  The old files are removed when every query that may have found them in the catalog has ended.
 *
 * After a crash before step 2, the catalog does not know the new files; after a crash later, it does not know the old ones. Such files are
 * removed when the store is opened. */
#include "store/rollup/rollup.h"

#include "base/array.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "store/catalogue/catalogue_rollup.h"
#include "store/store_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LATE_S = 900,           /* an hour is over when this many seconds more have passed: recordings come with a delay */
    AGAIN_S = 600,          /* a roll-up for which parts come late is made again at most this often */
    ROWS_AT_ONCE = 4 << 20, /* with more rows, one hour is added at a time */
    COMPACT_ROWS = 1 << 20,
};
#define PATIENCE_NS (1500 * NS_PER_MS) /* how long one call may take */

static const unsigned columns = 1 << SEGMENT_RECORDING | 1 << SEGMENT_SECOND | 1 << SEGMENT_WEIGHT | 1 << SEGMENT_STACK |
                                1 << SEGMENT_COUNT | 1 << SEGMENT_OUTCOME | 1 << SEGMENT_CONTEXT | 1 << SEGMENT_STATE;

/* The new content for one dictionary. */
struct output {
    uint32_t dictionary;
    struct rollup_file file;
    uint32_t compacted; /* rows after the last adding up */
};

struct making {
    struct store *store;
    struct catalogue_rollup rollup; /* its summary is not set */
    struct rollup_summary summary;
    int64_t first;     /* of the day */
    uint32_t from, to; /* the seconds of the day that are added */
    struct catalogue_rollup_part *parts;
    uint32_t part_count, part_cap;
    struct catalogue_rollup_file *old, *made;
    uint32_t old_count, old_cap, made_count, made_cap;
    struct output *outputs;
    uint32_t output_count, output_cap;
    bool unsealed; /* a part is not sealed yet */
    struct rows_ahead ahead;
};

static void making_deinit(struct making *m)
{
    rows_ahead_deinit(&m->ahead);
    for (uint32_t i = 0; i < m->output_count; i++)
        rollup_file_deinit(&m->outputs[i].file);
    rollup_summary_deinit(&m->summary);
    free(m->parts);
    free(m->old);
    free(m->made);
    free(m->outputs);
}

void rollup_quarantine(struct store *s, uint32_t dictionary, uint64_t number, const char *why)
{
    struct error e;
    store_tell(s, "%s", why);
    s->rows->put_aside(s, dictionary, number, true);
    if (catalogue_rollup_bad(s->catalogue, number, &e))
        store_tell(s, "%s", e.text);
}

/* ---- outputs ---- */

static int output_of(struct making *m, uint32_t dictionary, struct output **out)
{
    for (uint32_t i = m->output_count; i > 0; i--)
        if (m->outputs[i - 1].dictionary == dictionary) {
            *out = &m->outputs[i - 1];
            return 0;
        }
    if (ARRAY_GROW(m->outputs, m->output_cap, m->output_count))
        return -ENOMEM;
    *out = &m->outputs[m->output_count++];
    **out = (struct output){.dictionary = dictionary, .file = {.first = m->first, .step = m->rollup.step}};
    return 0;
}

static void widen(struct rollup_file *f, uint32_t strings, uint32_t nodes, uint32_t threads, uint32_t contexts)
{
    f->contexts = contexts > f->contexts ? contexts : f->contexts;
    f->strings = strings > f->strings ? strings : f->strings;
    f->nodes = nodes > f->nodes ? nodes : f->nodes;
    f->threads = threads > f->threads ? threads : f->threads;
}

static int add_row(struct output *o, const struct rollup_row *row)
{
    struct rollup_file *f = &o->file;
    if (f->row_count >= COMPACT_ROWS && f->row_count >= 2 * o->compacted) {
        rollup_add_up(f);
        o->compacted = f->row_count;
    }
    if (f->row_count == SEGMENT_ROWS_MAX || ARRAY_GROW(f->rows, f->row_cap, f->row_count))
        return -ENOMEM;
    f->rows[f->row_count++] = *row;
    return 0;
}

/* Takes over the rows of an older file, in the slots of this roll-up. */
static int take_file(struct making *m, const struct catalogue_rollup_file *file, struct error *e)
{
    struct rollup_file from;
    struct output *to;
    int rc = m->store->rows->read_rollup(m->store, file->dictionary, file->number, &from, e);
    if ((rc == -EBADMSG || rc == -ENOENT) && !recover_may_return(m->store, rc))
        rollup_quarantine(m->store, file->dictionary, file->number, e->text);
    if (rc)
        return rc;
    rc = output_of(m, file->dictionary, &to);
    if (!rc) {
        widen(&to->file, from.strings, from.nodes, from.threads, from.contexts);
        to->file.recordings += from.recordings;
    }
    for (uint32_t i = 0; !rc && i < from.row_count; i++) {
        from.rows[i].slot = m->rollup.step == ROLLUP_DAY ? 0 : from.rows[i].slot;
        rc = add_row(to, &from.rows[i]);
    }
    rollup_file_deinit(&from);
    return rc ? error_set(e, rc, "out of memory") : 0;
}

static int take_files(struct making *m, const struct catalogue_rollup_file *files, uint32_t count, struct error *e)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < count; i++)
        rc = take_file(m, &files[i], e);
    return rc;
}

static int note_file(void *context, const struct catalogue_rollup_file *f)
{
    struct making *m = context;
    if (ARRAY_GROW(m->old, m->old_cap, m->old_count))
        return -ENOMEM;
    m->old[m->old_count++] = *f;
    return 0;
}

/* ---- parts ---- */

static int note_part(void *context, const struct catalogue_rollup_part *p)
{
    struct making *m = context;
    if (ARRAY_GROW(m->parts, m->part_cap, m->part_count))
        return -ENOMEM;
    m->parts[m->part_count++] = *p;
    m->unsealed |= p->state == PART_UNSEALED;
    return 0;
}

/* Adds fewer hours if there are too many rows, and leaves out parts of later ones. */
static void limit_hours(struct making *m)
{
    uint64_t rows = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->part_count; i++)
        rows += m->parts[i].rows;
    if (rows <= ROWS_AT_ONCE)
        return;
    m->to = m->from + ROLLUP_HOUR;
    for (uint32_t i = 0; i < m->part_count; i++)
        if (m->parts[i].first < m->first + m->to)
            m->parts[n++] = m->parts[i];
    m->part_count = n;
}

static int list_parts(struct making *m, struct error *e)
{
    int rc = catalogue_rollup_parts(m->store->catalogue, &m->rollup, m->first + m->from, m->first + m->to, note_part, m, e);
    if (!rc)
        limit_hours(m);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

/* Whether the recording lies within one slot, so that it can be counted with others. */
static bool is_plain(const struct making *m, const struct catalogue_rollup_part *p, uint32_t slot, uint32_t last)
{
    int64_t begin = m->first + (int64_t)slot * ROLLUP_HOUR;
    return p->state == PART_SEALED && !p->flawed && slot == last && p->begun >= begin && p->ended <= begin + ROLLUP_HOUR &&
           p->recording_first >= m->first && p->recording_last < m->first + ROLLUP_DAY;
}

/* Whether a part with rows in hours before these was counted then. One that was lost since, with its other rows, was not counted. */
static bool was_counted(const struct making *m, const struct catalogue_rollup_part *p)
{
    bool counted = p->state == PART_SEALED;
    for (uint32_t i = 0; !counted && i < m->summary.long_count; i++)
        counted = m->summary.longs[i].lost && m->summary.longs[i].recording == p->recording;
    return counted;
}

static int sum_part(struct making *m, const struct catalogue_rollup_part *p)
{
    uint32_t group, first = (uint32_t)((p->first - m->first) / ROLLUP_HOUR), last = (uint32_t)((p->last - m->first) / ROLLUP_HOUR);
    uint32_t from = first > m->from / ROLLUP_HOUR ? first : m->from / ROLLUP_HOUR;
    bool known = p->first < m->first + m->from && was_counted(m, p);
    int rc = rollup_group(&m->summary, p->labelset, &group);
    for (uint32_t slot = from; !rc && p->state == PART_SEALED && slot <= last && slot < m->to / ROLLUP_HOUR; slot++) {
        struct rollup_slot *s = rollup_slot(&m->summary, group, slot);
        if (!s)
            return -ENOMEM;
        s->begun = p->begun < s->begun ? p->begun : s->begun;
        s->ended = p->ended > s->ended ? p->ended : s->ended;
        if (is_plain(m, p, slot, last)) {
            s->recordings++;
            s->seconds += (uint64_t)(p->ended - p->begun);
        }
    }
    if (rc || known || is_plain(m, p, first, last))
        return rc;
    if (ARRAY_GROW(m->summary.longs, m->summary.long_cap, m->summary.long_count))
        return -ENOMEM;
    m->summary.longs[m->summary.long_count++] = (struct rollup_long){.recording = p->recording,
                                                                     .group = group,
                                                                     .first = p->state == PART_LOST ? from : first,
                                                                     .last = last,
                                                                     .flawed = p->flawed,
                                                                     .lost = p->state == PART_LOST,
                                                                     .rows = p->rows,
                                                                     .weight = p->weight,
                                                                     .begun = p->begun,
                                                                     .ended = p->ended};
    return 0;
}

/* ---- segments ---- */

static int take_row(struct making *m, struct output *o, uint64_t labelset, const struct segment_row *row)
{
    uint32_t group, slot = row->second / ROLLUP_HOUR;
    if (row->second < m->from || row->second >= m->to)
        return 0;
    int rc = rollup_group(&m->summary, labelset, &group);
    struct rollup_slot *s = rc ? NULL : rollup_slot(&m->summary, group, slot);
    if (!s)
        return -ENOMEM;
    s->rows++;
    s->weight += row->weight;
    const struct rollup_row one = {.weight = row->weight,
                                   .squares = (double)row->weight * (double)row->weight / (row->count ? row->count : 1),
                                   .stack = row->stack,
                                   .group = group,
                                   .count = row->count,
                                   .outcome = row->outcome,
                                   .context = row->context,
                                   .slot = (uint8_t)slot,
                                   .state = row->state};
    return add_row(o, &one);
}

/* Takes the rows of the parts [begin, end), which are in one segment. */
static int take_rows(struct making *m, uint32_t begin, uint32_t end, const struct segment *g)
{
    struct output *o;
    struct map places;
    bool added;
    int rc = g->first == m->first ? output_of(m, m->parts[begin].dictionary, &o) : -EBADMSG;
    map_init(&places);
    for (uint32_t i = begin; !rc && i < end; i++) {
        uint32_t *place = map_add(&places, m->parts[i].recording, &added);
        rc = place ? 0 : -ENOMEM;
        if (place)
            *place = i;
        o->file.recordings += m->parts[i].first >= m->first + m->from;
    }
    if (!rc)
        widen(&o->file, g->strings, g->nodes, g->threads, g->contexts);
    for (uint32_t i = 0; !rc && i < g->row_count; i++) {
        const uint32_t *place = map_find(&places, g->recordings[g->rows[i].recording]);
        rc = place ? take_row(m, o, m->parts[*place].labelset, &g->rows[i]) : 0;
    }
    map_deinit(&places);
    return rc;
}

/* Reads the segment of the parts [begin, end), and names those that will be read after it. */
static int read_segment(struct making *m, uint32_t begin, struct segment *out, struct error *e)
{
    struct rows_one list[ROWS_AHEAD_MAX];
    struct rows_wanted wanted = {.dictionary = m->parts[begin].dictionary, .second = m->first, .list = list};
    for (uint32_t i = begin; i < m->part_count && m->parts[i].dictionary == wanted.dictionary; i++)
        if (m->parts[i].state == PART_SEALED &&
            !rows_want(&wanted, list, m->store->rows->ahead, m->parts[i].segment, m->parts[i].rows, m->parts[i].weight))
            break;
    return m->store->rows->read(m->store, &m->ahead, &wanted, columns, out, e);
}

static int take_segment(struct making *m, uint32_t *at, struct error *e)
{
    const struct catalogue_rollup_part *first = &m->parts[*at];
    uint32_t begin = *at;
    char path[DISK_PATH_MAX];
    struct segment g;
    while (*at < m->part_count && m->parts[*at].segment == first->segment && m->parts[*at].state == PART_SEALED)
        ++*at;
    int rc = read_segment(m, begin, &g, e);
    if (!rc) {
        rc = take_rows(m, begin, *at, &g);
        segment_deinit(&g);
        if (rc)
            error_set(e, rc, rc == -ENOMEM ? "out of memory" : "%s: of another day than its dictionary",
                      store_segment_path(m->store, path, first->dictionary, first->segment));
    }
    if ((rc == -EBADMSG || rc == -ENOENT) && !recover_may_return(m->store, rc))
        recover_quarantine(m->store, first->dictionary, first->segment, e->text);
    return rc;
}

static int take_parts(struct making *m, struct error *e)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < m->part_count; i++)
        rc = sum_part(m, &m->parts[i]);
    if (rc)
        return error_set(e, rc, "out of memory");
    for (uint32_t at = 0; !rc && at < m->part_count && !store_is_stopping(m->store);) {
        if (m->parts[at].state == PART_SEALED)
            rc = take_segment(m, &at, e);
        else
            at++;
    }
    return !rc && store_is_stopping(m->store) ? error_set(e, -ECANCELED, "the server is ending") : rc;
}

/* ---- the new content ---- */

static int write_files(struct making *m, struct error *e)
{
    struct store *s = m->store;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < m->output_count; i++) {
        struct output *o = &m->outputs[i];
        struct catalogue_rollup_file f = {.dictionary = o->dictionary, .number = ++s->last_segment};
        o->file.groups = m->summary.group_count;
        if (ARRAY_GROW(m->made, m->made_cap, m->made_count))
            return error_set(e, -ENOMEM, "out of memory");
        rc = s->rows->write_rollup(s, f.dictionary, f.number, &o->file, &f.bytes, e);
        f.rows = o->file.row_count;
        m->made[m->made_count++] = f;
    }
    return rc;
}

/* Senders choose weights, so their sum may be too large. */
static uint64_t add_bounded(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void count_slot(struct catalogue_rollup_made *made, const struct rollup_slot *s)
{
    made->recordings += s->recordings;
    made->rows += s->rows;
    made->weight = add_bounded(made->weight, s->weight);
    made->first = s->begun < made->first ? s->begun : made->first;
    made->last = s->ended > made->last ? s->ended : made->last;
}

static int enter(struct making *m, struct error *e)
{
    struct buffer summary;
    struct catalogue_rollup_made made = {.until = m->to,
                                         .from = m->first + m->from,
                                         .to = m->first + m->to,
                                         .parts = m->part_count,
                                         .made = (int64_t)(clock_realtime_ns() / NS_PER_S),
                                         .first = INT64_MAX,
                                         .last = INT64_MIN,
                                         .labelsets = m->summary.labelsets,
                                         .labelset_count = m->summary.group_count,
                                         .files = m->made,
                                         .file_count = m->made_count};
    for (uint32_t i = 0; i < m->summary.slot_count; i++)
        count_slot(&made, &m->summary.slots[i]);
    if (made.first < m->first || made.first > made.last) /* the latter: no recording has samples */
        made.first = m->first;
    if (made.last >= m->first + ROLLUP_DAY || made.last < made.first)
        made.last = m->first + ROLLUP_DAY - 1;
    for (uint32_t i = 0; i < m->summary.long_count; i++)
        made.recordings += !m->summary.longs[i].lost;
    buffer_init(&summary, SEGMENT_BYTES_MAX);
    rollup_summary_sort(&m->summary);
    int rc = rollup_summary_write(&m->summary, &summary) ? error_set(e, -ENOMEM, "out of memory") : 0;
    made.summary = summary.data;
    made.summary_size = summary.len;
    rc = rc ? rc : catalogue_rollup_made(m->store->catalogue, &m->rollup, &made, e);
    buffer_deinit(&summary);
    return rc;
}

/* Writes the new files, and enters them in the catalog in place of the old ones. */
static int replace(struct making *m, struct error *e)
{
    int rc = write_files(m, e);
    rc = rc ? rc : enter(m, e);
    for (uint32_t i = 0; rc && i < m->made_count; i++)
        m->store->rows->remove(m->store, m->made[i].dictionary, m->made[i].number, true);
    for (uint32_t i = 0; !rc && i < m->old_count; i++)
        merge_note_gone(m->store, m->old[i].dictionary, m->old[i].number, true);
    return rc;
}

/* ---- roll-ups that are due ---- */

struct due {
    struct due_one {
        struct catalogue_rollup rollup;
        void *summary; /* owned */
    } * list;
    uint32_t count, cap;
};

static int note_due(void *context, const struct catalogue_rollup *u)
{
    struct due *due = context;
    if (ARRAY_GROW(due->list, due->cap, due->count))
        return -ENOMEM;
    struct due_one *one = &due->list[due->count];
    *one = (struct due_one){.rollup = *u, .summary = malloc(u->summary_size + 1)};
    if (!one->summary)
        return -ENOMEM;
    if (u->summary_size)
        memcpy(one->summary, u->summary, u->summary_size);
    due->count++;
    return 0;
}

static void due_deinit(struct due *due)
{
    for (uint32_t i = 0; i < due->count; i++)
        free(due->list[i].summary);
    free(due->list);
}

/* Has a roll-up made again from rows whose summary is damaged. files: its files, which tell the catalog which one it is. */
static int give_up_summary(struct store *s, const struct catalogue_rollup_file *files, uint32_t count, struct error *e)
{
    static const char damaged[] = "the summary of a roll-up is damaged";
    if (count)
        store_tell(s, "%s", damaged);
    int rc = count ? catalogue_rollup_bad(s->catalogue, files->number, e) : 0;
    return rc ? rc : error_set(e, -EBADMSG, "%s", damaged);
}

static int make_hours(struct making *m, const struct catalogue_rollup_rule *rule, const void *summary, struct error *e)
{
    const struct catalogue_rollup *u = &m->rollup;
    bool anew = u->stale || !u->until;
    m->from = anew ? 0 : u->until;
    m->to = u->day < rule->day ? ROLLUP_DAY : rule->until;
    int rc = list_parts(m, e);
    if (rc || m->unsealed)
        return rc;
    rc = catalogue_rollup_files(m->store->catalogue, u->id, note_file, m, e);
    rc = rc || anew ? rc : rollup_summary_read(&m->summary, summary, u->summary_size);
    if (rc == -EBADMSG)
        return give_up_summary(m->store, m->old, m->old_count, e);
    rc = rc || anew ? rc : take_files(m, m->old, m->old_count, e);
    rc = rc ? rc : take_parts(m, e);
    return rc ? rc : replace(m, e);
}

static int take_hours(void *context, const struct catalogue_rollup *hours)
{
    struct making *m = context;
    struct rollup_summary summary;
    m->from = 0;
    m->to = ROLLUP_DAY;
    int rc = rollup_summary_read(&summary, hours->summary, hours->summary_size);
    rc = rc ? rc : rollup_summary_of_day(&m->summary, &summary, m->first);
    rollup_summary_deinit(&summary);
    return rc;
}

static int note_hours(void *context, const struct catalogue_rollup *hours)
{
    *(uint64_t *)context = hours->id;
    return 0;
}

static int make_day(struct making *m, struct error *e)
{
    const struct catalogue_rollup *u = &m->rollup;
    struct making hours = {.store = m->store};
    uint64_t id;
    struct catalogue *c = m->store->catalogue;
    int rc = catalogue_rollup_get(c, u->service, u->day, u->type, ROLLUP_HOUR, note_hours, &id, e);
    rc = rc ? rc : catalogue_rollup_files(c, u->id, note_file, m, e);
    rc = rc ? rc : catalogue_rollup_files(c, id, note_file, &hours, e);
    rc = rc ? rc : catalogue_rollup_get(c, u->service, u->day, u->type, ROLLUP_HOUR, take_hours, m, e);
    rc = rc == -EBADMSG ? give_up_summary(m->store, hours.old, hours.old_count, e) : rc;
    rc = rc ? rc : take_files(m, hours.old, hours.old_count, e);
    making_deinit(&hours);
    return rc ? rc : replace(m, e);
}

static struct catalogue_rollup_rule rule_of(const struct store *s)
{
    int64_t now = (int64_t)(clock_realtime_ns() / NS_PER_S), late = s->options.rollup.late_s, again = s->options.rollup.again_s;
    int64_t over = now - (late ? late : LATE_S);
    return (struct catalogue_rollup_rule){.day = over / ROLLUP_DAY,
                                          .until = (uint32_t)(over % ROLLUP_DAY / ROLLUP_HOUR * ROLLUP_HOUR),
                                          .again = now - (again ? again : AGAIN_S)};
}

static int make(struct store *s, const struct due_one *one, const struct catalogue_rollup_rule *rule, struct error *e)
{
    struct making m = {.store = s, .rollup = one->rollup, .first = one->rollup.day * ROLLUP_DAY};
    int rc = one->rollup.step == ROLLUP_HOUR ? make_hours(&m, rule, one->summary, e) : make_day(&m, e);
    making_deinit(&m);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

/* Whether the reason is that something was damaged and put aside, or has changed meanwhile: it is due again. */
static bool is_passing(int rc)
{
    return rc == -EAGAIN || rc == -EBADMSG || rc == -ENOENT || rc == -ECANCELED;
}

static uint32_t place_after(const struct due *due, uint64_t rollup)
{
    for (uint32_t i = 0; i < due->count; i++)
        if (due->list[i].rollup.id == rollup)
            return i + 1;
    return 0;
}

/* A roll-up that cannot be made, or changes while it is made, does not keep those of other services waiting: they come first next time. */
static int make_due(struct store *s, uint32_t step, uint64_t end, struct error *e)
{
    const struct catalogue_rollup_rule rule = rule_of(s);
    uint64_t *unmade = &s->rollup_unmade[step == ROLLUP_DAY];
    struct due due = {0};
    struct error one;
    int rc = catalogue_rollups_due(s->catalogue, step, &rule, note_due, &due, e), failed = 0;
    if (rc == -ENOMEM)
        error_set(e, rc, "out of memory");
    uint32_t begin = place_after(&due, *unmade);
    for (uint32_t i = 0; !rc && i < due.count && !store_is_stopping(s) && clock_monotonic_ns() < end; i++) {
        const struct due_one *next = &due.list[(begin + i) % due.count];
        int code = make(s, next, &rule, &one);
        *unmade = code ? next->rollup.id : *unmade;
        if (code && !is_passing(code) && !failed) {
            failed = code;
            *e = one;
        }
    }
    due_deinit(&due);
    return rc ? rc : failed;
}

void rollup_some(struct store *s)
{
    struct error e, of_days;
    uint64_t end = clock_monotonic_ns() + PATIENCE_NS;
    if (!s->options.limits.retain_hours_s)
        return;
    int rc = make_due(s, ROLLUP_HOUR, end, &e), days = make_due(s, ROLLUP_DAY, end, &of_days);
    if (!rc && days)
        e = of_days;
    rc = rc ? rc : days;
    if (rc && !s->rollup_failed)
        store_tell(s, "rolling up: %s", e.text);
    s->rollup_failed = rc;
}
