#include "profile/figures/leaks.h"

#include "base/agreed/jdk_names.h"
#include "base/array.h"
#include "base/map.h"
#include "profile/allocated.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PERIODS = LEAKS_QUARTERS - 1 };

/* The growth of a group over a time: in bytes, with the sums of squares for its error and its chance. */
struct growth {
    double bytes, variance, squares;
};

struct group {
    uint32_t class_name, site, stack;
    uint32_t objects;
    uint64_t bytes, heaviest;
    double variance, age;
    double at_end[LEAKS_QUARTERS]; /* live bytes */
    struct growth periods[PERIODS], whole;
};

struct groups {
    struct map by_key;
    struct group *list;
    uint32_t count, cap;
};

/* ---- sites ---- */

static bool is_java(uint8_t type)
{
    return type <= JFR_FRAME_INLINED || (type >= JFR_FRAME_C1_APPROXIMATE && type <= JFR_FRAME_JAVA);
}

/* Returns the label of the innermost method that belongs to the program itself; otherwise that of the innermost Java frame; otherwise
 * that of the innermost frame. */
static uint32_t site_of(const struct profile *p, uint32_t stack)
{
    uint32_t any = 0, java = 0;
    for (uint32_t at = stack; at; at = p->nodes[at].parent) {
        const struct profile_frame *f = &p->frames[p->nodes[at].frame];
        any = any ? any : f->label;
        if (!is_java(f->type))
            continue;
        java = java ? java : f->label;
        if (!jdk_name(profile_text(p, p->methods[f->method].package)))
            return f->label;
    }
    return java ? java : any;
}

static uint64_t key_of(uint32_t class_name, uint32_t site)
{
    return (uint64_t)class_name << 32 | site;
}

static struct group *group_of(struct groups *g, const struct profile *p, const struct profile_sample *s)
{
    uint32_t class_name = allocated_class(p, s->labels), site = site_of(p, s->stack);
    bool added;
    uint32_t *place = map_add(&g->by_key, key_of(class_name, site), &added);
    if (!place)
        return NULL;
    if (added) {
        if (ARRAY_GROW(g->list, g->cap, g->count))
            return NULL;
        *place = g->count;
        g->list[g->count++] = (struct group){.class_name = class_name, .site = site};
    }
    return &g->list[*place];
}

/* ---- times of looks ---- */

/* Counts how often the watched objects were looked at before the recording's set of live objects was written. */
static uint32_t count_looks(const struct profile *p)
{
    int64_t told = INT64_MAX;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->object_count; i++)
        if (p->objects[i].is_alive)
            told = p->objects[i].told_ns;
    while (count < p->live_set_count && p->live_sets[count].time_ns <= told)
        count++;
    return count;
}

static bool is_after_old(const struct profile_live_set *s)
{
    return s->old_collections > s->old_before;
}

/* Returns the last look in (from, to] after a collection of old objects since the previous look, or the last look if there was no such
 * collection; -1 = there is no look. After such a collection garbage does not count. Without one, garbage makes a group grow from look
 * to look. */
static int last_look(const struct profile_live_set *sets, uint32_t count, int64_t from, int64_t to, bool *is_of_old)
{
    int last = -1;
    *is_of_old = false;
    for (uint32_t i = 0; i < count; i++) {
        bool of_old = is_after_old(&sets[i]);
        if (sets[i].time_ns <= from || sets[i].time_ns > to || (*is_of_old && !of_old))
            continue;
        last = (int)i;
        *is_of_old = of_old;
    }
    return last;
}

/* Returns the beginning of the k-th quarter. */
static int64_t quarter(int64_t begin, int64_t end, int k)
{
    return (int64_t)(begin + ((__int128)end - begin) / LEAKS_QUARTERS * k);
}

/* Returns the time between two times in ns. In a damaged file the difference may exceed 64 bits. */
static double span(int64_t from, int64_t to)
{
    return (double)((__int128)to - from);
}

