/* Joins events of the same halt into one halt. */
#include "events/halt_parts.h"

#include "base/array.h"
#include "base/map.h"

#include <stdio.h>
#include <string.h>

enum { NEST_MAX = 8, CALLS_MAX = 64, PLACED_PERCENT = 99 };

/* Halts of one kind, by start. */
struct index {
    uint32_t *list;
    uint32_t count, cap;
};

/* ---- order ---- */

static int by_start(const void *left, const void *right)
{
    const struct halt *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

void halts_sort(struct halts *h)
{
    if (h->count)
        qsort(h->list, h->count, sizeof *h->list, by_start);
}

static int edges_by_start(const void *left, const void *right)
{
    const struct halt_edge *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (int)a->kind - (int)b->kind;
}

static int calls_by_start(const void *left, const void *right)
{
    const struct halt_call *a = left, *b = right;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static int index_of(struct index *x, const struct halts *h, enum halt_kind kind)
{
    x->count = 0;
    for (uint32_t i = 0; i < h->count; i++) {
        if (h->list[i].kind != kind)
            continue;
        if (ARRAY_GROW(x->list, x->cap, x->count))
            return -ENOMEM;
        x->list[x->count++] = i;
    }
    return 0;
}

/* Returns the number of halts that begin at this time or earlier. */
static uint32_t until(const struct halts *h, const struct index *x, int64_t ns)
{
    uint32_t low = 0, high = x->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (h->list[x->list[middle]].start_ns <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the innermost halt at this time; NULL = none. */
static struct halt *at_time(struct halts *h, const struct index *x, int64_t ns)
{
    uint32_t n = until(h, x, ns), stop = n > NEST_MAX ? n - NEST_MAX : 0;
    for (; n > stop; n--) {
        struct halt *one = &h->list[x->list[n - 1]];
        if (halt_end(one) >= ns)
            return one;
    }
    return NULL;
}

/* ---- collections ---- */

/* Names a pause: "G1New, G1 Evacuation Pause". If the pause is a part of a collection: "Z, Allocation Rate: Pause Mark Start". */
static int name_pause(struct halts *h, struct halt *pause, const struct halt_collection *c)
{
    char text[512];
    int rc = 0;
    const char *phase = halts_text(h, pause->what), *name = halts_text(h, c->name), *cause = halts_text(h, c->cause);
    bool whole = !*phase || !strcmp(phase, "GC Pause");
    int len = snprintf(text, sizeof text, "%s%s%s%s%s", name, *name && *cause ? ", " : "", cause, whole || !(*name || *cause) ? "" : ": ",
                       whole ? "" : phase);
    size_t kept = len < 0 ? 0 : (size_t)len < sizeof text ? (size_t)len : sizeof text - 1;
    pause->what = halt_string(h, text, kept, &rc);
    return rc;
}

static int name_pauses(struct halts *h, struct halt_parts *p)
{
    struct map by_id;
    int rc = 0;
    map_init(&by_id);
    for (uint32_t i = 0; !rc && i < p->collection_count; i++) {
        bool added;
        uint32_t *place = p->collections[i].told_by_agent ? NULL : map_add(&by_id, p->collections[i].id, &added);
        if (place)
            *place = i;
        else if (!p->collections[i].told_by_agent)
            rc = -ENOMEM;
    }
    for (uint32_t i = 0; !rc && i < h->count; i++) {
        struct halt *one = &h->list[i];
        uint32_t *place = one->kind == HALT_GC ? map_find(&by_id, one->id) : NULL;
        if (place) {
            p->collections[*place].used = true;
            rc = name_pause(h, one, &p->collections[*place]);
        }
    }
    map_deinit(&by_id);
    return rc;
}

static int add_pause(struct halts *h, const struct halt_collection *c)
{
    struct halt one = {.start_ns = c->start_ns, .ns = c->ns, .id = c->id, .count = 1, .kind = HALT_GC, .told_by_agent = c->told_by_agent};
    if (c->told_by_agent && c->pauses_ns) /* these are ns; the duration is in the file's ticks */
        one.ns = c->pauses_ns;
    int rc = name_pause(h, &one, c);
    return rc ? rc : halts_add(h, &one);
}

/* Adds collections without recorded pauses. A collection that is a single pause becomes that pause. The times of other collections'
 * pauses are unknown. */
static int add_collections(struct halts *h, struct halt_parts *p)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < p->collection_count; i++) {
        const struct halt_collection *c = &p->collections[i];
        if (c->used || c->told_by_agent || !c->pauses_ns)
            continue;
        if ((double)c->pauses_ns * 100 >= (double)c->ns * PLACED_PERCENT) {
            rc = add_pause(h, c);
        } else {
            h->unplaced++;
            h->unplaced_ns += c->pauses_ns;
        }
    }
    return rc;
}

/* Adds the agent's pauses, except those that the JDK reported, too. */
static int add_told_by_agent(struct halts *h, struct halt_parts *p, struct index *pauses)
{
    int rc = index_of(pauses, h, HALT_GC);
    for (uint32_t i = 0; !rc && i < p->collection_count; i++) {
        const struct halt_collection *c = &p->collections[i];
        if (!c->told_by_agent)
            continue;
        uint32_t n = until(h, pauses, c->start_ns + (int64_t)c->ns);
        if (n && halt_end(&h->list[pauses->list[n - 1]]) >= c->start_ns)
            h->told_twice++;
        else
            rc = add_pause(h, c);
    }
    return rc;
}

/* ---- waits ---- */

static int watches_by_start(const void *left, const void *right)
{
    const struct halt_watch *a = left, *b = right;
    return (a->from_ns > b->from_ns) - (a->from_ns < b->from_ns);
}

/* Sorts the watches. For any time, the last watch that begins before it then has the latest end of all earlier watches. */
static void sort_watches(struct halt_parts *p)
{
    int64_t monitors = INT64_MIN, parks = INT64_MIN;
    if (p->watch_count)
        qsort(p->watches, p->watch_count, sizeof *p->watches, watches_by_start);
    for (uint32_t i = 0; i < p->watch_count; i++) {
        struct halt_watch *w = &p->watches[i];
        monitors = w->to_ns > monitors ? w->to_ns : monitors;
        parks = w->parks && w->to_ns > parks ? w->to_ns : parks;
        w->monitors_to_ns = monitors;
        w->parks_to_ns = parks;
    }
}

static bool is_for_lock(const struct halt *one)
{
    return one->kind == HALT_MONITOR || one->kind == HALT_PARK;
}

static bool is_told_by_agent(const struct halt_parts *p, const struct halt *one)
{
    uint32_t low = 0, high = p->watch_count;
    if (one->told_by_agent || !is_for_lock(one))
        return false;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->watches[middle].from_ns <= one->start_ns)
            low = middle + 1;
        else
            high = middle;
    }
    const struct halt_watch *w = low ? &p->watches[low - 1] : NULL;
    return w && halt_end(one) <= (one->kind == HALT_MONITOR ? w->monitors_to_ns : w->parks_to_ns);
}

