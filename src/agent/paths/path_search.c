#include "agent/paths/path_search.h"

#include "base/text/units.h"

#include <stdlib.h>

enum { CLOCK_EVERY = 1 << 13 /* references between two reads of the clock */ };

const char *const path_outcome_names[PATH_OUTCOMES] = {
    [PATH_FOUND] = "found",   [PATH_BUDGET] = "budget", [PATH_ABORTED] = "aborted", [PATH_UNREACHED] = "unreached",
    [PATH_BEYOND] = "beyond", [PATH_GONE] = "gone",     [PATH_FAILED] = "failed",   [PATH_NOT_CHOSEN] = "not_chosen",
};

/* The number of references that a root of each kind counts as. Roots on a stack count as farther away, because they may be gone a moment
 * later. */
static const uint32_t root_distances[PATH_ROOTS] = {
    [PATH_ROOT_CLASS] = 0, [PATH_ROOT_JNI_GLOBAL] = 1, [PATH_ROOT_THREAD] = 1,    [PATH_ROOT_MONITOR] = 3,
    [PATH_ROOT_OTHER] = 2, [PATH_ROOT_STACK] = 3,      [PATH_ROOT_JNI_LOCAL] = 3,
};

static const struct path_node new_node = {.length = -1, .distance = UINT32_MAX};

struct path_search *path_search_new(uint32_t samples)
{
    struct path_search *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->nodes = calloc(PATH_NODES_MAX + 1, sizeof *s->nodes);
    s->edges = calloc(PATH_EDGES_MAX + 1, sizeof *s->edges);
    if (!s->nodes || !s->edges || samples > PATH_SAMPLES_MAX) {
        path_search_free(s);
        return NULL;
    }
    s->samples = s->node_count = samples;
    for (uint32_t n = 1; n <= samples; n++) {
        s->nodes[n] = new_node;
        s->nodes[n].is_wanted = true;
    }
    s->first_new = samples + 1;
    s->first_new_edge = 1;
    return s;
}

void path_search_free(struct path_search *s)
{
    if (!s)
        return;
    free(s->nodes);
    free(s->edges);
    free(s);
}

static bool is_open(const struct path_node *n)
{
    return n->is_wanted && !n->is_gone && !n->has_answer;
}

uint32_t path_search_wanted(const struct path_search *s)
{
    uint32_t count = 0;
    for (uint32_t n = 1; n <= s->node_count; n++)
        count += is_open(&s->nodes[n]);
    return count;
}

/* ---- a walk ---- */

void path_search_begin(struct path_search *s, uint64_t deadline_ns)
{
    s->deadline_ns = deadline_ns;
    s->references = 0;
    s->is_broken_off = false;
    s->first_new = s->node_count + 1;
    s->first_new_edge = s->edge_count + 1;
    for (uint32_t n = 1; n <= s->node_count; n++)
        s->nodes[n].is_asked = is_open(&s->nodes[n]);
}

static bool goes_on(struct path_search *s)
{
    if (++s->references % CLOCK_EVERY == 0 && clock_monotonic_ns() >= s->deadline_ns)
        s->is_broken_off = true;
    return !s->is_broken_off;
}

/* Returns the node for which this walk looks, or NULL. */
static struct path_node *asked_for(struct path_search *s, int64_t tag)
{
    struct path_node *n = tag > 0 && tag <= s->node_count ? &s->nodes[tag] : NULL;
    return n && n->is_asked ? n : NULL;
}

bool path_search_root(struct path_search *s, enum path_root root, int64_t thread, int64_t held, int32_t length)
{
    struct path_node *n = asked_for(s, held);
    if (n) {
        n->length = length;
        if (!n->root || root_distances[root] < root_distances[n->root]) {
            n->root = root;
            n->thread = thread;
        }
    }
    return goes_on(s);
}

/* Whether the edge is known. References from several elements of one array count as one edge. References from several fields of one object
 * are separate, because one of them may hold nothing. */
static bool is_known(const struct path_search *s, const struct path_node *held, uint32_t holder, enum path_kind kind, int32_t index)
{
    for (uint32_t e = held->edges; e; e = s->edges[e].next)
        if (s->edges[e].holder == holder && s->edges[e].kind == kind && (kind == PATH_ELEMENT || s->edges[e].index == index))
            return true;
    return false;
}

static bool has_room(const struct path_search *s, const struct path_node *held, int64_t holder)
{
    return held->edge_count < PATH_REFERRERS_MAX && s->edge_count < PATH_EDGES_MAX && (holder || s->node_count < PATH_NODES_MAX);
}

static void add_holder(struct path_search *s, enum path_kind kind, int32_t index, int64_t *tag, uint32_t held)
{
    struct path_node *n = &s->nodes[held];
    if (*tag == held || (*tag && is_known(s, n, (uint32_t)*tag, kind, index)))
        return;
    if (!has_room(s, n, *tag)) {
        n->is_beyond = true;
        return;
    }
    if (!*tag) {
        *tag = ++s->node_count;
        s->nodes[*tag] = new_node;
        s->nodes[*tag].level = n->level + 1;
    }
    s->edges[++s->edge_count] = (struct path_edge){.holder = (uint32_t)*tag, .held = held, .next = n->edges, .index = index, .kind = kind};
    n->edges = s->edge_count;
    n->edge_count++;
}

