#include "store/query/gather.h"

#include "base/array.h"
#include "base/text/pattern.h"
#include "store/files/contexts.h"
#include "store/query/choice.h"
#include "store/query/gather_rollups.h"
#include "store/reread.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct take_hits {
    struct gather *g;
    const struct store_query *q;
    int64_t grain;
    enum take_types { TYPES_ASKED, TYPES_CPU } types; /* TYPES_CPU: only types of CPU time */
    bool chosen;                                      /* what is taken from roll-ups */
};

/* ---- parts ---- */

static int take_hole(struct gather *g, const struct catalogue_hit *hit, uint32_t type)
{
    if (hit->state == PART_UNSEALED && hit->recording >= g->arriving)
        return 0;
    if (ARRAY_GROW(g->holes, g->hole_cap, g->hole_count))
        return -ENOMEM;
    enum missing_why why = hit->state == PART_UNSEALED ? MISSING_UNSEALED : MISSING_LOST;
    bool added;
    if (!map_add(&g->hole_of, gather_hole_key(hit->recording, hit->day, type), &added))
        return -ENOMEM;
    g->holes[g->hole_count++] = (struct gather_hole){hit->rows, hit->weight, type, why};
    return 0;
}

static bool is_wanted(const struct store_query *q, uint64_t recording)
{
    bool found = !q->recording_count;
    for (uint32_t i = 0; !found && i < q->recording_count; i++)
        found = q->recordings[i] == recording;
    return found;
}

static bool may_select(void *context, const char *service)
{
    const struct take_hits *t = context;
    return !t->q->selector || selector_may_match(t->q->selector, service);
}

static bool is_cpu(const char *type)
{
    static const char cpu[] = "cpu:";
    return !strncmp(type, cpu, sizeof cpu - 1);
}

static bool may_want(void *context, const char *type)
{
    const struct take_hits *t = context;
    if (t->types == TYPES_ASKED && t->q->type && *t->q->type)
        return !strcmp(type, t->q->type);
    return t->types != TYPES_CPU || is_cpu(type);
}

static int take_rollup(void *context, const struct catalogue_rollup *u)
{
    return gather_take_unit(((struct take_hits *)context)->g, u);
}

static int take_file(void *context, const struct catalogue_rollup_file *f)
{
    return gather_take_file(((struct take_hits *)context)->g, f);
}

/* When the first group comes, all roll-ups are listed. A roll-up does not have single recordings. */
static int choose_pieces(struct take_hits *t)
{
    int rc = t->chosen || t->q->recording_count ? 0 : gather_choose_pieces(t->g, t->q, t->grain);
    t->chosen = true;
    return rc;
}

static int take_group(void *context, struct catalogue_group *group)
{
    struct take_hits *t = context;
    int rc = choose_pieces(t);
    return rc ? rc : gather_skip_pieces(t->g, group);
}

static int take_hit(void *context, const struct catalogue_hit *hit)
{
    struct take_hits *t = context;
    struct gather *g = t->g;
    const uint32_t *value = map_find(&g->labelsets, hit->labelset);
    if (!value || !is_wanted(t->q, hit->recording))
        return 0;
    const struct gather_piece *piece = gather_piece_of(g, hit->service, hit->day, hit->type_id);
    if (piece && hit->first >= piece->from && hit->last < piece->to)
        return 0; /* the roll-up has all of it, or has counted it as lost */
    uint32_t type = strtab_add_text(&g->types, hit->type);
    if (type && hit->state != PART_SEALED)
        return take_hole(g, hit, type);
    if (!type || ARRAY_GROW(g->list, g->cap, g->count))
        return -ENOMEM;
    bool apart = !piece || hit->last < piece->from || hit->first >= piece->to;
    bool within = apart && hit->first >= t->q->from && hit->last < t->q->to;
    g->list[g->count++] = (struct gathered){.recording = hit->recording,
                                            .segment = hit->segment,
                                            .labelset = hit->labelset,
                                            .rows = hit->rows,
                                            .weight = hit->weight,
                                            .flaws = hit->flaws,
                                            .parts = 1,
                                            .without_from = apart ? 0 : piece->from,
                                            .without_to = apart ? 0 : piece->to,
                                            .dictionary = hit->dictionary,
                                            .type = type,
                                            .by = *value - 1,
                                            .base = *value - 1,
                                            .begun = hit->begun,
                                            .ended = hit->ended,
                                            .first = hit->first,
                                            .last = hit->last,
                                            .within = within};
    return 0;
}