/* Drops the JDK's waits that the agent has, too. A wait that began before the agent's recording, or that continued after its end, is
 * kept, because only the JDK knows all of it. */
static void drop_waits_of_jdk(struct halts *h, const struct halt_parts *p)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < h->count; i++)
        if (!is_told_by_agent(p, &h->list[i]))
            h->list[kept++] = h->list[i];
    h->waits_told_twice += h->count - kept;
    h->count = kept;
}

static uint64_t waiter_of(const struct halt *one)
{
    return (uint64_t)one->thread << 8 | one->kind;
}

/* Finds the last open wait of each thread: its index in the list plus 1. */
static int find_open_waits(const struct halts *h, struct map *open)
{
    for (uint32_t i = 0; i < h->count; i++) {
        bool added;
        uint32_t *place = h->list[i].is_open && h->list[i].thread ? map_add(open, waiter_of(&h->list[i]), &added) : NULL;
        if (place)
            *place = i + 1;
        else if (h->list[i].is_open && h->list[i].thread)
            return -ENOMEM;
    }
    return 0;
}

/* Drops waits that had not ended when the agent's recording ended, if the JDK has a wait of the same thread at the same time. The JDK
 * knows how they ended. */
static void drop_open_waits(struct halts *h, const struct map *open)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < h->count; i++) {
        const struct halt *one = &h->list[i];
        const uint32_t *place = !one->told_by_agent && is_for_lock(one) ? map_find(open, waiter_of(one)) : NULL;
        struct halt *ours = place ? &h->list[*place - 1] : NULL;
        if (ours && ours->start_ns < halt_end(one) && one->start_ns < halt_end(ours))
            ours->count = 0;
    }
    for (uint32_t i = 0; i < h->count; i++)
        if (h->list[i].count || !h->list[i].is_open)
            h->list[kept++] = h->list[i];
    h->waits_told_twice += h->count - kept;
    h->count = kept;
}

static int join_waits(struct halts *h, const struct halt_parts *p)
{
    struct map open;
    drop_waits_of_jdk(h, p);
    map_init(&open);
    int rc = find_open_waits(h, &open);
    if (!rc)
        drop_open_waits(h, &open);
    map_deinit(&open);
    return rc;
}

/* ---- requesters ---- */

