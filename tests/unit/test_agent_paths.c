/* What holds objects: the search in artificial heaps, how many walks fit into a budget, which objects to search for, and which field is
 * meant.
 * tier: quick
 * timeout: 60 */
#include "../tap.h"

#include "agent/paths/field_index.h"
#include "agent/paths/path_choice.h"
#include "agent/paths/path_plan.h"
#include "base/map.h"
#include "base/time_units.h"
#include "fake_heap.h"

#include <stdlib.h>
#include <string.h>

static struct fake_heap heap;
static uint64_t seed = 1;

static uint32_t draw(uint32_t below)
{
    return (uint32_t)(hash_mix(++seed * UINT64_C(0x9e3779b97f4a7c15)) % below);
}

/* ---- the search ---- */

enum { VALUE = 2, TABLE = 3, CACHE = 4, BUCKETS = 16 };

/* Orders.cache -> HashMap.table -> Node[] -> Node.value -> object. Returns the map. */
static uint32_t make_map(uint32_t *objects, uint32_t count)
{
    uint32_t orders = fake_heap_object(&heap), map = fake_heap_object(&heap), table = fake_heap_object(&heap);
    heap.is_class[orders] = true;
    fake_heap_refer(&heap, orders, map, PATH_STATIC_FIELD, CACHE);
    fake_heap_refer(&heap, map, table, PATH_FIELD, TABLE);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = fake_heap_object(&heap);
        objects[i] = fake_heap_object(&heap);
        fake_heap_refer(&heap, table, node, PATH_ELEMENT, (int32_t)(BUCKETS + i));
        fake_heap_refer(&heap, node, objects[i], PATH_FIELD, VALUE);
    }
    return map;
}

static struct path_search *search(const uint32_t *samples, uint32_t count, uint32_t walks_max, uint32_t *walks)
{
    struct path_search *s = path_search_new(count);
    fake_heap_ready(&heap);
    fake_heap_tag(&heap, samples, count);
    uint32_t n = fake_heap_search(&heap, s, walks_max);
    if (walks)
        *walks = n;
    return s;
}

/* "field 2, element, field 3, static field 4", from the sample on. */
static const char *path_of(struct path_search *s, uint32_t sample)
{
    static const char *const kinds[PATH_KINDS] = {
        [PATH_FIELD] = "field", [PATH_STATIC_FIELD] = "static field", [PATH_ELEMENT] = "element", [PATH_CLASS] = "class"};
    static char text[1000];
    enum path_outcome outcome = path_search_outcome(s, sample);
    uint32_t node = sample, edge;
    size_t used = 0;
    text[0] = 0;
    while ((edge = path_search_way(s, node, outcome)) && used < sizeof text - 40) {
        const struct path_edge *e = &s->edges[edge];
        used += (size_t)snprintf(text + used, sizeof text - used, e->kind == PATH_ELEMENT ? "%s%s" : "%s%s %d", used ? ", " : "",
                                 kinds[e->kind], (int)e->index);
        node = e->holder;
    }
    return text;
}

static void test_map(void)
{
    uint32_t objects[100], walks, found = 0;
    fake_heap_init(&heap);
    make_map(objects, 100);
    struct path_search *s = search(objects, 100, 10, &walks);
    for (uint32_t i = 1; i <= 100; i++)
        found += path_search_outcome(s, i) == PATH_FOUND && !strcmp(path_of(s, i), "field 2, element, field 3, static field 4");
    tap_ok(found == 100 && walks == 4, "a static map is found in four walks, for all it holds (%u, %u)", found, walks);
    tap_ok(s->node_count == 100 + 100 + 3, "what they share has one tag (%u)", s->node_count);
    path_search_free(s);
    s = search(objects, 100, 2, NULL);
    tap_ok(path_search_outcome(s, 5) == PATH_BUDGET && !strcmp(path_of(s, 5), "field 2, element"),
           "after two walks two steps are known: %s", path_of(s, 5));
    path_search_free(s);
    s = search(objects, 100, 0, NULL);
    tap_ok(path_search_outcome(s, 5) == PATH_BUDGET && !*path_of(s, 5), "without one none, which does not mean that there is no path");
    path_search_free(s);
}