static int by_segment(const void *left, const void *right)
{
    const struct gathered *a = left, *b = right;
    if (a->dictionary != b->dictionary)
        return a->dictionary < b->dictionary ? -1 : 1;
    return (a->segment > b->segment) - (a->segment < b->segment);
}

/* Whether a type has precedence over another: CPU time first, although an idle JVM has wall-clock time in more recordings; then the type
 * that more recordings have; then by name. other: "" = none yet. */
static bool comes_first(const char *type, uint32_t n, const char *other, uint32_t other_n)
{
    if (is_cpu(type) != is_cpu(other))
        return is_cpu(type);
    return n != other_n ? n > other_n : strcmp(type, other) < 0;
}

/* Returns the type that was asked for, or else the type that has precedence. 0 = none. */
static uint32_t choose_type(const struct gather *g, const char *asked)
{
    uint32_t best = 0, most = 0;
    for (uint32_t type = 1; type < g->types.count; type++) {
        uint32_t n = gather_missing_pieces(g, type);
        for (uint32_t i = 0; i < g->count; i++)
            n += g->list[i].type == type ? (uint32_t)g->list[i].parts : 0;
        for (uint32_t i = 0; i < g->hole_count; i++)
            n += g->holes[i].type == type;
        const char *name = strtab_text(&g->types, type);
        bool better = n && (asked ? !strcmp(name, asked) : comes_first(name, n, strtab_text(&g->types, best), most));
        best = better ? type : best;
        most = better ? n : most;
    }
    return best;
}

/* Sets the result's time: the time that the recordings cover, within the query's time. */
static void find_span(const struct gather *g, const struct store_query *q, struct store_result *r)
{
    for (uint32_t i = 0; i < g->count; i++) {
        int64_t from = g->list[i].begun > q->from ? g->list[i].begun : q->from, to = g->list[i].ended < q->to ? g->list[i].ended : q->to;
        r->from = !i || from < r->from ? from : r->from;
        r->to = !i || to > r->to ? to : r->to;
    }
}

/* Keeps only the entries of the chosen type (all: of any type), and counts their recordings. A recording of several days has several
 * entries, and counts once. */
static int keep_type(struct gather *g, uint32_t type, bool all, struct store_result *r)
{
    struct map seen;
    uint32_t n = 0;
    int rc = 0;
    map_init(&seen);
    for (uint32_t i = 0; !rc && i < g->count; i++) {
        bool added;
        if (g->list[i].type != type && !all)
            continue;
        rc = g->list[i].rolled ? 0 : map_add(&seen, g->list[i].recording, &added) ? 0 : -ENOMEM;
        if (!rc && !g->list[i].rolled && added && g->list[i].flaws)
            missing_add(&r->missing, MISSING_FLAWED, 1, 0, 0);
        g->rows += g->list[i].rows;
        g->rolled += g->list[i].rolled;
        g->list[n++] = g->list[i];
    }
    for (uint32_t i = 0; i < g->hole_count; i++)
        if (g->holes[i].type == type || all)
            missing_add(&r->missing, g->holes[i].why, 1, g->holes[i].rows, g->holes[i].weight);
    g->count = n;
    g->type = type;
    rc = rc || (!type && !all) ? rc : gather_count_pieces(g, all ? 0 : type, &seen, r);
    r->recordings += seen.count;
    snprintf(r->type, sizeof r->type, "%s", strtab_text(&g->types, type));
    map_deinit(&seen);
    return rc;
}

int gather_again(struct gather *g, const struct store_query *q, const char *by, int64_t grain, struct store_result *r, struct error *e)
{
    struct store *s = g->store;
    gather_deinit(g);
    buffer_deinit(&r->unreadable);
    return gather_init(g, s, q, by, grain, r, e);
}

/* Lists the roll-ups and parts of some types. */
static int list_some(struct gather *g, const struct store_query *q, int64_t grain, enum take_types types, struct error *e)
{
    struct take_hits hits = {g, q, grain, types, false};
    const struct catalogue_select_visitor visitor = {may_select, may_want, take_rollup, take_file, take_group, take_hit, &hits};
    struct store_asking asking = {g->store, q};
    struct catalogue_patience patience = store_patience(&asking);
    int rc = catalogue_select(g->store->catalogue, q->from, q->to, &patience, &visitor, e);
    rc = rc ? rc : choose_pieces(&hits);
    gather_note_damaged(g);
    return rc;
}