/* Returns the call of System.gc() that was active at this time, in this thread if one is given. */
static const struct halt_call *call_at(const struct halt_parts *p, int64_t ns, uint32_t thread)
{
    uint32_t low = 0, high = p->call_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->calls[middle].start_ns <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t stop = low > CALLS_MAX ? low - CALLS_MAX : 0; low > stop; low--) {
        const struct halt_call *c = &p->calls[low - 1];
        if (c->start_ns + (int64_t)c->ns >= ns && (!thread || c->thread == thread))
            return c;
    }
    return NULL;
}

static void ask_operations(struct halts *h, const struct halt_parts *p)
{
    for (uint32_t i = 0; i < h->count; i++) {
        struct halt *one = &h->list[i];
        const struct halt_call *call = one->kind == HALT_VM_OPERATION && one->by ? call_at(p, one->start_ns, one->by) : NULL;
        if (call && !one->site)
            one->site = call->site;
    }
}

static void ask_pauses(struct halts *h, const struct halt_parts *p, const struct index *operations)
{
    for (uint32_t i = 0; i < h->count; i++) {
        struct halt *one = &h->list[i];
        if (one->kind != HALT_GC)
            continue;
        const struct halt *operation = at_time(h, operations, one->start_ns);
        bool called = strstr(halts_text(h, one->what), "System.gc") != NULL;
        const struct halt_call *call = called ? call_at(p, one->start_ns, operation ? operation->by : 0) : NULL;
        one->by = call ? call->thread : operation ? operation->by : 0;
        one->site = call ? call->site : operation ? operation->site : 0;
    }
}

/* ---- safepoints ---- */

static bool same_id(uint64_t a, uint64_t b)
{
    return !a || !b || a == b;
}

/* Assigns the operations to a safepoint that begins at `s` and ends before the next one begins. The first operation is the safepoint's
 * purpose. */
static void take_operations(struct halts *h, const struct index *operations, struct halt *s, int64_t before_ns)
{
    int64_t end = halt_end(s);
    for (uint32_t i = until(h, operations, s->start_ns - 1); i < operations->count; i++) {
        const struct halt *o = &h->list[operations->list[i]];
        if (o->start_ns >= before_ns)
            break;
        if (!same_id(o->id, s->id))
            continue;
        if (!s->what) {
            s->what = o->what;
            s->by = o->by;
            s->site = o->site;
        }
        if (halt_end(o) > end)
            end = halt_end(o);
    }
    s->ns = halt_span(s->start_ns, end);
}

static void take_edges(const struct halt_parts *p, uint32_t begin, struct halt *s)
{
    for (uint32_t i = begin + 1; i < p->edge_count && p->edges[i].kind != HALT_EDGE_BEGIN; i++) {
        const struct halt_edge *e = &p->edges[i];
        if (!same_id(e->id, s->id))
            continue;
        if (e->kind == HALT_EDGE_SYNC && !s->sync_known) {
            s->sync_ns = e->ns;
            s->sync_from_ns = halt_span(s->start_ns, e->start_ns);
            s->sync_known = true;
        }
        if (e->kind == HALT_EDGE_END && e->start_ns + (int64_t)e->ns > halt_end(s))
            s->ns = halt_span(s->start_ns, e->start_ns + (int64_t)e->ns);
    }
}

static int add_safepoints(struct halts *h, const struct halt_parts *p, const struct index *operations)
{
    int rc = 0;
    int64_t before_ns = INT64_MAX;
    for (uint32_t i = p->edge_count; !rc && i-- > 0;) {
        const struct halt_edge *e = &p->edges[i];
        if (e->kind != HALT_EDGE_BEGIN)
            continue;
        struct halt s = {.start_ns = e->start_ns, .ns = e->ns, .id = e->id, .sync_ns = e->ns, .count = 1, .kind = HALT_SAFEPOINT};
        take_edges(p, i, &s);
        take_operations(h, operations, &s, before_ns);
        rc = halts_add(h, &s);
        before_ns = e->start_ns;
    }
    return rc;
}

static void sort_parts(struct halt_parts *p)
{
    if (p->edge_count)
        qsort(p->edges, p->edge_count, sizeof *p->edges, edges_by_start);
    if (p->call_count)
        qsort(p->calls, p->call_count, sizeof *p->calls, calls_by_start);
    sort_watches(p);
}

int halt_join(struct halts *h, struct halt_parts *p)
{
    struct index index = {0};
    sort_parts(p);
    int rc = join_waits(h, p);
    rc = rc ? rc : name_pauses(h, p);
    rc = rc ? rc : add_collections(h, p);
    halts_sort(h);
    rc = rc ? rc : add_told_by_agent(h, p, &index);
    halts_sort(h);
    rc = rc ? rc : index_of(&index, h, HALT_VM_OPERATION);
    if (!rc) {
        ask_operations(h, p);
        ask_pauses(h, p, &index);
        rc = add_safepoints(h, p, &index);
    }
    halts_sort(h);
    free(index.list);
    return rc;
}