/* An order and its items refer to each other; a list that is not searched for also has the order. */
static void test_circle(void)
{
    uint32_t objects[1];
    fake_heap_init(&heap);
    make_map(objects, 1);
    uint32_t item = fake_heap_object(&heap);
    fake_heap_refer(&heap, objects[0], item, PATH_FIELD, 1);
    fake_heap_refer(&heap, item, objects[0], PATH_FIELD, 0);
    struct path_search *s = search((uint32_t[]){objects[0], item}, 2, 10, NULL);
    tap_ok(!strcmp(path_of(s, 1), "field 2, element, field 3, static field 4"), "what refers back to an object does not hold it: %s",
           path_of(s, 1));
    tap_ok(!strcmp(path_of(s, 2), "field 1, field 2, element, field 3, static field 4"), "and is held by it: %s", path_of(s, 2));
    path_search_free(s);
}

static void test_weak(void)
{
    fake_heap_init(&heap);
    uint32_t reference = fake_heap_object(&heap), object = fake_heap_object(&heap), inner = fake_heap_object(&heap);
    heap.roots[reference] = PATH_ROOT_JNI_GLOBAL;
    fake_heap_refer_weakly(&heap, reference, object);
    fake_heap_refer(&heap, object, inner, PATH_FIELD, 0);
    struct path_search *s = search((uint32_t[]){object, inner}, 2, 10, NULL);
    tap_ok(path_search_outcome(s, 1) == PATH_UNREACHED && path_search_outcome(s, 2) == PATH_UNREACHED && !*path_of(s, 2),
           "a weak reference holds nothing");
    path_search_free(s);
}

static void test_roots(void)
{
    uint32_t objects[1];
    fake_heap_init(&heap);
    uint32_t map = make_map(objects, 1), thread = fake_heap_object(&heap), local = fake_heap_object(&heap), own = fake_heap_object(&heap);
    heap.roots[map] = PATH_ROOT_STACK; /* a method that runs right now refers to it */
    heap.roots[thread] = PATH_ROOT_THREAD;
    fake_heap_refer(&heap, thread, local, PATH_FIELD, 9);
    fake_heap_refer(&heap, own, objects[0], PATH_FIELD, 0); /* not reached by anything */
    struct path_search *s = search((uint32_t[]){objects[0], local, own}, 3, 10, NULL);
    tap_ok(!strcmp(path_of(s, 1), "field 2, element, field 3, static field 4"), "a static field is named before a running method: %s",
           path_of(s, 1));
    const struct path_edge *e = &s->edges[path_search_way(s, 2, PATH_FOUND)];
    tap_ok(e->index == 9 && s->nodes[e->holder].root == PATH_ROOT_THREAD && !s->nodes[e->holder].way, "a thread is a root");
    tap_ok(path_search_outcome(s, 3) == PATH_UNREACHED, "garbage is not reached");
    path_search_free(s);
}

/* What a walk has not reached is unknown; what it has reached is known. */
static void test_abort(void)
{
    uint32_t objects[2];
    fake_heap_init(&heap);
    make_map(objects, 2);
    uint32_t first = fake_heap_object(&heap);
    heap.roots[first] = PATH_ROOT_OTHER; /* similar objects come first: the stack is taken from the end */
    for (uint32_t i = 0, last = first; i < FAKE_OBJECTS_MAX - 100; i++, last++)
        fake_heap_refer(&heap, last, fake_heap_object(&heap), PATH_FIELD, 0);
    fake_heap_ready(&heap);
    fake_heap_tag(&heap, objects, 2);
    struct path_search *s = path_search_new(2);
    path_search_begin(s, 0);
    bool done = fake_heap_walk(&heap, s);
    path_search_end(s, false);
    fake_heap_classify(&heap, s);
    tap_ok(!done && heap.told < FAKE_OBJECTS_MAX - 200, "a walk ends at its deadline (%llu references)", (unsigned long long)heap.told);
    tap_ok(path_search_outcome(s, 1) == PATH_ABORTED && s->stop && path_search_wanted(s) == 2, "and says nothing of what it has not seen");
    path_search_free(s);
}

