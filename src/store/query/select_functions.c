/* Sums up the rows of segments by the methods that their stacks show. */
#include "store/functions.h"

#include "store/query/function_paths.h"
#include "store/query/gather.h"

#include "base/array.h"
#include "base/text/code_owner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SUM_MAX ((uint64_t)1 << 62)
enum { ROWS_MAX = 1 << 22 }; /* the most rows, and the most groups, of an answer */
enum {
    CELLS_AT_ONCE = 1024, /* number of cells that are added between two checks whether the query is abandoned */
    DENSE_MAX = 4 << 20,  /* entries of tables, which take 4 bytes each */
};

/* The sum over the rows of one dictionary for a group and a set of methods, or for a group and one nearest method. */
struct cell {
    uint32_t group, of;
    struct store_figure sum;
};

/* Each row of segments adds to a cell, so a cell is found in a table of its group. Only if there is no room for so many tables, cells of
 * further groups are found in a map. */
struct cells {
    struct cell *list;
    uint32_t count, cap;
    uint32_t width;    /* entries of a table: `of` is below */
    uint32_t **tables; /* by group; NULL = it has none */
    uint32_t table_count, table_cap, entries;
    struct map places; /* both have the place in the list, plus 1 */
};

struct tally {
    struct store *store;
    const struct store_query *q;
    const struct store_function_query *f;
    const struct gather *g;
    struct store_functions *out;
    struct store_result *result;
    struct map groups; /* (value, slice) -> place in out->groups */
    struct map rows;   /* (group, name) -> place in out->rows */
    bool *sliced;      /* by a recording's value: whether the group is split by time */
    bool add_up;       /* there are many rows: the sums of segments are used where they suffice */
    uint32_t last;     /* the group of the row before; UINT32_MAX = none */
    uint32_t last_value;
    int64_t last_slice;
    struct function_paths paths; /* those of the dictionary at hand */
    struct cells sets, selves;
};

static int add(struct store_figure *to, uint64_t weight, uint64_t samples)
{
    if (weight >= SUM_MAX - to->weight)
        return -ERANGE;
    to->weight += weight;
    to->samples += samples;
    return 0;
}

/* ---- groups ---- */

static int group_at(struct tally *t, uint32_t value, int64_t slice, uint32_t *group)
{
    struct store_functions *out = t->out;
    bool added;
    if (t->last != UINT32_MAX && t->last_value == value && t->last_slice == slice) {
        *group = t->last;
        return 0;
    }
    uint32_t *place = map_add(&t->groups, (uint64_t)value << 32 | (uint32_t)slice, &added);
    if (!place || ARRAY_GROW(out->groups, out->group_cap, out->group_count))
        return -ENOMEM;
    if (added && out->group_count == ROWS_MAX)
        return -E2BIG;
    if (added) {
        out->groups[out->group_count] = (struct store_group){.value = value, .slice = slice, .from = INT64_MAX, .to = INT64_MIN};
        *place = out->group_count++;
    }
    t->last_value = value;
    t->last_slice = slice;
    *group = t->last = *place;
    return 0;
}

/* Returns the length of a group's first values. */
static size_t lead_len(const char *value, unsigned labels)
{
    const char *at = value;
    for (unsigned i = 0; i < labels; i++) {
        at += i && *at;
        at += strcspn(at, (char[]){STORE_BY_SEPARATOR, 0});
    }
    return (size_t)(at - value);
}

/* Counts for each group how many groups of the gathered recordings have its first values. */
static int count_alike(const struct tally *t, uint32_t *alike)
{
    const struct strtab *values = &t->g->values;
    struct strtab leads;
    uint32_t *lead_of = calloc((size_t)values->count + 1, sizeof *lead_of), *with = calloc((size_t)values->count + 1, sizeof *with);
    bool *seen = calloc((size_t)values->count + 1, sizeof *seen);
    int rc = strtab_init(&leads) || !lead_of || !with || !seen ? -ENOMEM : 0;
    for (uint32_t i = 0; !rc && i < t->g->count; i++) {
        uint32_t value = t->g->list[i].by;
        const char *text = strtab_text(values, value);
        size_t len = lead_len(text, t->f->lead);
        if (seen[value])
            continue;
        seen[value] = true;
        lead_of[value] = strtab_add(&leads, text, len);
        with[lead_of[value]]++;
        rc = len && !lead_of[value] ? -ENOMEM : 0;
    }
    for (uint32_t i = 0; !rc && i < values->count; i++)
        alike[i] = with[lead_of[i]];
    strtab_deinit(&leads);
    free(lead_of);
    free(with);
    free(seen);
    return rc;
}

