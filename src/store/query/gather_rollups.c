/* Decides which roll-ups answer a query, and reads them. For a service and a type, a query takes whole hours or days from a roll-up, and
 * the rest at its two ends from rows. If the rows are deleted, and the query has only a part of an hour or a day, this hour or day is
 * missing, and is counted. */
#include "store/query/gather_rollups.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DAY_BITS = 24 };

/* ---- the catalog's list ---- */

int gather_take_unit(struct gather *g, const struct catalogue_rollup *u)
{
    if (ARRAY_GROW(g->units, g->unit_cap, g->unit_count))
        return -ENOMEM;
    struct gather_unit *unit = &g->units[g->unit_count++];
    *unit = (struct gather_unit){.rollup = *u, .type = strtab_add_text(&g->types, u->type_name)};
    unit->rollup.type_name = unit->rollup.service_name = NULL;
    unit->rollup.summary = NULL;
    int rc = unit->type ? rollup_summary_read(&unit->summary, u->summary, u->summary_size) : -ENOMEM;
    if (rc != -EBADMSG)
        return rc;
    rollup_summary_deinit(&unit->summary);
    unit->damaged = !unit->rollup.stale;
    unit->rollup.stale = true; /* the rows are read, if there are any */
    return 0;
}

int gather_take_file(struct gather *g, const struct catalogue_rollup_file *f)
{
    struct gather_unit *unit = &g->units[g->unit_count - 1];
    if (ARRAY_GROW(unit->files, unit->file_cap, unit->file_count))
        return -ENOMEM;
    unit->files[unit->file_count++] = *f;
    return 0;
}

void gather_note_damaged(const struct gather *g)
{
    struct error e;
    for (uint32_t i = 0; i < g->unit_count; i++) {
        const struct gather_unit *u = &g->units[i];
        if (!u->damaged || !u->file_count)
            continue;
        store_tell(g->store, "the summary of a roll-up is damaged");
        if (catalogue_rollup_bad(g->store->catalogue, u->files->number, &e))
            store_tell(g->store, "%s", e.text);
    }
}

static int by_key(const void *left, const void *right)
{
    const struct catalogue_rollup *a = &((const struct gather_unit *)left)->rollup, *b = &((const struct gather_unit *)right)->rollup;
    if (a->service != b->service)
        return a->service < b->service ? -1 : 1;
    if (a->day != b->day)
        return a->day < b->day ? -1 : 1;
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    return (a->step > b->step) - (a->step < b->step);
}

static bool same_key(const struct gather_unit *a, const struct gather_unit *b)
{
    return a->rollup.service == b->rollup.service && a->rollup.day == b->rollup.day && a->rollup.type == b->rollup.type;
}

/* ---- choosing ---- */

/* Whether sums by this step are as good as rows: no part of a step is in a slice of time of the answer, or time does not matter. */
static bool is_exact(const struct store_query *q, int64_t grain, uint32_t step)
{
    return grain == GATHER_ANY_TIME || (grain > 0 && !(grain % step) && !(q->from % step));
}

static int64_t clamp(int64_t v, int64_t least, int64_t most)
{
    return v < least ? least : v > most ? most : v;
}

/* Takes the slots of a unit that lie within the query's time. */
static struct gather_piece piece_of(const struct gather *g, uint32_t unit, const struct store_query *q)
{
    const struct catalogue_rollup *u = &g->units[unit].rollup;
    int64_t first = u->day * SECONDS_PER_DAY, from = clamp(q->from - first, 0, u->until), to = clamp(q->to - first, 0, u->until);
    struct gather_piece p = {.unit = unit, .cut = {UINT32_MAX, UINT32_MAX}};
    p.slot = (uint32_t)((from + u->step - 1) / u->step);
    p.slot_end = (uint32_t)(to / u->step);
    if (u->gone && from % u->step)
        p.cut[0] = (uint32_t)(from / u->step);
    if (u->gone && to % u->step && (uint32_t)(to / u->step) != p.cut[0])
        p.cut[1] = (uint32_t)(to / u->step);
    if (p.slot_end < p.slot)
        p.slot_end = p.slot;
    p.from = first + (int64_t)p.slot * u->step;
    p.to = first + (int64_t)p.slot_end * u->step;
    return p;
}

static bool is_current(const struct gather_unit *u)
{
    return u && !u->rollup.stale;
}