static void test_bounds(void)
{
    uint32_t objects[1];
    fake_heap_init(&heap);
    for (int i = 0; i < 3 * PATH_REFERRERS_MAX; i++) {
        uint32_t reference = fake_heap_object(&heap);
        heap.roots[reference] = PATH_ROOT_OTHER;
        if (!i)
            objects[0] = fake_heap_object(&heap);
        fake_heap_refer_weakly(&heap, reference, objects[0]);
    }
    uint32_t holder = fake_heap_object(&heap);
    heap.is_class[holder] = true;
    struct path_search *s = search(objects, 1, 10, NULL);
    tap_ok(path_search_outcome(s, 1) == PATH_BEYOND && s->nodes[1].edge_count == PATH_REFERRERS_MAX,
           "more referrers than it remembers: it says so");
    path_search_free(s);
    fake_heap_init(&heap); /* an array with the same object a thousand times, then another that a root has */
    uint32_t object = fake_heap_object(&heap), array = fake_heap_object(&heap), other = fake_heap_object(&heap);
    heap.roots[array] = PATH_ROOT_OTHER;
    heap.roots[other] = PATH_ROOT_JNI_GLOBAL;
    for (int i = 0; i < 1000; i++)
        fake_heap_refer(&heap, array, object, PATH_ELEMENT, i);
    fake_heap_refer(&heap, other, object, PATH_FIELD, 0);
    s = search(&object, 1, 10, NULL);
    tap_ok(s->nodes[1].edge_count == 2 && !strcmp(path_of(s, 1), "field 0"), "an array is one referrer, however often (%u)",
           s->nodes[1].edge_count);
    path_search_free(s);
}

static void test_many(void)
{
    uint32_t samples[PATH_SAMPLES_MAX];
    fake_heap_init(&heap);
    for (uint32_t i = 0; i < PATH_SAMPLES_MAX; i++)
        samples[i] = fake_heap_object(&heap);
    for (int i = 0; i < FAKE_OBJECTS_MAX - PATH_SAMPLES_MAX - 1; i++) { /* nothing but holders of holders */
        uint32_t object = fake_heap_object(&heap);
        heap.roots[object] = draw(100) ? PATH_NO_ROOT : PATH_ROOT_OTHER;
        fake_heap_refer(&heap, object, 1 + draw(object - 1), PATH_FIELD, 0);
        fake_heap_refer(&heap, object, 1 + draw(object - 1), PATH_FIELD, 1);
    }
    uint32_t walks, told = 0;
    struct path_search *s = search(samples, PATH_SAMPLES_MAX, PATH_WALKS_MAX, &walks);
    for (uint32_t i = 1; i <= PATH_SAMPLES_MAX; i++)
        told += path_search_outcome(s, i) != PATH_BUDGET;
    tap_ok(s->node_count <= PATH_NODES_MAX && s->edge_count <= PATH_EDGES_MAX && told == PATH_SAMPLES_MAX && walks < PATH_WALKS_MAX,
           "a heap of more holders than it remembers is searched to an end (%u nodes, %u edges, %u walks)", s->node_count, s->edge_count,
           walks);
    path_search_free(s);
}

/* ---- random heaps, compared with a search in the forward direction ---- */

static void reach(bool *is_reached)
{
    bool has_changed = true;
    for (uint32_t i = 1; i <= heap.object_count; i++)
        is_reached[i] = heap.roots[i] || heap.is_class[i];
    while (has_changed) {
        has_changed = false;
        for (uint32_t i = 0; i < heap.reference_count; i++) {
            const struct fake_reference *r = &heap.references[i];
            if (r->is_weak || !is_reached[r->from] || is_reached[r->to])
                continue;
            is_reached[r->to] = has_changed = true;
        }
    }
}

static void make_any(uint32_t objects)
{
    fake_heap_init(&heap);
    while (heap.object_count < objects) {
        uint32_t object = fake_heap_object(&heap);
        heap.roots[object] = draw(20) ? PATH_NO_ROOT : (enum path_root)(PATH_ROOT_JNI_GLOBAL + draw(PATH_ROOTS - PATH_ROOT_JNI_GLOBAL));
        heap.is_class[object] = !draw(30);
    }
    for (uint32_t i = 1, count; i <= objects; i++) {
        count = draw(4);
        for (uint32_t k = 0; k < count; k++)
            if (draw(5))
                fake_heap_refer(&heap, i, 1 + draw(objects), draw(2) ? PATH_FIELD : PATH_STATIC_FIELD, (int32_t)k);
            else
                fake_heap_refer_weakly(&heap, i, 1 + draw(objects));
    }
}

/* Every step is a strong reference of the heap, and the holder of the last one is a root. */
static bool is_path(const struct path_search *s, uint32_t sample)
{
    uint32_t node = sample, steps = 0;
    for (uint32_t edge; (edge = path_search_way(s, node, PATH_FOUND)) && steps < PATH_NODES_MAX; steps++) {
        const struct path_edge *e = &s->edges[edge];
        uint32_t from = fake_heap_at(&heap, e->holder), to = fake_heap_at(&heap, e->held);
        bool is_there = false;
        for (uint32_t i = heap.first[from]; i < heap.first[from + 1]; i++)
            is_there |= heap.references[i].to == to && heap.references[i].kind == e->kind && !heap.references[i].is_weak;
        if (!is_there || e->held != node)
            return false;
        node = e->holder;
    }
    uint32_t object = fake_heap_at(&heap, node);
    return steps < PATH_NODES_MAX && (heap.roots[object] || heap.is_class[object]);
}

