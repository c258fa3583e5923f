/* Makes one profile of the rows of segments. */
#include "base/time_units.h"
#include "store/query/gather.h"
#include "store/query/selection.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A node that is light in one dictionary may be heavier in all dictionaries together. So each dictionary contributes this many times the
 * number of nodes that are kept at the end. */
enum { MORE_OF_SEVERAL = 4 };

static int grow_stacks(struct selection *l, uint32_t stacks)
{
    if (stacks <= l->stacks)
        return 0;
    uint32_t *grown = realloc(l->row_of_stack, stacks * sizeof *grown);
    if (!grown)
        return -ENOMEM;
    memset(grown + l->stacks, 0, (stacks - l->stacks) * sizeof *grown);
    l->row_of_stack = grown;
    l->stacks = stacks;
    return 0;
}

/* Finds the place in `rows`, plus 1, of the row to which a row is added; 0 = none yet. Returns NULL if out of memory. */
static uint32_t *known_of(struct selection *l, uint32_t stacks, const struct selected_row *row)
{
    bool added;
    if (l->labels)
        return map_add(&l->row_of_work, (uint64_t)row->stack << 32 | row->context, &added);
    return grow_stacks(l, stacks) ? NULL : &l->row_of_stack[row->stack];
}

/* Takes a row. If rows are added up, a stack keeps the outcome and state of its first row. A stack that was cut off shows this in its
 * frames. */
static int take(struct selection *l, uint32_t stacks, const struct selected_row *row)
{
    uint32_t *known = l->add_up ? known_of(l, stacks, row) : NULL;
    if (l->add_up && !known)
        return -ENOMEM;
    if (known && *known && row->count <= UINT32_MAX - l->rows[*known - 1].count) {
        l->rows[*known - 1].weight += row->weight;
        l->rows[*known - 1].count += row->count;
        return 0;
    }
    if (ARRAY_GROW(l->rows, l->cap, l->count))
        return -ENOMEM;
    l->rows[l->count++] = *row;
    if (known)
        *known = l->count;
    return 0;
}

/* ---- all dictionaries ---- */

/* The state for reading the segments of a dictionary. */
struct reading {
    struct selection *selection;
    struct store *store;
    const struct gather *g;
    const struct store_query *q;
    struct store_result *result;
};

static int take_row(void *context, const struct gathered *of, const struct segment *segment, const struct segment_row *row,
                    const double *squares)
{
    struct reading *c = context;
    struct selected_row one = {.second = segment->first + row->second,
                               .weight = row->weight,
                               .stack = row->stack,
                               .count = row->count,
                               .thread = row->thread,
                               .outcome = row->outcome,
                               .context = row->context,
                               .state = row->state};
    c->selection->squares += gather_squares(row, squares);
    return take(c->selection, segment->nodes, &one);
}

static int take_sums(void *context, const struct gathered *of, const struct segment *segment)
{
    struct reading *c = context;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < segment->sum_count; i++) {
        const struct segment_sum *sum = &segment->sums[i];
        struct selected_row one = {.second = segment->first,
                                   .weight = sum->weight,
                                   .stack = sum->stack,
                                   .count = sum->count,
                                   .outcome = sum->outcome,
                                   .context = segment->context,
                                   .state = sum->state};
        rc = take(c->selection, segment->nodes, &one);
        c->selection->squares += sum->squares;
        c->result->weight += sum->weight;
    }
    return rc;
}

static int take_segment(struct reading *c, uint32_t *at, const struct gather_fit *fit, struct error *e)
{
    bool done = false;
    int rc = c->selection->add_up ? gather_sums(c->g, c->store, c->q, at, GATHER_STACKS, fit, take_sums, c, c->result, &done, e) : 0;
    return rc || done ? rc : gather_segment(c->g, c->store, c->q, at, SEGMENT_ALL, fit, take_row, c, c->result, e);
}

static int take_dictionary(void *context, uint32_t *at, struct dictionary *d, const struct gather_fit *fit, struct error *e)
{
    struct reading *c = context;
    struct selection *l = c->selection;
    uint32_t id = c->g->list[*at].dictionary;
    int rc = 0;
    l->count = 0;
    map_clear(&l->row_of_work);
    if (l->row_of_stack)
        memset(l->row_of_stack, 0, l->stacks * sizeof *l->row_of_stack);
    while (!rc && *at < c->g->count && c->g->list[*at].dictionary == id)
        rc = take_segment(c, at, fit, e);
    pthread_mutex_lock(&d->lock);
    rc = rc ? rc : selection_convert(l, &d->names);
    pthread_mutex_unlock(&d->lock);
    return rc;
}

