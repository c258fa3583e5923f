#include "agent/collect/live/paths.h"

#include "agent/hotspot/counters.h"
#include "agent/paths/path_choice.h"
#include "agent/paths/path_plan.h"
#include "agent/record/jvm.h"
#include "agent/record/names/reason.h"
#include "agent/trigger/jvm/heap_walks.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNTERS_WAITS = 50, COUNTERS_WAIT_NS = NS_PER_MS, STATIC = 8 };

static struct {
    struct recording *recording;
    struct path_search *search; /* the last search; NULL: there was none, or no memory */
    uint32_t *sample_of;        /* for each object: its sample, 0 = not chosen */
    uint32_t count;
    uint32_t outcome_symbols[PATH_OUTCOMES];
    struct path_plan plan;
    /* Totals of all searches. */
    uint32_t searches, walks;
    uint64_t elapsed_ns, stopped_ns, safepoints;
} session;

/* ---- choice of objects ---- */

static bool choose(const struct paths_object *objects, uint32_t count, uintptr_t *references, uint32_t *samples)
{
    struct path_candidate *list = calloc(count ? count : 1, sizeof *list);
    for (uint32_t i = 0; list && i < count; i++)
        list[i] = (struct path_candidate){objects[i].group, objects[i].born_ns, objects[i].bytes, i};
    bool good = list && !path_choice_sort(list, count, session.recording->start_ticks, clock_monotonic_ns());
    *samples = !good ? 0 : count < PATH_SAMPLES_MAX ? count : PATH_SAMPLES_MAX;
    for (uint32_t i = 0; i < *samples; i++) {
        references[i] = objects[list[i].place].reference;
        session.sample_of[list[i].place] = i + 1;
    }
    free(list);
    return good;
}

/* ---- walks ---- */

struct stops {
    uint64_t safepoints, ticks;
};

static struct stops count_stops(void)
{
    return (struct stops){counters_value(counters.safepoints), counters_value(counters.safepoint_ticks)};
}

/* Adds the safepoints since `before` to the totals. The JVM counts a safepoint after it is over, which may be after our call has
 * returned. */
static void book_stops(struct stops before, uint32_t walks)
{
    const struct timespec pause = {.tv_nsec = COUNTERS_WAIT_NS};
    struct stops now = count_stops();
    for (int i = 0; i < COUNTERS_WAITS && counters.safepoints && now.safepoints - before.safepoints < walks; i++) {
        nanosleep(&pause, NULL);
        now = count_stops();
    }
    session.safepoints += now.safepoints - before.safepoints;
    if (counters_find_clock())
        session.stopped_ns += counters_ns(now.ticks - before.ticks);
}

static void walk_once(struct path_search *s)
{
    struct path_plan *plan = &session.plan;
    uint64_t begin = clock_monotonic_ns();
    path_search_begin(s, begin + path_plan_limit(plan));
    bool good = heap_walks.walk(s);
    uint64_t took = clock_monotonic_ns() - begin;
    path_plan_took(plan, took);
    path_search_end(s, !good);
    session.walks++;
    session.elapsed_ns += took;
    if (!heap_walks.classify(s))
        s->stop = PATH_FAILED; /* the search cannot tell references that hold objects from those that do not */
    path_search_settle(s);
}

static bool may_walk(void)
{
    path_plan_heap(&session.plan, heap_walks.used());
    return path_plan_allows(&session.plan);
}

static void walk_all(struct path_search *s)
{
    struct stops before = count_stops();
    while (!s->stop && path_search_wanted(s) && may_walk())
        walk_once(s);
    if (!s->stop && path_search_wanted(s))
        s->stop = PATH_BUDGET;
    book_stops(before, session.plan.walks);
}

/* ---- results of the search ---- */

/* Marks the nodes and edges of a sample's path. A node has the same next edge on every path, because complete paths are shortest paths, and
 * incomplete paths share no node with complete ones. */