/* Chooses between the roll-up of the hours and the one of the day. Returns NULL if rows are read. */
static const struct gather_unit *choose(const struct gather_unit *hours, const struct gather_unit *day, const struct store_query *q,
                                        int64_t grain)
{
    const struct gather_unit *any = hours ? hours : day;
    int64_t first = any->rollup.day * SECONDS_PER_DAY;
    bool gone = (hours && hours->rollup.gone) || (day && day->rollup.gone);
    bool whole = q->from <= first && q->to >= first + SECONDS_PER_DAY;
    if (whole && is_current(day) && (is_exact(q, grain, ROLLUP_DAY) || (gone && !is_current(hours))))
        return day;
    if (is_current(hours) && (gone || is_exact(q, grain, ROLLUP_HOUR)))
        return hours;
    return !gone ? NULL : is_current(day) ? day : any;
}

static int add_piece(struct gather *g, const struct gather_piece *p)
{
    const struct catalogue_rollup *u = &g->units[p->unit].rollup;
    bool added;
    if (ARRAY_GROW(g->pieces, g->piece_cap, g->piece_count))
        return -ENOMEM;
    uint32_t *place = map_add(&g->piece_of, u->service << DAY_BITS ^ (uint64_t)u->day, &added);
    if (!place)
        return -ENOMEM;
    *place = added ? g->piece_count : *place;
    g->pieces[g->piece_count++] = *p;
    return 0;
}

static bool overlaps(const struct rollup_long *l, uint32_t slot, uint32_t slot_end)
{
    return l->first < slot_end && l->last >= slot;
}

/* Adds the sums of each group in the slots of the piece to the group's entry. An entry with something in it has its time set (`begun`). */
static void sum_groups(const struct gather_unit *u, const struct gather_piece *p, struct gathered *entries)
{
    for (uint32_t i = 0; i < u->summary.slot_count; i++) {
        const struct rollup_slot *s = &u->summary.slots[i];
        struct gathered *to = &entries[s->group];
        if (s->slot < p->slot || s->slot >= p->slot_end)
            continue;
        to->rows += s->rows;
        to->weight += s->weight;
        to->parts += s->recordings;
        to->begun = s->begun < to->begun ? s->begun : to->begun;
        to->ended = s->ended > to->ended ? s->ended : to->ended;
    }
    for (uint32_t i = 0; i < u->summary.long_count; i++) {
        const struct rollup_long *l = &u->summary.longs[i];
        entries[l->group].parts += !l->lost && overlaps(l, p->slot, p->slot_end);
    }
}

/* Adds the piece's data of one label set to the list: an entry for each file. The first entry has the sums, so that they count once. */
static int list_group(struct gather *g, const struct gather_unit *u, struct gathered one)
{
    for (uint32_t i = 0; i < u->file_count; i++) {
        if (ARRAY_GROW(g->list, g->cap, g->count))
            return -ENOMEM;
        one.dictionary = u->files[i].dictionary;
        one.segment = u->files[i].number;
        g->list[g->count++] = one;
        one.rows = one.weight = one.parts = 0;
    }
    return 0;
}

static int list_piece(struct gather *g, uint32_t piece)
{
    const struct gather_unit *u = &g->units[g->pieces[piece].unit];
    const struct gathered none = {.rolled = true, .piece = piece, .type = u->type, .within = true, .begun = INT64_MAX, .ended = INT64_MIN};
    struct gathered *entries = malloc((u->summary.group_count + 1) * sizeof *entries);
    int rc = entries ? 0 : -ENOMEM;
    for (uint32_t group = 0; !rc && group < u->summary.group_count; group++)
        entries[group] = none;
    if (!rc)
        sum_groups(u, &g->pieces[piece], entries);
    for (uint32_t group = 0; !rc && group < u->summary.group_count; group++) {
        struct gathered *one = &entries[group];
        one->recording = group;
        one->labelset = u->summary.labelsets[group];
        const uint32_t *value = map_find(&g->labelsets, one->labelset);
        one->by = one->base = value ? *value - 1 : 0;
        rc = value && one->begun < one->ended ? list_group(g, u, *one) : 0;
    }
    free(entries);
    return rc;
}