static void forget_list(struct gather *g)
{
    g->count = g->hole_count = 0;
    gather_pieces_deinit(g);
}

/* Without a type, CPU time is what the query asks for, if there is any: then nothing else is listed. */
int gather_init(struct gather *g, struct store *s, const struct store_query *q, const char *by, int64_t grain, struct store_result *r,
                struct error *e)
{
    *g = (struct gather){0};
    *r = (struct store_result){.books = {.book = BOOKS}};
    buffer_init(&r->unreadable, 1 << 16);
    map_init(&g->labelsets);
    g->store = s;
    store_note_unread(s, q, &r->missing);
    r->missing.rounded_since = s->rounded_since;
    g->arriving = arrivals_from(&s->arrivals);
    g->epoch = merge_read_begin(s);
    g->ahead = calloc(1, sizeof *g->ahead);
    if (!g->ahead || strtab_init(&g->types) || strtab_init(&g->values))
        return error_set(e, -ENOMEM, "out of memory");
    int rc = choice_labels(s, q, by, &g->labelsets, &g->values, e);
    rc = rc ? rc : by_context_new(&g->contexts, q, by, &g->values);
    g->labels = q->labels || g->contexts;
    rc = rc ? rc : list_some(g, q, grain, q->type ? TYPES_ASKED : TYPES_CPU, e);
    if (!rc && !q->type && !choose_type(g, NULL)) {
        forget_list(g);
        rc = list_some(g, q, grain, TYPES_ASKED, e);
    }
    if (!rc && g->count)
        qsort(g->list, g->count, sizeof *g->list, by_segment);
    bool all = q->type && !*q->type;
    rc = rc ? rc : keep_type(g, all ? 0 : choose_type(g, q->type), all, r);
    find_span(g, q, r);
    struct store_query chosen = *q;
    chosen.type = q->type ? q->type : *r->type ? r->type : "";
    rc = rc ? rc : store_forgotten(s, &chosen, &r->missing, e);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

void gather_deinit(struct gather *g)
{
    merge_read_end(g->store, g->epoch);
    free(g->list);
    free(g->holes);
    by_context_free(g->contexts);
    map_deinit(&g->labelsets);
    gather_pieces_deinit(g);
    if (g->ahead)
        rows_ahead_deinit(g->ahead);
    free(g->ahead);
    strtab_deinit(&g->types);
    strtab_deinit(&g->values);
}

uint32_t gather_base(const struct gather *g, uint32_t value)
{
    return g->contexts ? by_context_base(g->contexts, value) : value;
}

/* ---- deleted data ---- */

struct take_forgotten {
    const struct store *store;
    const struct store_query *q;
    struct missing *missing;
    struct error *error;
};

/* Who may not read all services must not learn how much the others had. */
static bool is_limited(const struct store_query *q)
{
    return q->selector && q->selector->services && !pattern_is_any(q->selector->services);
}

void store_note_unread(const struct store *s, const struct store_query *q, struct missing *m)
{
    uint64_t left = reread_left(s);
    if (left)
        missing_add(m, MISSING_REREAD, is_limited(q) ? 1 : left, 0, 0);
    uint64_t waiting = s->waiting;
    if (waiting)
        missing_add(m, MISSING_WAITING, is_limited(q) ? 1 : waiting, 0, 0);
}

static int take_forgotten(void *context, const struct catalogue_forgotten *f)
{
    const struct take_forgotten *t = context;
    bool typed = t->q->type && *t->q->type;
    int rc = store_is_over(t->store, t->q, t->error);
    if (rc)
        return rc;
    if (f->why == FORGOTTEN_REBUILT) { /* of any service */
        missing_add(t->missing, MISSING_REBUILT, is_limited(t->q) ? 1 : f->parts, 0, 0);
        return 0;
    }
    if ((typed && strcmp(f->type, t->q->type)) || (t->q->selector && !selector_may_match(t->q->selector, f->service)))
        return 0;
    enum missing_why why = f->why == FORGOTTEN_DISK ? MISSING_DISK : f->why == FORGOTTEN_QUOTA ? MISSING_QUOTA : MISSING_RETAIN;
    missing_add(t->missing, why, f->parts, f->rows, f->weight);
    return 0;
}

int store_forgotten(struct store *s, const struct store_query *q, struct missing *m, struct error *e)
{
    struct take_forgotten t = {s, q, m, e};
    struct store_asking asking = {s, q};
    struct catalogue_patience patience = store_patience(&asking);
    return catalogue_forgotten(s->catalogue, q->from, q->to, &patience, take_forgotten, &t, e);
}

int store_forgotten_recordings(struct store *s, const struct store_query *q, struct missing *m, struct error *e)
{
    struct take_forgotten t = {s, q, m, e};
    struct store_asking asking = {s, q};
    struct catalogue_patience patience = store_patience(&asking);
    int rc = store_forgotten(s, q, m, e);
    return rc ? rc : catalogue_rollups_gone(s->catalogue, q->from, q->to, &patience, take_forgotten, &t, e);
}

/* ---- rows ---- */

/* Finds the entry of the list for each recording of the segment. An element is NULL if the recording is not selected. *found: the number of
 * selected recordings. Returns NULL if there is no memory. */
static const struct gathered **entries_of(const struct gather *g, uint32_t begin, uint32_t end, const struct segment *segment,
                                          uint32_t *found)
{
    const struct gathered **of = calloc((size_t)segment->recording_count + 1, sizeof *of);
    struct map places;
    bool added, failed = !of;
    *found = 0;
    map_init(&places);
    for (uint32_t i = begin; !failed && i < end; i++) {
        uint32_t *place = map_add(&places, g->list[i].recording, &added);
        failed = !place;
        if (place)
            *place = i;
    }
    for (uint32_t k = 0; !failed && k < segment->recording_count; k++) {
        const uint32_t *place = map_find(&places, segment->recordings[k]);
        of[k] = place ? &g->list[*place] : NULL;
        *found += place != NULL;
    }
    map_deinit(&places);
    if (failed) {
        free(of);
        of = NULL;
    }
    return of;
}

enum { MISFIT = 1 }; /* the segment refers to entries that its dictionary does not have */

static bool fits(const struct gather_fit *fit, const struct segment *segment)
{
    return !fit || (segment->strings <= fit->strings && segment->nodes <= fit->nodes && segment->threads <= fit->threads &&
                    segment->contexts <= fit->contexts);
}

/* Visits a row with the value by which it is split. */
static int visit_part(const struct gather *g, const struct gathered *of, const struct segment *segment, const struct segment_row *row,
                      const double *squares, const struct gather_fit *fit, gather_visit *visit, void *context)
{
    if (!fit || !fit->parts)
        return visit(context, of, segment, row, squares);
    struct gathered split = *of;
    int rc = by_context_value(g->contexts, of->base, fit->parts[row->context], &split.by);
    return rc ? rc : visit(context, &split, segment, row, squares);
}

/* Whether the row's context is selected. Counts a row if this is unknown. last: the recording of the last such row. */
static bool has_context(const struct gather_fit *fit, const struct segment_row *row, uint32_t *last, struct store_result *r)
{
    bool pass = !fit || !fit->pass || fit->pass[row->context];
    if (!pass && row->context == CONTEXT_UNKNOWN) {
        missing_add(&r->missing, MISSING_UNLABELED, row->recording != *last, 1, row->weight);
        *last = row->recording;
    }
    return pass;
}

/* Returns 0, MISFIT, or a code. */
static int visit_rows(const struct gather *g, const struct store_query *q, uint32_t begin, uint32_t end, const struct segment *segment,
                      const struct gather_fit *fit, gather_visit *visit, void *context, struct store_result *r)
{
    uint32_t found, last = UINT32_MAX;
    const struct gathered **of = entries_of(g, begin, end, segment, &found);
    bool fitting = fits(fit, segment);
    int rc = of ? 0 : -ENOMEM;
    for (uint32_t i = 0; !rc && i < segment->row_count; i++) {
        const struct segment_row *row = &segment->rows[i];
        int64_t second = segment->first + row->second;
        const struct gathered *one = of[row->recording];
        if (!one || second < q->from || second >= q->to || (second >= one->without_from && second < one->without_to))
            continue;
        if (fitting && !has_context(fit, row, &last, r))
            continue;
        r->weight += fitting ? row->weight : 0;
        rc = fitting ? visit_part(g, one, segment, row, NULL, fit, visit, context) : MISFIT;
    }
    free(of);
    return rc;
}

/* What visiting the rows of a roll-up needs. */
struct rolled_rows {
    const struct gather *g;
    const struct gather_fit *fit;
    gather_visit *visit;
    void *context;
    struct store_result *result;
    uint32_t last; /* as in has_context */
};

static int visit_rolled(void *context, const struct gathered *of, const struct segment *segment, const struct segment_row *row,
                        const double *squares)
{
    struct rolled_rows *rows = context;
    if (!has_context(rows->fit, row, &rows->last, rows->result))
        return 0;
    rows->result->weight += row->weight;
    return visit_part(rows->g, of, segment, row, squares, rows->fit, rows->visit, rows->context);
}

static uint32_t end_of(const struct gather *g, uint32_t at)
{
    uint32_t end = at;
    while (end < g->count && g->list[end].segment == g->list[at].segment)
        end++;
    return end;
}

static void miss(const struct gather *g, const struct gathered *first, struct store_result *r)
{
    uint32_t at = (uint32_t)(first - g->list), end = end_of(g, at);
    for (; at < end; at++)
        missing_add(&r->missing, MISSING_DAMAGED, 1, g->list[at].rows, g->list[at].weight);
}

/* Handles a segment that could not be read. If it is damaged or missing, names it in the result, puts it aside, and returns 0. Otherwise
 * returns rc. */
static int give_up(const struct gather *g, struct store *s, const struct gathered *first, int rc, struct store_result *r,
                   const struct error *e)
{
    if (rc != -EBADMSG && rc != -ENOENT)
        return rc;
    miss(g, first, r);
    buffer_printf(&r->unreadable, "%s\n", e->text + (strncmp(e->text, s->path, strlen(s->path)) ? 0 : strlen(s->path) + 1));
    if (recover_may_return(s, rc))
        store_tell(s, "%s", e->text);
    else
        recover_quarantine(s, first->dictionary, first->segment, e->text);
    return 0;
}

/* Puts a segment aside that does not fit its dictionary, because the dictionary is damaged. */
static void put_misfit_aside(const struct gather *g, struct store *s, const struct gathered *of, struct store_result *r)
{
    struct error e;
    miss(g, of, r);
    error_set(&e, -EBADMSG, "segments/%u/%llu.seg: its dictionary is damaged", of->dictionary, (unsigned long long)of->segment);
    buffer_printf(&r->unreadable, "%s\n", e.text);
    recover_quarantine(s, of->dictionary, of->segment, e.text);
}

/* Reads the segment of the entry, and names those that will be read after it. */
static int read_segment(const struct gather *g, struct store *s, uint32_t at, unsigned columns, struct segment *out, struct error *e)
{
    struct rows_one list[ROWS_AHEAD_MAX];
    const struct gathered *first = &g->list[at];
    struct rows_wanted wanted = {
        .dictionary = first->dictionary, .type = strtab_text(&g->types, first->type), .second = first->first, .list = list};
    for (uint32_t i = at; i < g->count && g->list[i].dictionary == first->dictionary; i++)
        if (!g->list[i].rolled && g->list[i].type == first->type &&
            !rows_want(&wanted, list, s->rows->ahead, g->list[i].segment, g->list[i].rows, g->list[i].weight))
            break;
    return s->rows->read(s, g->ahead, &wanted, columns, out, e);
}

int gather_segment(const struct gather *g, struct store *s, const struct store_query *q, uint32_t *at, unsigned columns,
                   const struct gather_fit *fit, gather_visit *visit, void *context, struct store_result *r, struct error *e)
{
    const struct gathered *first = &g->list[*at];
    uint32_t begin = *at;
    struct segment segment;
    columns = g->labels ? columns | 1u << SEGMENT_CONTEXT : columns & ~(1u << SEGMENT_CONTEXT);
    int rc = store_is_over(s, q, e);
    if (first->rolled) {
        struct rolled_rows rows = {g, fit, visit, context, r, UINT32_MAX};
        return rc ? rc : gather_rollup(g, s, at, fit, visit_rolled, &rows, r, e);
    }
    *at = end_of(g, begin);
    rc = rc ? rc : read_segment(g, s, begin, columns, &segment, e);
    if (rc)
        return give_up(g, s, first, rc, r, e);
    rc = visit_rows(g, q, begin, *at, &segment, fit, visit, context, r);
    segment_deinit(&segment);
    if (rc == MISFIT) {
        put_misfit_aside(g, s, first, r);
        return 0;
    }
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

/* Whether the entries allow the use of sums: for stacks, all selected rows are within the query's time; for seconds, all entries have the
 * same value of the label. */
static bool may_sum(const struct gather *g, uint32_t begin, uint32_t end, enum gather_sums which)
{
    uint64_t rows = 0;
    for (uint32_t i = begin; i < end; i++) {
        bool partly = g->list[i].rolled || g->list[i].without_from < g->list[i].without_to;
        if (partly || (which == GATHER_STACKS ? !g->list[i].within : g->list[i].by != g->list[begin].by))
            return false;
        rows += g->list[i].rows;
    }
    return rows >= SEGMENT_SUMS_ROWS;
}

/* Visits the sums of a segment whose rows have all the same context. Counts them if it is unknown whether that is selected. */
static int visit_whole(const struct gather *g, uint32_t begin, uint32_t end, const struct segment *segment, const struct gather_fit *fit,
                       gather_visit_sums *visit, void *context, struct store_result *r)
{
    struct gathered of = g->list[begin];
    if (fit && fit->pass && !fit->pass[segment->context]) {
        for (uint32_t i = begin; i < end && segment->context == CONTEXT_UNKNOWN; i++)
            missing_add(&r->missing, MISSING_UNLABELED, 1, g->list[i].rows, g->list[i].weight);
        return 0;
    }
    int rc = fit && fit->parts ? by_context_value(g->contexts, of.base, fit->parts[segment->context], &of.by) : 0;
    return rc ? rc : visit(context, &of, segment);
}

static int visit_sums(const struct gather *g, uint32_t begin, uint32_t end, const struct segment *segment, enum gather_sums which,
                      const struct gather_fit *fit, gather_visit_sums *visit, void *context, struct store_result *r, bool *done)
{
    uint32_t found;
    const struct gathered **of = entries_of(g, begin, end, segment, &found);
    bool whole = of && found == segment->recording_count;
    free(of);
    if (!of)
        return -ENOMEM;
    whole = whole && !(g->labels && segment->has_contexts);
    *done = whole && (which == GATHER_STACKS ? segment->sum_count : segment->second_count);
    if (*done && !fits(fit, segment))
        return MISFIT;
    return *done ? visit_whole(g, begin, end, segment, fit, visit, context, r) : 0;
}

/* ---- sums that are made where the rows are ---- */

/* Finds how many entries from `begin` can be added up together; lists their segments. */
static uint32_t end_of_sums(const struct gather *g, uint32_t begin, enum gather_sums which, struct rows_wanted *w, struct rows_one *list)
{
    const struct gathered *first = &g->list[begin];
    uint32_t at = begin;
    for (; at < g->count; at++) {
        const struct gathered *one = &g->list[at];
        bool partly = one->rolled || one->without_from < one->without_to || (which == GATHER_STACKS && !one->within);
        if (partly || one->dictionary != first->dictionary || one->type != first->type || one->by != first->by ||
            !rows_want(w, list, g->store->rows->sums, one->segment, one->rows, one->weight))
            break;
    }
    return at;
}

enum { SUM_LEAST = 8 }; /* fewer segments are read with those after them: a series by host would need a request for each */

/* As gather_sums, for several segments at once. If they lack rows, the caller reads each by itself, and finds which. */
static int sum_away(const struct gather *g, struct store *s, uint32_t *at, enum gather_sums which, const struct gather_fit *fit,
                    gather_visit_sums *visit, void *context, bool *done, struct error *e)
{
    struct rows_one *list = malloc(s->rows->sums * sizeof *list);
    const struct gathered *first = &g->list[*at];
    struct rows_wanted w = {.dictionary = first->dictionary, .type = strtab_text(&g->types, first->type), .second = first->first};
    struct segment segment = {0};
    if (!list)
        return error_set(e, -ENOMEM, "out of memory");
    w.list = list;
    uint32_t end = end_of_sums(g, *at, which, &w, list);
    bool few = w.count < SUM_LEAST && end < g->count && g->list[end].dictionary == first->dictionary;
    int rc = !w.rows || few ? -ENOENT : s->rows->sum(s, &w, which == GATHER_STACKS ? ROWS_BY_STACK : ROWS_BY_SECOND, &segment, e);
    *done = !rc && fits(fit, &segment);
    if (rc == -ENOENT || (!rc && !*done)) {
        g->ahead->unsummed = w.count ? list[w.count - 1].number : g->ahead->unsummed; /* none: the first entry has no sums */
        rc = 0;
    }
    if (*done) {
        rc = visit(context, first, &segment);
        *at = end;
    }
    segment_deinit(&segment);
    free(list);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

int gather_sums(const struct gather *g, struct store *s, const struct store_query *q, uint32_t *at, enum gather_sums which,
                const struct gather_fit *fit, gather_visit_sums *visit, void *context, struct store_result *r, bool *done, struct error *e)
{
    const struct gathered *first = &g->list[*at];
    uint32_t end = end_of(g, *at);
    struct segment segment;
    *done = false;
    if (s->rows->sum && (g->labels || first->segment <= g->ahead->unsummed))
        return 0;
    if (!s->rows->sum && !may_sum(g, *at, end, which))
        return 0;
    int rc = store_is_over(s, q, e);
    if (s->rows->sum)
        return rc ? rc : sum_away(g, s, at, which, fit, visit, context, done, e);
    rc = rc ? rc : read_segment(g, s, *at, SEGMENT_SUMS, &segment, e);
    if (rc) {
        *done = true;
        *at = end;
        return give_up(g, s, first, rc, r, e);
    }
    rc = visit_sums(g, *at, end, &segment, which, fit, visit, context, r, done);
    segment_deinit(&segment);
    if (*done)
        *at = end;
    if (rc == MISFIT) {
        put_misfit_aside(g, s, first, r);
        return 0;
    }
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

/* ---- dictionaries ---- */

static struct gather_fit fit_of(struct dictionary *d)
{
    pthread_mutex_lock(&d->lock);
    struct gather_fit fit = {.strings = d->names.strings.count,
                             .nodes = d->names.node_count,
                             .threads = d->names.thread_count,
                             .contexts = CONTEXT_NONE + d->names.label_count};
    pthread_mutex_unlock(&d->lock);
    return fit;
}

int gather_dictionaries(const struct gather *g, struct store *s, gather_visit_dictionary *visit, void *context, struct error *e)
{
    int rc = 0;
    for (uint32_t at = 0; !rc && at < g->count;) {
        char path[DISK_PATH_MAX];
        struct dictionary *d;
        uint32_t id = g->list[at].dictionary;
        rc = cache_get(&s->cache, id, store_dictionary_file(s, path, id), &d, e);
        if (rc)
            return rc;
        struct gather_fit fit = fit_of(d);
        struct by_context_choice choice = {0};
        rc = g->contexts ? by_context_choose(g->contexts, s, d, fit.contexts, &choice, e) : 0;
        fit.pass = choice.pass;
        fit.parts = choice.parts;
        rc = rc ? rc : visit(context, &at, d, &fit, e);
        by_context_choice_deinit(&choice);
        cache_put(&s->cache, d);
    }
    return rc;
}

/* ---- segments ---- */

struct visit_segments {
    const struct gather *g;
    gather_visit_segment *visit;
    void *context;
};

static int visit_segments(void *context, uint32_t *at, struct dictionary *d, const struct gather_fit *fit, struct error *e)
{
    const struct visit_segments *v = context;
    uint32_t id = v->g->list[*at].dictionary;
    int rc = 0;
    (void)d;
    while (!rc && *at < v->g->count && v->g->list[*at].dictionary == id)
        rc = v->visit(v->context, at, fit, e);
    return rc;
}

int gather_segments(const struct gather *g, struct store *s, gather_visit_segment *visit, void *context, struct error *e)
{
    struct visit_segments v = {g, visit, context};
    int rc = g->contexts ? gather_dictionaries(g, s, visit_segments, &v, e) : 0;
    for (uint32_t at = 0; !rc && !g->contexts && at < g->count;)
        rc = visit(context, &at, NULL, e);
    return rc;
}

/* ---- values ---- */

int gather_copy_values(const struct gather *g, char ***values, uint32_t *count)
{
    *count = 0;
    *values = calloc(g->values.count, sizeof **values);
    for (uint32_t i = 0; *values && i < g->values.count; i++) {
        char *copy = strdup(strtab_text(&g->values, i));
        if (!copy)
            return -ENOMEM;
        (*values)[(*count)++] = copy;
    }
    return *values ? 0 : -ENOMEM;
}

void gather_free_values(char **values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(values[i]);
    free(values);
}