static void mark_path(struct path_search *s, uint32_t sample)
{
    enum path_outcome outcome = path_search_outcome(s, sample);
    uint32_t node = sample, edge;
    while ((edge = path_search_way(s, node, outcome)) && !s->nodes[node].is_on_path) {
        s->nodes[node].is_on_path = s->edges[edge].is_on_path = true;
        node = s->edges[edge].holder;
    }
    if (outcome == PATH_FOUND || node != sample)
        s->nodes[node].is_on_path = true;
}

static const char *const root_systems[PATH_ROOTS] = {
    [PATH_ROOT_CLASS] = "Class Loader Data", [PATH_ROOT_JNI_GLOBAL] = "JNI Global", [PATH_ROOT_THREAD] = "Threads",
    [PATH_ROOT_MONITOR] = "Monitors",        [PATH_ROOT_OTHER] = "<unknown>",       [PATH_ROOT_STACK] = "Threads",
    [PATH_ROOT_JNI_LOCAL] = "Threads",
};
static const char *const root_types[PATH_ROOTS] = {
    [PATH_ROOT_CLASS] = "<unknown>",
    [PATH_ROOT_JNI_GLOBAL] = "Global JNI Handle",
    [PATH_ROOT_THREAD] = "<unknown>",
    [PATH_ROOT_MONITOR] = "<unknown>",
    [PATH_ROOT_OTHER] = "<unknown>",
    [PATH_ROOT_STACK] = "Stack Variable",
    [PATH_ROOT_JNI_LOCAL] = "Local JNI Handle",
};

/* Returns the marked edge on the path that leads on from the node. */
static uint32_t marked_way(const struct path_search *s, uint32_t node)
{
    const struct path_node *n = &s->nodes[node];
    if (n->distance != UINT32_MAX)
        return n->way && s->edges[n->way].is_on_path ? n->way : 0;
    for (uint32_t e = n->edges; e; e = s->edges[e].next)
        if (s->edges[e].is_on_path)
            return e;
    return 0;
}

static void tell(const struct path_search *s, uint32_t node, uint32_t first, struct jfr_held_object *out)
{
    const struct path_node *n = &s->nodes[node];
    uint32_t way = marked_way(s, node);
    *out = (struct jfr_held_object){.class_name = n->class_name, .description = n->description};
    if (way) {
        const struct path_edge *e = &s->edges[way];
        out->holder = first + e->holder - 1;
        out->is_element = e->kind == PATH_ELEMENT;
        out->array_size = s->nodes[e->holder].length;
        out->array_index = e->index;
        out->field = e->field_name;
        out->modifiers = e->is_static ? STATIC : 0;
    } else if (n->root) {
        out->root_system = root_systems[n->root];
        out->root_type = root_types[n->root];
        out->root_description = n->root_description;
    }
}

static void keep_names(struct path_search *s)
{
    struct names *names = &session.recording->names;
    for (uint32_t i = 1; i <= s->samples; i++)
        mark_path(s, i);
    heap_walks.name(s, &names->strings);
    if (held_reserve(&names->held, s->node_count))
        return;
    for (uint32_t n = 1; n <= s->node_count; n++)
        tell(s, n, names->held.first, &names->held.list[n - 1]);
}

/* ---- the log ---- */

static void log_line(const char *level, const char *text)
{
    jfr_write_log(session.recording->writer, clock_monotonic_ns(), level, text);
}