static void test_any(void)
{
    enum { RUNS = 300, OBJECTS = 150, SAMPLES = 12 };
    static bool is_reached[FAKE_OBJECTS_MAX + 1];
    uint32_t wrong = 0, found = 0, unreached = 0;
    for (int run = 0; run < RUNS; run++) {
        uint32_t samples[SAMPLES];
        make_any(OBJECTS);
        for (uint32_t i = 0; i < SAMPLES; i++) {
            samples[i] = 1 + i * (OBJECTS / SAMPLES) + draw(OBJECTS / SAMPLES);
            heap.is_class[samples[i]] = false; /* nobody samples a class */
        }
        reach(is_reached);
        struct path_search *s = search(samples, SAMPLES, PATH_WALKS_MAX, NULL);
        for (uint32_t i = 1; i <= SAMPLES; i++) {
            enum path_outcome outcome = path_search_outcome(s, i);
            found += outcome == PATH_FOUND;
            unreached += outcome == PATH_UNREACHED;
            bool is_held = is_reached[samples[i - 1]];
            wrong += outcome == PATH_FOUND ? !is_held || !is_path(s, i) : outcome != PATH_UNREACHED || is_held;
        }
        path_search_free(s);
    }
    tap_ok(!wrong && found > RUNS && unreached > RUNS,
           "in %d heaps every path is one, and who is held has one (%u found, %u not held, %u wrong)", RUNS, found, unreached, wrong);
}

/* ---- the budget ---- */

static void test_plan(void)
{
    struct path_plan p;
    path_plan_begin(&p, 200 * NS_PER_MS, UINT64_C(1) << 30, 21);
    path_plan_heap(&p, UINT64_C(1) << 30);
    tap_ok(!path_plan_allows(&p) && p.next > 8000 * NS_PER_MS && p.next < 12000 * NS_PER_MS, "1 GiB is not walked in 200 ms");
    path_plan_begin(&p, 200 * NS_PER_MS, 16 << 20, 21);
    path_plan_heap(&p, UINT64_C(1) << 30);
    tap_ok(path_plan_allows(&p) && path_plan_limit(&p) == 180 * NS_PER_MS, "16 MiB are, however much garbage there is");
    path_plan_took(&p, 60 * NS_PER_MS);
    tap_ok(path_plan_allows(&p) && p.next == 75 * NS_PER_MS, "the next is reckoned from it");
    path_plan_took(&p, 70 * NS_PER_MS);
    tap_ok(!path_plan_allows(&p) && p.spent == 130 * NS_PER_MS && p.walks == 2, "and does not begin where it would not fit");
    path_plan_took(&p, 100 * NS_PER_MS);
    tap_ok(!path_plan_allows(&p), "nor after one that took longer than reckoned");
    path_plan_begin(&p, 0, 0, 21);
    path_plan_heap(&p, 0);
    path_plan_took(&p, 1);
    tap_ok(!path_plan_allows(&p), "nothing is nothing");
}

/* Up to JDK 17 the whole heap is swept after a walk. */
static void test_sweeps(void)
{
    struct path_plan p;
    path_plan_begin(&p, 200 * NS_PER_MS, 8 << 20, 17);
    path_plan_heap(&p, 800 << 20);
    tap_ok(!path_plan_allows(&p) && path_plan_need(&p) > 1000 * NS_PER_MS && path_plan_bytes(&p) > 800 << 20,
           "800 MiB of garbage are not swept in 200 ms");
    path_plan_heap(&p, 40 << 20);
    uint64_t sweep = p.sweep;
    tap_ok(path_plan_allows(&p) && sweep > 50 * NS_PER_MS && sweep < 60 * NS_PER_MS && path_plan_limit(&p) == 200 * NS_PER_MS - sweep,
           "40 MiB are");
    path_plan_took(&p, 60 * NS_PER_MS);
    path_plan_heap(&p, 40 << 20);
    tap_ok(path_plan_allows(&p) && path_plan_need(&p) == 75 * NS_PER_MS, "the next one takes as long, with its sweep");
    path_plan_heap(&p, 100 << 20);
    tap_ok(!path_plan_allows(&p) && path_plan_need(&p) > 140 * NS_PER_MS, "and longer where there is more garbage by then");
    path_plan_begin(&p, 200 * NS_PER_MS, 8 << 20, 11);
    path_plan_heap(&p, 80 << 20);
    path_plan_took(&p, 20 * NS_PER_MS);
    path_plan_heap(&p, 160 << 20);
    tap_ok(path_plan_allows(&p) && path_plan_need(&p) < 50 * NS_PER_MS && path_plan_limit(&p) > 130 * NS_PER_MS,
           "a walk that was quick tells that its sweep was, too");
}