/* Decides which groups are split by time. */
static int choose_sliced(struct tally *t)
{
    uint32_t count = t->g->values.count;
    uint32_t *alike = calloc((size_t)count + 1, sizeof *alike);
    t->sliced = calloc((size_t)count + 1, sizeof *t->sliced);
    int rc = !alike || !t->sliced ? -ENOMEM : t->f->lead ? count_alike(t, alike) : 0;
    for (uint32_t i = 0; !rc && i < count; i++)
        t->sliced[i] = t->f->slice && (!t->f->lead || alike[i] == 1);
    free(alike);
    return rc;
}

/* Adds the groups that recordings have, even without samples, and the time that they cover. */
static int add_groups(struct tally *t)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < t->g->count; i++) {
        const struct gathered *of = &t->g->list[i];
        uint32_t group;
        rc = group_at(t, of->by, 0, &group);
        if (rc)
            break;
        struct store_group *to = &t->out->groups[group];
        int64_t from = of->begun > t->q->from ? of->begun : t->q->from, until = of->ended < t->q->to ? of->ended : t->q->to;
        to->from = from < to->from ? from : to->from;
        to->to = until > to->to ? until : to->to;
    }
    return rc;
}

/* Adds the groups that labels of samples have made, even where all their samples are in later slices. They cover the time of the recordings
 * that they come from. */
static int add_split_groups(struct tally *t)
{
    struct store_functions *out = t->out;
    uint32_t group, count = out->group_count;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < count; i++) {
        uint32_t value = out->groups[i].value, base = gather_base(t->g, value);
        const uint32_t *of = map_find(&t->groups, (uint64_t)base << 32);
        if (base == value || !of)
            continue;
        int64_t from = out->groups[*of].from, to = out->groups[*of].to;
        rc = group_at(t, value, 0, &group);
        if (!rc) {
            out->groups[group].from = from;
            out->groups[group].to = to;
        }
    }
    return rc;
}

/* ---- rows of a segment ---- */

/* Returns the table of a group, or NULL if there is no room for it. */
static uint32_t *table_of(struct cells *c, uint32_t group)
{
    while (c->table_count <= group) {
        if (ARRAY_GROW(c->tables, c->table_cap, c->table_count))
            return NULL;
        c->tables[c->table_count++] = NULL;
    }
    if (!c->tables[group] && c->width <= DENSE_MAX - c->entries) {
        c->tables[group] = calloc(c->width, sizeof **c->tables);
        c->entries += c->width;
    }
    return c->tables[group];
}

static int add_cell(struct cells *c, uint32_t group, uint32_t of, uint64_t weight, uint64_t samples)
{
    bool added;
    uint32_t *table = group < c->table_count && c->tables[group] ? c->tables[group] : table_of(c, group);
    uint32_t *place = table ? &table[of] : map_add(&c->places, (uint64_t)group << 32 | of, &added);
    if (!place || ARRAY_GROW(c->list, c->cap, c->count))
        return -ENOMEM;
    if (!*place) {
        c->list[c->count++] = (struct cell){.group = group, .of = of};
        *place = c->count;
    }
    return add(&c->list[*place - 1].sum, weight, samples);
}

static int take(struct tally *t, uint32_t group, uint32_t stack, uint64_t weight, uint32_t count, double squares)
{
    if (t->f->whole) {
        struct store_group *to = &t->out->groups[group];
        to->squares += squares;
        int rc = add(&to->all, weight, count);
        if (rc)
            return rc;
    }
    uint32_t set = t->paths.set_of ? t->paths.set_of[stack] : 0;
    if (!set)
        return 0;
    uint32_t nearest = t->paths.nearest_of[stack];
    int rc = add_cell(&t->sets, group, set, weight, count);
    return rc || !nearest ? rc : add_cell(&t->selves, group, nearest, weight, count);
}

static int take_row(void *context, const struct gathered *of, const struct segment *segment, const struct segment_row *row,
                    const double *squares)
{
    struct tally *t = context;
    uint32_t group;
    int64_t slice = t->sliced[of->base] ? (segment->first + row->second - t->q->from) / t->f->slice : 0;
    int rc = group_at(t, of->by, slice, &group);
    return rc ? rc : take(t, group, row->stack, row->weight, row->count, gather_squares(row, squares));
}

static int take_sums(void *context, const struct gathered *of, const struct segment *segment)
{
    struct tally *t = context;
    uint32_t group;
    int rc = group_at(t, of->by, 0, &group);
    for (uint32_t i = 0; !rc && i < segment->sum_count; i++) {
        const struct segment_sum *sum = &segment->sums[i];
        rc = take(t, group, sum->stack, sum->weight, sum->count, sum->squares);
        t->result->weight += sum->weight;
    }
    return rc;
}