/* Cuts the recording into quarters. Returns false if there are too few looks for that. */
static bool cut(struct leaks *l, const struct profile *p)
{
    const char *counted = profile_setting(p, "live_old_collections");
    l->looks = count_looks(p);
    if (l->looks < LEAKS_QUARTERS)
        return false;
    const struct profile_live_set *sets = p->live_sets;
    int64_t end = sets[l->looks - 1].time_ns, begin = p->start_ns;
    if (p->discarded || begin >= sets[0].time_ns)
        begin = sets[0].time_ns - (sets[0].time_ns > INT64_MIN);
    l->proof = counted && !strcmp(counted, "counted") ? LEAKS_PROVED : LEAKS_OLD_UNKNOWN;
    for (int k = 0; k < LEAKS_QUARTERS; k++) {
        bool is_of_old;
        int64_t from = quarter(begin, end, k), to = k + 1 < LEAKS_QUARTERS ? quarter(begin, end, k + 1) : end;
        int look = last_look(sets, l->looks, from, to, &is_of_old);
        if (look < 0)
            return false;
        l->ends_ns[k] = sets[look].time_ns;
        if (!is_of_old && l->proof == LEAKS_PROVED)
            l->proof = LEAKS_NO_OLD_COLLECTION;
    }
    return true;
}

/* ---- growth ---- */

static bool lived(const struct profile_object *o, int64_t at)
{
    return o->sample.time_ns < at && (o->is_alive || o->told_ns > at);
}

static void grow(struct growth *g, const struct profile_object *o, bool before, bool after)
{
    double w = (double)o->sample.weight, size = (double)o->size;
    if (before == after)
        return;
    g->bytes += after ? w : -w;
    g->variance += w > size ? w * (w - size) : 0;
    g->squares += w * w;
}

static void take(struct group *g, const struct leaks *l, const struct profile_object *o)
{
    bool at[LEAKS_QUARTERS];
    double w = (double)o->sample.weight, size = (double)o->size;
    for (int k = 0; k < LEAKS_QUARTERS; k++) {
        at[k] = lived(o, l->ends_ns[k]);
        g->at_end[k] += at[k] ? w : 0;
    }
    for (int k = 0; k < PERIODS; k++)
        grow(&g->periods[k], o, at[k], at[k + 1]);
    grow(&g->whole, o, at[0], at[LEAKS_QUARTERS - 1]);
    if (!o->is_alive)
        return;
    g->objects++;
    g->bytes += o->sample.weight;
    g->variance += w > size ? w * (w - size) : 0;
    g->age += w * span(o->sample.time_ns, o->told_ns);
    if (o->sample.weight > g->heaviest) {
        g->heaviest = o->sample.weight;
        g->stack = o->sample.stack;
    }
}

static double chance_of(const struct growth *g)
{
    return g->bytes > 0 ? exp(-g->bytes * g->bytes / (2 * g->squares)) : 1;
}

static bool is_candidate(const struct group *g, uint32_t groups)
{
    for (int k = 0; k < PERIODS; k++)
        if (chance_of(&g->periods[k]) > LEAKS_CHANCE_QUARTER)
            return false;
    return chance_of(&g->whole) * groups <= LEAKS_CHANCE;
}

static struct leak row_of(const struct group *g, const struct leaks *l)
{
    double hours = span(l->ends_ns[0], l->ends_ns[LEAKS_QUARTERS - 1]) / 3.6e12;
    struct leak row = {.class_name = g->class_name,
                       .site = g->site,
                       .stack = g->stack,
                       .objects = g->objects,
                       .bytes = g->bytes,
                       .error = sqrt(g->variance),
                       .growth = g->whole.bytes,
                       .growth_error = sqrt(g->whole.variance),
                       .per_hour = g->whole.bytes / hours,
                       .chance = chance_of(&g->whole),
                       .age_ns = g->bytes ? (uint64_t)fmin(fmax(g->age / (double)g->bytes, 0), 1e18) : 0};
    for (int k = 0; k < LEAKS_QUARTERS; k++)
        row.share_per_quarter[k] = g->at_end[LEAKS_QUARTERS - 1] > 0 ? g->at_end[k] / g->at_end[LEAKS_QUARTERS - 1] : 0;
    return row;
}

/* Returns the rank of a candidate: its growth minus two standard errors, times the mean age of its objects. Growth of young objects
 * counts less. */
static double rank_of(const struct leak *row)
{
    return fmax(row->growth - 2 * row->growth_error, row->growth / 100) * (double)row->age_ns;
}