/* ---- the choice ---- */

static void test_choice(void)
{
    enum { LEAK = 1, QUEUE, STARTUP, EACH = 300 };
    struct path_candidate list[3 * EACH];
    uint32_t leaks = 0, ages[PATH_CHOICE_QUARTERS] = {0};
    for (uint32_t i = 0; i < 3 * EACH; i++) {
        uint64_t group = 1 + i % 3, at = i / 3;
        uint64_t born = group == LEAK ? at * 1000 / EACH : group == QUEUE ? 950 + at % 50 : at % 200;
        list[i] = (struct path_candidate){.group = group, .bytes = group == LEAK ? 10 : 1000, .place = i, .born_ns = born};
    }
    tap_ok(!path_choice_sort(list, 3 * EACH, 0, 1000), "objects are brought into an order");
    for (uint32_t i = 0; i < PATH_CHOICE_TURN; i++) {
        leaks += list[i].group == LEAK;
        ages[list[i].born_ns / 250]++;
    }
    tap_ok(leaks >= PATH_CHOICE_TURN - 1, "what grew in all quarters is first, before what is more (%u)", leaks);
    tap_ok(ages[0] && ages[1] && ages[2] && ages[3], "of all ages");
    uint32_t counts[4] = {0};
    uint64_t places = 0;
    for (uint32_t i = 0; i < 3 * EACH; i++) {
        counts[i < PATH_SAMPLES_MAX ? list[i].group : 0]++;
        places += list[i].place;
    }
    tap_ok(counts[LEAK] > 50 && counts[QUEUE] > 50 && counts[STARTUP] > 50, "but the others have their turns (%u, %u, %u)", counts[LEAK],
           counts[QUEUE], counts[STARTUP]);
    tap_ok(places == (uint64_t)3 * EACH * (3 * EACH - 1) / 2, "and none is lost");
    struct path_candidate one = {.group = 1};
    tap_ok(!path_choice_sort(&one, 1, 5, 5) && !path_choice_sort(NULL, 0, 0, 0), "few are no matter");
}

/* ---- field indices ---- */

/* The example of JVMTI's specification: interface I0 { int p = 0 }, I1 extends I0 { int x = 1 }, I2 extends I0 { int y = 2 }, class
 * C1 implements I1 { public static int a; private int b }, C2 extends C1 implements I2 { static int q; final int z }. */
static bool field_is(const struct field_counts *c, int32_t index, uint32_t class_place, uint32_t field)
{
    uint32_t found_class = 99, found = 99;
    return field_index_find(c, index, &found_class, &found) && found_class == class_place && found == field;
}

static void test_fields(void)
{
    const struct field_counts c1 = {2, {2, 0}, 2}, c2 = {3, {2, 2, 0}, 3}, i1 = {1, {1}, 1}, none = {0, {0}, 0};
    uint32_t a, b;
    tap_ok(field_is(&c1, 2, 0, 0) && field_is(&c1, 3, 0, 1), "of C1 a is 2, b is 3");
    tap_ok(field_is(&c2, 3, 1, 0) && field_is(&c2, 4, 1, 1) && field_is(&c2, 5, 0, 0) && field_is(&c2, 6, 0, 1),
           "of C2 a is 3, b is 4, q is 5, z is 6");
    tap_ok(field_is(&i1, 1, 0, 0), "of I1 x is 1");
    tap_ok(!field_index_find(&c2, 2, &a, &b) && !field_index_find(&c2, 7, &a, &b) && !field_index_find(&c2, -1, &a, &b) &&
               !field_index_find(&none, 0, &a, &b),
           "and others are none");
}

int main(void)
{
    test_map();
    test_circle();
    test_weak();
    test_roots();
    test_abort();
    test_bounds();
    test_many();
    test_any();
    test_plan();
    test_sweeps();
    test_choice();
    test_fields();
    return tap_done();
}