static int take_all(struct selection *l, struct store *s, const struct gather *g, const struct store_query *q, struct store_result *r,
                    struct error *e)
{
    struct reading reading = {l, s, g, q, r};
    int rc = gather_dictionaries(g, s, take_dictionary, &reading, e);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc == -ERANGE ? error_set(e, rc, "more than can be added up") : rc;
}

/* ---- the profile's description ---- */

static int describe(struct profile *p, const struct store_query *q, const struct store_result *r)
{
    static const char source[] = "candor server";
    const char *colon = strrchr(r->type, ':');
    size_t len = colon ? (size_t)(colon - r->type) : 0;
    const char *unit = colon ? colon + 1 : "samples";
    p->unit = !strcmp(unit, "ns")        ? PROFILE_UNIT_NS
              : !strcmp(unit, "samples") ? PROFILE_UNIT_SAMPLES
              : !strcmp(unit, "bytes")   ? PROFILE_UNIT_BYTES
                                         : PROFILE_UNIT_OTHER;
    p->thinned = true; /* rows are not in the order in which samples were taken */
    p->merged = (uint32_t)r->recordings;
    p->start_ns = (r->to > r->from ? r->from : q->from) * NS_PER_S;
    p->duration_ns = (uint64_t)(r->to - r->from) * NS_PER_S;
    return profile_string(p, source, sizeof source - 1, &p->source) || profile_string(p, r->type, len, &p->value) ||
                   profile_string(p, unit, strlen(unit), &p->unit_name)
               ? -ENOMEM
               : 0;
}

/* Copies the books into the profile, for functions that read a profile. */
static int take_books(struct profile *p, const struct store_books *b)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < b->count; i++) {
        const struct store_book *from = &b->list[i];
        struct profile_book to = {.ns = from->ns, .count = from->count < 0 ? 0 : (uint64_t)from->count};
        rc = profile_string(p, from->account, strlen(from->account), &to.account);
        rc = rc ? rc : profile_string(p, from->reason, strlen(from->reason), &to.reason);
        rc = rc ? rc : profile_set_book(p, &to);
    }
    return rc;
}

/* Notes what the samples do not show of the squares of the weights that were added up in them. */
static void note_squares(struct profile *p, const struct selection *l)
{
    double shown = 0;
    for (uint32_t i = 0; i < p->sample_count; i++)
        shown += (double)p->samples[i].weight * (double)p->samples[i].weight / p->samples[i].count;
    p->hidden_squares = l->add_up && l->squares > shown ? l->squares - shown : 0;
}

int store_profile(struct store *s, const struct store_query *q, struct profile *p, struct store_result *r, struct error *e)
{
    struct gather g;
    struct selection_methods methods = {0};
    struct selection l = {.p = p, .labels = q->labels, .pruned = &r->pruned, .methods = &methods};
    uint64_t single = s->options.single_rows ? s->options.single_rows : STORE_ROWS_MAX;
    map_init(&l.row_of_work);
    int rc = gather_init(&g, s, q, NULL, GATHER_ANY_TIME, r, e);
    if (!rc && g.rolled && g.rows <= single)
        rc = gather_again(&g, q, NULL, GATHER_EACH_ROW, r, e);
    rc = rc ? rc : select_books(&g, s, q, r, e);
    bool several = g.count && g.list[0].dictionary != g.list[g.count - 1].dictionary;
    l.add_up = g.rows > single || g.rolled;
    l.keep = several ? q->keep * MORE_OF_SEVERAL : q->keep;
    rc = rc ? rc : take_all(&l, s, &g, q, r, e);
    if (!rc && several && q->keep && profile_prune(p, q->keep, &r->pruned))
        rc = error_set(e, -ENOMEM, "out of memory");
    if (!rc && (describe(p, q, r) || take_books(p, &r->books)))
        rc = error_set(e, -ENOMEM, "out of memory");
    note_squares(p, &l);
    free(l.rows);
    free(l.row_of_stack);
    map_deinit(&l.row_of_work);
    map_deinit(&methods.places);
    r->methods = methods.list;
    r->method_count = methods.count;
    gather_deinit(&g);
    return rc;
}

void store_result_deinit(struct store_result *r)
{
    buffer_deinit(&r->unreadable);
    books_deinit(&r->books);
    free(r->methods);
}