static void log_search(const struct path_search *s)
{
    char text[300], a[32], b[32], c[32];
    const struct path_plan *p = &session.plan;
    uint32_t found = 0;
    for (uint32_t i = 1; i <= s->samples; i++)
        found += s->nodes[i].distance != UINT32_MAX;
    units_format_duration(b, sizeof b, p->budget);
    if (!p->walks && s->stop == PATH_BUDGET) {
        snprintf(text, sizeof text,
                 "paths: not searched: with %s of the heap in use, a walk of the heap would stop all threads for about %s, but only %s is "
                 "allowed; allow more with --paths",
                 units_format_bytes(a, sizeof a, path_plan_bytes(p)), units_format_duration(c, sizeof c, path_plan_need(p)), b);
        log_line("warning", text);
        return;
    }
    const char *end = s->stop == PATH_BUDGET    ? "; another walk would have exceeded that"
                      : s->stop == PATH_ABORTED ? "; the last one was aborted"
                                                : "";
    snprintf(text, sizeof text, "paths: found for %u of %u objects, by %u walks of the heap, in %s of the allowed %s%s", found, s->samples,
             p->walks, units_format_duration(a, sizeof a, p->spent), b, end);
    log_line(p->spent > p->budget ? "warning" : "info", text);
}

/* ---- the whole ---- */

static void forget(void)
{
    path_search_free(session.search);
    free(session.sample_of);
    session.search = NULL;
    session.sample_of = NULL;
    session.count = 0;
}

static void search(const uintptr_t *references, uint32_t samples, uint64_t budget_ns, uint64_t heap_used)
{
    struct path_search *s = session.search = samples ? path_search_new(samples) : NULL;
    if (!s)
        return;
    path_plan_begin(&session.plan, budget_ns, heap_used ? heap_used : heap_walks.used(), jvm_facts.java_version);
    if (!heap_walks.open(s, references)) {
        s->stop = PATH_FAILED;
        log_line("warning", "paths: this JVM does not allow walks of its heap");
        return;
    }
    path_search_settle(s); /* some objects may be gone */
    walk_all(s);
    keep_names(s);
    heap_walks.close();
    log_search(s);
}

void paths_search(struct recording *r, const struct paths_object *objects, uint32_t count, uint64_t budget_ns, uint64_t heap_used)
{
    uintptr_t references[PATH_SAMPLES_MAX];
    uint32_t samples;
    forget();
    session.recording = r;
    session.sample_of = calloc(count ? count : 1, sizeof *session.sample_of);
    if (!heap_walks.open || !session.sample_of)
        return;
    session.count = count;
    session.searches++;
    for (int i = 0; i < PATH_OUTCOMES; i++)
        session.outcome_symbols[i] = strtab_add_text(&r->names.strings, path_outcome_names[i]);
    if (choose(objects, count, references, &samples))
        search(references, samples, budget_ns, heap_used);
}

/* Returns the last node of the path. */
static uint32_t end_of(const struct path_search *s, uint32_t node)
{
    for (uint32_t way, steps = 0; (way = marked_way(s, node)) && steps < PATH_NODES_MAX; steps++)
        node = s->edges[way].holder;
    return node;
}

void paths_describe(uint32_t i, struct jfr_old_object *o)
{
    struct path_search *s = session.search;
    const struct held *held = &session.recording->names.held;
    uint32_t sample = i < session.count ? session.sample_of[i] : 0;
    if (i >= session.count)
        return;
    enum path_outcome outcome = !s ? PATH_FAILED : !sample ? PATH_NOT_CHOSEN : path_search_outcome(s, sample);
    o->path = session.outcome_symbols[outcome];
    if (!sample || !s || s->node_count != held->count || !s->nodes[sample].is_on_path)
        return;
    o->object = held->first + sample - 1;
    o->has_holder = marked_way(s, sample) != 0;
    o->root = outcome == PATH_FOUND ? held->first + end_of(s, sample) - 1 : 0;
    o->elements = s->nodes[sample].length;
}

void paths_write(struct jfr_writer *w, jfr_write_book *write, uint64_t now)
{
    if (!session.searches)
        return;
    write(w, now, account_name[ACCOUNT_PATHS_WALKED], "", (int64_t)session.elapsed_ns, session.walks);
    write(w, now, account_name[ACCOUNT_PATHS_STOPPED], "", (int64_t)session.stopped_ns, session.safepoints);
}

void paths_stop(void)
{
    forget();
    memset(&session, 0, sizeof session);
}