bool path_search_reference(struct path_search *s, enum path_kind kind, int32_t index, int64_t *holder, int64_t held, int32_t length)
{
    struct path_node *n = asked_for(s, held);
    if (n) {
        n->length = length;
        add_holder(s, kind, index, holder, (uint32_t)held);
    }
    return goes_on(s);
}

void path_search_end(struct path_search *s, bool has_failed)
{
    if (has_failed || s->is_broken_off) {
        s->stop = has_failed ? PATH_FAILED : PATH_ABORTED;
        return;
    }
    for (uint32_t n = 1; n <= s->node_count; n++)
        s->nodes[n].has_answer |= s->nodes[n].is_asked;
    if (++s->walks == PATH_WALKS_MAX)
        s->stop = PATH_BEYOND;
}

/* ---- between walks ---- */

void path_search_drop(struct path_search *s, uint32_t edge)
{
    s->edges[edge].is_dropped = true;
}

void path_search_anchor(struct path_search *s, uint32_t node, enum path_root root)
{
    s->nodes[node].root = root;
}

static void measure(struct path_search *s)
{
    bool has_changed = true;
    for (uint32_t n = 1; n <= s->node_count; n++) {
        s->nodes[n].distance = s->nodes[n].root ? root_distances[s->nodes[n].root] : UINT32_MAX;
        s->nodes[n].way = 0;
    }
    while (has_changed) {
        has_changed = false;
        for (uint32_t e = 1; e <= s->edge_count; e++) {
            const struct path_edge *edge = &s->edges[e];
            uint32_t from = s->nodes[edge->holder].distance;
            struct path_node *held = &s->nodes[edge->held];
            if (edge->is_dropped || from == UINT32_MAX || from + 1 >= held->distance)
                continue;
            held->distance = from + 1;
            held->way = e;
            has_changed = true;
        }
    }
}

/* Marks the nodes that may lead to a sample without a path. */
static void want(struct path_search *s)
{
    bool has_changed = true;
    for (uint32_t n = 1; n <= s->node_count; n++)
        s->nodes[n].is_wanted = n <= s->samples && !s->nodes[n].is_gone && s->nodes[n].distance == UINT32_MAX;
    while (has_changed) {
        has_changed = false;
        for (uint32_t e = 1; e <= s->edge_count; e++) {
            const struct path_edge *edge = &s->edges[e];
            if (edge->is_dropped || !s->nodes[edge->held].is_wanted || s->nodes[edge->holder].is_wanted)
                continue;
            s->nodes[edge->holder].is_wanted = true;
            has_changed = true;
        }
    }
}

void path_search_settle(struct path_search *s)
{
    measure(s);
    want(s);
}

/* ---- results ---- */

struct rest {
    bool is_beyond, has_more; /* somewhere above: some holders were left out, or have not been searched for */
};

static void look_above(struct path_search *s, uint32_t node, struct rest *rest)
{
    struct path_node *n = &s->nodes[node];
    n->mark = s->mark;
    rest->is_beyond |= n->is_beyond;
    rest->has_more |= !n->has_answer;
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t e = 1; e <= s->edge_count; e++) {
            const struct path_edge *edge = &s->edges[e];
            struct path_node *holder = &s->nodes[edge->holder];
            if (edge->is_dropped || s->nodes[edge->held].mark != s->mark || holder->mark == s->mark)
                continue;
            holder->mark = s->mark;
            rest->is_beyond |= holder->is_beyond;
            rest->has_more |= !holder->has_answer;
            has_changed = true;
        }
    }
}

enum path_outcome path_search_outcome(struct path_search *s, uint32_t sample)
{
    const struct path_node *n = &s->nodes[sample];
    struct rest rest = {false, false};
    if (n->is_gone)
        return PATH_GONE;
    if (n->distance != UINT32_MAX)
        return PATH_FOUND;
    s->mark++;
    look_above(s, sample, &rest);
    if (rest.has_more)
        return s->stop ? s->stop : PATH_BUDGET;
    return rest.is_beyond ? PATH_BEYOND : PATH_UNREACHED;
}

uint32_t path_search_way(const struct path_search *s, uint32_t node, enum path_outcome outcome)
{
    if (outcome == PATH_FOUND)
        return s->nodes[node].way;
    if (outcome != PATH_BUDGET && outcome != PATH_ABORTED && outcome != PATH_BEYOND)
        return 0;
    for (uint32_t e = s->nodes[node].edges; e; e = s->edges[e].next)
        if (!s->edges[e].is_dropped && s->nodes[s->edges[e].holder].level > s->nodes[node].level)
            return e;
    return 0;
}