static int by_rank(const void *left, const void *right)
{
    const struct leak *a = left, *b = right;
    double x = rank_of(a), y = rank_of(b);
    if (x != y)
        return x < y ? 1 : -1;
    return a->class_name != b->class_name ? (a->class_name > b->class_name) - (a->class_name < b->class_name)
                                          : (a->site > b->site) - (a->site < b->site);
}

static int choose(struct leaks *l, const struct groups *g)
{
    l->groups = g->count;
    for (uint32_t i = 0; i < g->count; i++) {
        if (!is_candidate(&g->list[i], g->count))
            continue;
        if (ARRAY_GROW(l->rows, l->cap, l->count))
            return -ENOMEM;
        l->rows[l->count++] = row_of(&g->list[i], l);
    }
    if (l->count)
        qsort(l->rows, l->count, sizeof *l->rows, by_rank);
    return 0;
}

/* Sums over looks, for a line of least squares. */
struct line {
    uint32_t count;
    double x, y, xx, xy;
};

static struct line line_through(const struct profile *p, bool only_old)
{
    struct line l = {0};
    for (uint32_t i = 0; i < p->live_set_count; i++) {
        const struct profile_live_set *s = &p->live_sets[i];
        if (!s->heap_used || (only_old && !is_after_old(s)))
            continue;
        double x = span(p->live_sets[0].time_ns, s->time_ns) / 3.6e12, y = (double)s->heap_used;
        l.count++;
        l.x += x;
        l.y += y;
        l.xx += x * x;
        l.xy += x * y;
    }
    return l;
}

double leaks_heap_per_hour(const struct profile *p)
{
    enum { LEAST = 3 };
    struct line l = line_through(p, true);
    if (l.count < LEAST)
        l = line_through(p, false);
    double spread = l.count * l.xx - l.x * l.x;
    return l.count >= LEAST && spread > 0 ? (l.count * l.xy - l.x * l.y) / spread : 0;
}

static int place_rows(struct map *places, const struct leaks *l)
{
    for (uint32_t i = 0; i < l->count; i++) {
        bool added;
        uint32_t *place = map_add(places, key_of(l->rows[i].class_name, l->rows[i].site), &added);
        if (!place)
            return -ENOMEM;
        *place = i;
    }
    return 0;
}

static int take_holders(struct leaks *l, const struct map *places, const struct profile *p, const struct profile_object *o)
{
    const uint32_t *row = map_find(places, key_of(allocated_class(p, o->sample.labels), site_of(p, o->sample.stack)));
    int rc = holders_take(&l->holders, p, o);
    return rc || !row ? rc : holders_take(&l->rows[*row].holders, p, o);
}

static int find_holders(struct leaks *l, const struct profile *p)
{
    struct map places;
    map_init(&places);
    int rc = place_rows(&places, l);
    for (uint32_t i = 0; !rc && i < p->object_count; i++)
        if (p->objects[i].is_alive && holders_are_told(p, &p->objects[i]))
            rc = take_holders(l, &places, p, &p->objects[i]);
    map_deinit(&places);
    rc = rc ? rc : holders_settle(&l->holders);
    for (uint32_t i = 0; !rc && i < l->count; i++)
        rc = holders_settle(&l->rows[i].holders);
    return rc;
}

static int find_candidates(struct leaks *l, const struct profile *p)
{
    struct groups g = {0};
    int rc = 0;
    map_init(&g.by_key);
    for (uint32_t i = 0; !rc && i < p->object_count; i++) {
        struct group *group = group_of(&g, p, &p->objects[i].sample);
        if (group)
            take(group, l, &p->objects[i]);
        else
            rc = -ENOMEM;
    }
    rc = rc ? rc : choose(l, &g);
    map_deinit(&g.by_key);
    free(g.list);
    return rc;
}

int leaks_find(struct leaks *l, const struct profile *p)
{
    *l = (struct leaks){0};
    l->is_too_short = !cut(l, p);
    int rc = l->is_too_short ? 0 : find_candidates(l, p);
    return rc ? rc : find_holders(l, p);
}

void leaks_deinit(struct leaks *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        holders_deinit(&l->rows[i].holders);
    holders_deinit(&l->holders);
    free(l->rows);
    *l = (struct leaks){0};
}