int gather_choose_pieces(struct gather *g, const struct store_query *q, int64_t grain)
{
    int rc = 0;
    if (g->unit_count)
        qsort(g->units, g->unit_count, sizeof *g->units, by_key);
    for (uint32_t i = 0, n; !rc && i < g->unit_count; i += n) {
        const struct gather_unit *unit = &g->units[i];
        n = i + 1 < g->unit_count && same_key(unit, unit + 1) ? 2 : 1;
        const struct gather_unit *hours = unit->rollup.step == ROLLUP_HOUR ? unit : NULL, *day = hours ? n > 1 ? unit + 1 : NULL : unit;
        const struct gather_unit *chosen = choose(hours, day, q, grain);
        if (!chosen)
            continue;
        struct gather_piece p = piece_of(g, (uint32_t)(chosen - g->units), q);
        p.lost = chosen->rollup.stale;
        if (p.lost)
            p.slot_end = p.slot;
        if (p.slot < p.slot_end || p.lost || p.cut[0] != UINT32_MAX || p.cut[1] != UINT32_MAX)
            rc = add_piece(g, &p);
    }
    for (uint32_t i = 0; !rc && i < g->piece_count; i++)
        rc = g->pieces[i].slot < g->pieces[i].slot_end ? list_piece(g, i) : 0;
    return rc;
}

const struct gather_piece *gather_piece_of(const struct gather *g, uint64_t service, int64_t day, int64_t type)
{
    const uint32_t *place = map_find(&g->piece_of, service << DAY_BITS ^ (uint64_t)day);
    for (uint32_t i = place ? *place : UINT32_MAX; i < g->piece_count; i++) {
        const struct catalogue_rollup *u = &g->units[g->pieces[i].unit].rollup;
        if (u->service != service || u->day != day)
            return NULL;
        if (u->type == type)
            return !u->gone && g->pieces[i].slot < g->pieces[i].slot_end ? &g->pieces[i] : NULL;
    }
    return NULL;
}

static bool has(const uint64_t *list, uint32_t count, uint64_t v)
{
    bool found = false;
    for (uint32_t i = 0; !found && i < count; i++)
        found = list[i] == v;
    return found;
}

/* A summary lists each recording that does not lie within a slot, so these are the only ones that begin before the piece and end in it. */
int gather_skip_pieces(struct gather *g, struct catalogue_group *group)
{
    const struct gather_piece *p = gather_piece_of(g, group->service, group->day, group->type);
    const struct rollup_summary *m = p ? &g->units[p->unit].summary : NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; p && i < m->long_count; i++) {
        const struct rollup_long *l = &m->longs[i];
        if (l->first >= p->slot || l->last < p->slot || has(g->across, n, l->recording))
            continue;
        if (ARRAY_GROW(g->across, g->across_cap, n))
            return -ENOMEM;
        g->across[n++] = l->recording;
    }
    group->without_from = p ? p->from : 0;
    group->without_to = p ? p->to : 0;
    group->across = g->across;
    group->across_count = n;
    return 0;
}

/* ---- counting ---- */

static bool is_selected(const struct gather *g, const struct gather_unit *u, uint32_t group)
{
    return map_find(&g->labelsets, u->summary.labelsets[group]) != NULL;
}

/* Whether the roll-up has something of the selected labels. Without a summary it may have. */
static bool has_selected(const struct gather *g, const struct gather_unit *u)
{
    bool has = !u->summary.group_count;
    for (uint32_t group = 0; !has && group < u->summary.group_count; group++)
        has = is_selected(g, u, group);
    return has;
}

uint32_t gather_missing_pieces(const struct gather *g, uint32_t type)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->piece_count; i++) {
        const struct gather_piece *p = &g->pieces[i];
        const struct gather_unit *u = &g->units[p->unit];
        bool some = p->lost || p->cut[0] != UINT32_MAX || p->cut[1] != UINT32_MAX;
        n += u->type == type && some && has_selected(g, u);
    }
    return n;
}

/* Counts the unit's data in one slot as missing. */
static void miss_slot(const struct gather *g, const struct gather_unit *u, uint32_t slot, enum missing_why why, struct missing *m)
{
    for (uint32_t i = 0; i < u->summary.slot_count; i++) {
        const struct rollup_slot *s = &u->summary.slots[i];
        if (s->slot == slot && is_selected(g, u, s->group))
            missing_add(m, why, s->recordings, s->rows, s->weight);
    }
    for (uint32_t i = 0; i < u->summary.long_count; i++) {
        const struct rollup_long *l = &u->summary.longs[i];
        if (!l->lost && overlaps(l, slot, slot + 1) && is_selected(g, u, l->group))
            missing_add(m, why, 1, 0, 0);
    }
}