/* Whether the sums of the segment may be used: all its entries are of one group, which is not split by time. */
static bool may_sum(const struct tally *t, uint32_t at)
{
    const struct gathered *list = t->g->list;
    for (uint32_t i = at; i < t->g->count && list[i].segment == list[at].segment; i++)
        if (list[i].by != list[at].by || t->sliced[list[i].by])
            return false;
    return t->add_up;
}

static int take_segment(struct tally *t, uint32_t *at, const struct gather_fit *fit, struct error *e)
{
    static const unsigned columns = SEGMENT_SERIES | 1 << SEGMENT_STACK | 1 << SEGMENT_COUNT;
    bool done = false;
    int rc = may_sum(t, *at) ? gather_sums(t->g, t->store, t->q, at, GATHER_STACKS, fit, take_sums, t, t->result, &done, e) : 0;
    return rc || done ? rc : gather_segment(t->g, t->store, t->q, at, columns, fit, take_row, t, t->result, e);
}

/* ---- from a dictionary's sums to the answer ---- */

static int row_of(struct tally *t, uint32_t group, uint32_t name, struct store_function **row)
{
    struct store_functions *out = t->out;
    bool added;
    uint32_t *place = map_add(&t->rows, (uint64_t)group << 32 | name, &added);
    if (!place || ARRAY_GROW(out->rows, out->cap, out->count))
        return -ENOMEM;
    if (added && out->count == ROWS_MAX)
        return -E2BIG;
    if (added) {
        out->rows[out->count] = (struct store_function){.name = name, .group = group};
        *place = out->count++;
    }
    *row = &out->rows[*place];
    return 0;
}

static int add_self(struct tally *t, const struct cell *c, uint32_t name)
{
    struct store_function *row;
    int rc = row_of(t, c->group, name, &row);
    return rc ? rc : add(&row->self, c->sum.weight, c->sum.samples);
}

static int give_names(struct tally *t, uint32_t *names)
{
    for (uint32_t i = 1; i < t->paths.count; i++) {
        names[i] = strtab_add(&t->out->names, t->paths.names[i], t->paths.lens[i]);
        if (!names[i] && !t->f->together)
            return -ENOMEM;
    }
    return 0;
}

static int by_group(const void *left, const void *right)
{
    const struct cell *a = left, *b = right;
    return (a->group > b->group) - (a->group < b->group);
}

/* The sums of one group by function (0: all together), and which of them have something. */
struct totals {
    struct store_figure *list;
    uint32_t *some;
    uint32_t some_count;
    bool *has;
};

static int add_total(struct totals *to, uint32_t function, const struct store_figure *sum)
{
    if (!to->has[function])
        to->some[to->some_count++] = function;
    to->has[function] = true;
    return add(&to->list[function], sum->weight, sum->samples);
}

/* Moves the sums of a group to the answer. */
static int give_totals(struct tally *t, struct totals *from, uint32_t group, const uint32_t *names)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < from->some_count; i++) {
        uint32_t function = from->some[i];
        struct store_function *row;
        rc = row_of(t, group, names[function], &row);
        rc = rc ? rc : add(&row->total, from->list[function].weight, from->list[function].samples);
        from->list[function] = (struct store_figure){0};
        from->has[function] = false;
    }
    from->some_count = 0;
    return rc;
}

/* A set counts for each of its methods, and once for all of them together. Rows of the answer are looked up once for each group and method,
 * because there are far more sets than methods. */
static int give_sets(struct tally *t, struct totals *to, const uint32_t *names, struct error *e)
{
    int rc = 0;
    if (t->sets.count)
        qsort(t->sets.list, t->sets.count, sizeof *t->sets.list, by_group);
    for (uint32_t i = 0; !rc && i < t->sets.count; i++) {
        const struct cell *c = &t->sets.list[i];
        rc = i % CELLS_AT_ONCE ? 0 : store_is_over(t->store, t->q, e);
        rc = rc ? rc : add_total(to, 0, &c->sum);
        for (uint32_t set = c->of; !rc && set && !t->f->together; set = t->paths.sets[set].parent)
            rc = add_total(to, t->paths.sets[set].function, &c->sum);
        if (!rc && (i + 1 == t->sets.count || c[1].group != c->group))
            rc = give_totals(t, to, c->group, names);
    }
    return rc;
}

static int give_selves(struct tally *t, const uint32_t *names, struct error *e)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < t->selves.count; i++) {
        const struct cell *c = &t->selves.list[i];
        rc = i % CELLS_AT_ONCE ? 0 : store_is_over(t->store, t->q, e);
        rc = rc ? rc : add_self(t, c, 0);
        rc = rc || t->f->together ? rc : add_self(t, c, names[c->of]);
    }
    return rc;
}