static void miss_piece(const struct gather *g, const struct gather_piece *p, struct missing *m)
{
    const struct gather_unit *u = &g->units[p->unit];
    for (int i = 0; i < 2 && !p->lost; i++)
        if (p->cut[i] != UINT32_MAX)
            miss_slot(g, u, p->cut[i], MISSING_COARSE, m);
    for (uint32_t slot = 0; p->lost && slot < ROLLUP_SLOTS; slot++)
        miss_slot(g, u, slot, MISSING_LOST, m);
    if (p->lost && !u->summary.group_count) /* nobody knows how much it had */
        missing_add(m, MISSING_LOST, 1, 0, 0);
}

static int count_longs(const struct gather *g, const struct gather_piece *p, struct map *seen, struct store_result *r)
{
    const struct gather_unit *u = &g->units[p->unit];
    for (uint32_t i = 0; i < u->summary.long_count; i++) {
        const struct rollup_long *l = &u->summary.longs[i];
        bool added;
        if (!overlaps(l, p->slot, p->slot_end) || !is_selected(g, u, l->group))
            continue;
        if (l->lost) {
            if (!map_find(&g->hole_of, gather_hole_key(l->recording, u->rollup.day, u->type)))
                missing_add(&r->missing, MISSING_LOST, 1, l->rows, l->weight);
            continue;
        }
        if (!map_add(seen, l->recording, &added))
            return -ENOMEM;
        if (added && l->flawed)
            missing_add(&r->missing, MISSING_FLAWED, 1, 0, 0);
    }
    return 0;
}

static void note_coarse(const struct gather_unit *u, const struct gather_piece *p, struct store_result *r)
{
    struct store_coarse *c = &r->coarse[u->rollup.step == ROLLUP_DAY];
    if (!u->rollup.gone)
        return;
    c->from = c->from == c->to || p->from < c->from ? p->from : c->from;
    c->to = c->to < p->to ? p->to : c->to;
}

/* The recordings of a piece that lie within one slot. */
static uint64_t recordings_of(const struct gather *g, const struct gather_piece *p)
{
    const struct gather_unit *u = &g->units[p->unit];
    uint64_t recordings = 0;
    for (uint32_t i = 0; i < u->summary.slot_count; i++) {
        const struct rollup_slot *s = &u->summary.slots[i];
        recordings += s->slot >= p->slot && s->slot < p->slot_end && is_selected(g, u, s->group) ? s->recordings : 0;
    }
    return recordings;
}

static bool same_day(const struct gather *g, const struct gather_piece *a, const struct gather_piece *b)
{
    const struct catalogue_rollup *left = &g->units[a->unit].rollup, *right = &g->units[b->unit].rollup;
    return left->service == right->service && left->day == right->day;
}

/* type 0 stands for any. A recording may have several types, so the number for a day is that of the type with the most recordings. */
int gather_count_pieces(const struct gather *g, uint32_t type, struct map *seen, struct store_result *r)
{
    uint64_t most = 0, counted = 0;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < g->piece_count; i++) {
        const struct gather_piece *p = &g->pieces[i];
        const struct gather_unit *u = &g->units[p->unit];
        if (type && u->type != type)
            continue;
        miss_piece(g, p, &r->missing);
        uint64_t recordings = recordings_of(g, p);
        bool another = !type && i && same_day(g, p, p - 1);
        most = another && most > recordings ? most : recordings;
        counted = another ? counted : 0;
        r->recordings += most - counted;
        counted = most;
        if (p->slot < p->slot_end)
            note_coarse(u, p, r);
        rc = p->slot < p->slot_end ? count_longs(g, p, seen, r) : 0;
    }
    return rc;
}

static int add_seconds(const struct gather *g, const struct gather_piece *p, const struct store_query *q, struct map *seen,
                       uint64_t *seconds)
{
    const struct gather_unit *u = &g->units[p->unit];
    for (uint32_t i = 0; i < u->summary.slot_count; i++) {
        const struct rollup_slot *s = &u->summary.slots[i];
        *seconds += s->slot >= p->slot && s->slot < p->slot_end && is_selected(g, u, s->group) ? s->seconds : 0;
    }
    for (uint32_t i = 0; i < u->summary.long_count; i++) {
        const struct rollup_long *l = &u->summary.longs[i];
        int64_t from = l->begun > q->from ? l->begun : q->from, to = l->ended < q->to ? l->ended : q->to;
        bool added;
        if (l->lost || !overlaps(l, p->slot, p->slot_end) || !is_selected(g, u, l->group))
            continue;
        if (!map_add(seen, l->recording, &added))
            return -ENOMEM;
        *seconds += added && to > from ? (uint64_t)(to - from) : 0;
    }
    return 0;
}

int gather_seconds_of_pieces(const struct gather *g, const struct store_query *q, struct map *seen, uint64_t *seconds)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < g->piece_count; i++)
        if (g->units[g->pieces[i].unit].type == g->type)
            rc = add_seconds(g, &g->pieces[i], q, seen, seconds);
    return rc;
}

/* ---- reading ---- */

static int visit_rows(const struct gather *g, uint32_t begin, uint32_t end, const struct rollup_file *f, gather_visit *visit, void *context)
{
    const struct gather_piece *p = &g->pieces[g->list[begin].piece];
    const struct gathered **of = calloc((size_t)f->groups + 1, sizeof *of);
    struct segment frame = {.first = f->first, .strings = f->strings, .nodes = f->nodes, .threads = f->threads, .contexts = f->contexts};
    int rc = of ? 0 : -ENOMEM;
    for (uint32_t i = begin; !rc && i < end; i++)
        of[g->list[i].recording] = &g->list[i];
    for (uint32_t i = 0; !rc && i < f->row_count; i++) {
        const struct rollup_row *from = &f->rows[i];
        if (from->slot < p->slot || from->slot >= p->slot_end || !of[from->group])
            continue;
        const struct segment_row row = {.weight = from->weight,
                                        .recording = from->group,
                                        .context = from->context,
                                        .second = from->slot * f->step,
                                        .stack = from->stack,
                                        .count = from->count,
                                        .outcome = from->outcome,
                                        .state = from->state};
        rc = visit(context, of[from->group], &frame, &row, &from->squares);
    }
    free(of);
    return rc;
}

/* Whether the file belongs to the summary and the dictionary. */
static bool belongs(const struct gather *g, const struct gathered *first, const struct rollup_file *f, const struct gather_fit *fit)
{
    const struct gather_unit *u = &g->units[g->pieces[first->piece].unit];
    return f->groups == u->summary.group_count && f->step == u->rollup.step && f->first == u->rollup.day * SECONDS_PER_DAY &&
           (!fit || (f->strings <= fit->strings && f->nodes <= fit->nodes && f->threads <= fit->threads && f->contexts <= fit->contexts));
}

/* Counts the data of the file's entries as missing, and puts the file aside. */
static void give_up(const struct gather *g, struct store *s, uint32_t begin, int rc, struct store_result *r, const struct error *e)
{
    const struct gathered *first = &g->list[begin];
    const struct gather_piece *p = &g->pieces[first->piece];
    for (uint32_t slot = p->slot; slot < p->slot_end; slot++)
        miss_slot(g, &g->units[p->unit], slot, MISSING_DAMAGED, &r->missing);
    buffer_printf(&r->unreadable, "%s\n", e->text + (strncmp(e->text, s->path, strlen(s->path)) ? 0 : strlen(s->path) + 1));
    if (recover_may_return(s, rc))
        store_tell(s, "%s", e->text);
    else
        rollup_quarantine(s, first->dictionary, first->segment, e->text);
}

int gather_rollup(const struct gather *g, struct store *s, uint32_t *at, const struct gather_fit *fit, gather_visit *visit, void *context,
                  struct store_result *r, struct error *e)
{
    const struct gathered *first = &g->list[*at];
    uint32_t begin = *at;
    char path[DISK_PATH_MAX];
    struct rollup_file file;
    while (*at < g->count && g->list[*at].segment == first->segment)
        ++*at;
    int rc = s->rows->read_rollup(s, first->dictionary, first->segment, &file, e);
    if (!rc && !belongs(g, first, &file, fit)) {
        rollup_file_deinit(&file);
        rc = error_set(e, -EBADMSG, "%s: its dictionary, or what the catalog knows of it, is damaged",
                       store_rollup_path(s, path, first->dictionary, first->segment));
    }
    if (rc == -EBADMSG || rc == -ENOENT) {
        give_up(g, s, begin, rc, r, e);
        return 0;
    }
    if (rc)
        return rc;
    rc = visit_rows(g, begin, *at, &file, visit, context);
    rollup_file_deinit(&file);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

void gather_pieces_deinit(struct gather *g)
{
    for (uint32_t i = 0; i < g->unit_count; i++) {
        rollup_summary_deinit(&g->units[i].summary);
        free(g->units[i].files);
    }
    free(g->units);
    free(g->pieces);
    free(g->across);
    g->units = NULL;
    g->pieces = NULL;
    g->across = NULL;
    g->unit_count = g->unit_cap = g->piece_count = g->piece_cap = g->across_cap = 0;
    map_deinit(&g->piece_of);
    map_deinit(&g->hole_of);
}