/* Adds the sums of the dictionary's rows. */
static int give_sums(struct tally *t, struct error *e)
{
    size_t functions = (size_t)t->paths.count + 1;
    uint32_t *names = calloc(functions, sizeof *names);
    struct totals totals = {.list = calloc(functions, sizeof *totals.list),
                            .some = calloc(functions, sizeof *totals.some),
                            .has = calloc(functions, sizeof *totals.has)};
    int rc = names && totals.list && totals.some && totals.has ? give_names(t, names) : -ENOMEM;
    rc = rc ? rc : give_sets(t, &totals, names, e);
    rc = rc ? rc : give_selves(t, names, e);
    free(names);
    free(totals.list);
    free(totals.some);
    free(totals.has);
    return rc;
}

static void forget_cells(struct cells *c)
{
    for (uint32_t i = 0; i < c->table_count; i++)
        free(c->tables[i]);
    c->count = c->table_count = c->entries = 0;
    map_clear(&c->places);
}

static void free_cells(struct cells *c)
{
    forget_cells(c);
    map_deinit(&c->places);
    free(c->tables);
    free(c->list);
}

/* Whether the rows of the dictionary's segments cannot be in the answer. An entry that a damaged dictionary lacks may be such a method. */
static bool may_skip(const struct tally *t, struct dictionary *d)
{
    pthread_mutex_lock(&d->lock);
    bool damaged = d->damaged;
    pthread_mutex_unlock(&d->lock);
    return !t->paths.set_of && !t->f->whole && !damaged;
}

static int take_dictionary(void *context, uint32_t *at, struct dictionary *d, const struct gather_fit *fit, struct error *e)
{
    struct tally *t = context;
    uint32_t id = t->g->list[*at].dictionary;
    int rc = function_paths_init(&t->paths, d, t->store, t->q, t->f, e);
    bool skip = !rc && may_skip(t, d);
    t->sets.width = t->paths.set_count;
    t->selves.width = t->paths.count;
    while (!rc && *at < t->g->count && t->g->list[*at].dictionary == id) {
        if (skip)
            ++*at;
        else
            rc = take_segment(t, at, fit, e);
    }
    rc = rc ? rc : give_sums(t, e);
    forget_cells(&t->sets);
    forget_cells(&t->selves);
    function_paths_deinit(&t->paths);
    return rc;
}

static int take_all(struct tally *t, struct error *e)
{
    int rc = choose_sliced(t);
    rc = rc ? rc : add_groups(t);
    rc = rc ? rc : gather_dictionaries(t->g, t->store, take_dictionary, t, e);
    rc = rc ? rc : add_split_groups(t);
    if (rc == -E2BIG)
        return error_set(e, rc, "more than %d rows: ask for fewer methods or groups", ROWS_MAX);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc == -ERANGE ? error_set(e, rc, "more than can be added up") : rc;
}

/* Takes over the labels' values. Each value keeps the number that it has in the gather. */
static void take_values(struct store_functions *out, struct gather *g)
{
    strtab_deinit(&out->values);
    out->values = g->values;
    g->values = (struct strtab){0};
}

int store_functions(struct store *s, const struct store_query *q, const struct store_function_query *f, struct store_functions *out,
                    struct store_result *r, struct error *e)
{
    struct gather g;
    struct tally t = {.store = s, .q = q, .f = f, .g = &g, .out = out, .result = r, .last = UINT32_MAX};
    *out = (struct store_functions){0};
    int rc = gather_init(&g, s, q, f->by, f->slice, r, e);
    rc = rc ? rc : select_books(&g, s, q, r, e);
    t.add_up = g.rows > (s->options.single_rows ? s->options.single_rows : STORE_ROWS_MAX);
    if (!rc && strtab_init(&out->names))
        rc = error_set(e, -ENOMEM, "out of memory");
    rc = rc ? rc : take_all(&t, e);
    if (!rc)
        take_values(out, &g);
    map_deinit(&t.groups);
    map_deinit(&t.rows);
    free_cells(&t.sets);
    free_cells(&t.selves);
    free(t.sliced);
    gather_deinit(&g);
    return rc;
}

void store_functions_deinit(struct store_functions *f)
{
    strtab_deinit(&f->names);
    strtab_deinit(&f->values);
    free(f->rows);
    free(f->groups);
    *f = (struct store_functions){0};
}

bool store_function_is_own(const struct store_function_name *name)
{
    bool java = name->type <= JFR_FRAME_INLINED || (name->type >= JFR_FRAME_C1_APPROXIMATE && name->type <= JFR_FRAME_JAVA);
    return java && *name->class_name && code_owner(name->class_name, name->method) == CODE_OF_PROGRAM;
}
