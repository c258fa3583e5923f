/* The event live without a JVM: which objects are watched, what the recording says about them, and that each reference is given back.
 * tier: quick
 * timeout: 120
 * sanitize: no
 *
 * The test plays the JVM: its thread calls alloc_take as the JVM's callback does. Its references are numbers. It decides which objects
 * are alive, and when a collection has ended. An object is recognized by its size. */
#include "../tap.h"
#include "session.h"

#include "agent/hot/calls/alloc.h"
#include "agent/record/jvm.h"
#include "agent/trigger/jvm/alloc_events.h"
#include "agent/trigger/jvm/heap_walks.h"
#include "agent/trigger/jvm/live_objects.h"
#include "agent/trigger/threads.h"
#include "base/time_units.h"
#include "profile/load/load_jfr.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OBJECTS = 1500, FIXED = 64 << 10, SIZE = 4096, STEP = 8, FEW = 64, MANY = 16384, WALK_NS = 400 * NS_PER_MS };

static char file[64], copy[64];

/* ---- the JVM ---- */

static struct {
    bool was_made, was_given_back;
    _Atomic bool is_alive;
} objects[OBJECTS];
static uint32_t collections_before; /* collections that the JVM does not count: objects are older than it says */
static int opened, closed, looks, given_back_twice, given_back_unmade;

static uint64_t size_of(int i)
{
    return SIZE + (uint64_t)i * STEP;
}

static int open_allocations(uint64_t interval, struct error *e)
{
    alloc_config.first_interval = FIXED;
    return 0;
}

static int refuse_allocations(uint64_t interval, struct error *e)
{
    return error_set(e, -16, "another agent samples");
}

static bool set_interval(uint64_t interval)
{
    return true;
}

static int open_references(struct error *e)
{
    opened++;
    return 0;
}

static void close_references(void)
{
    closed++;
}

static bool look(const uintptr_t *references, bool *is_alive, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        is_alive[i] = objects[references[i] - 1].is_alive;
    looks++;
    return true;
}

static bool forget(const uintptr_t *references, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        given_back_twice += objects[references[i] - 1].was_given_back;
        given_back_unmade += !objects[references[i] - 1].was_made;
        objects[references[i] - 1].was_given_back = true;
    }
    return true;
}

static _Atomic bool ended;

static void *allocate(void *unused)
{
    threads_java_begin(0, 7, "allocates");
    for (int i = 0; i < OBJECTS; i++) {
        struct alloc_event event = {.signature = i % 3 ? "Lcom/shop/Order;" : "[B", .size = size_of(i)};
        objects[i].is_alive = true;
        if (alloc_wants_reference()) {
            objects[i].was_made = true;
            event.reference = (uintptr_t)i + 1;
            event.collections = live_collections() - collections_before;
        }
        if (!alloc_take(&event) && event.reference)
            forget(&event.reference, 1);
    }
    threads_java_end();
    ended = true;
    return NULL;
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* A pause ends, and the agent's thread has looked at the objects. */
static void collect(uint64_t heap_used)
{
    int before = looks;
    live_pauses_add(now(), heap_used);
    while (looks == before) {
        collect_tick();
        usleep(2000);
    }
}

/* ---- a recording ---- */

static bool start(uint32_t max)
{
    struct collect_options o = {
        .events = COLLECT_ALLOC | COLLECT_LIVE, .interval_ns = 10 * NS_PER_MS, .alloc = {.interval = FIXED}, .live = {.max = max}};
    snprintf(o.file, sizeof o.file, "%s", file);
    memset(objects, 0, sizeof objects);
    ended = false;
    opened = closed = looks = given_back_twice = given_back_unmade = 0;
    return session_start_with(&o);
}

static void allocate_all(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, allocate, NULL);
    while (!ended) {
        collect_tick();
        usleep(1000);
    }
    collect_tick();
    pthread_join(thread, NULL);
    collect_tick();
}

/* One of every `of` objects lives on. */
static void let_die(int of)
{
    for (int i = 0; i < OBJECTS; i++)
        objects[i].is_alive = objects[i].is_alive && i % of == 0;
}

static bool load(struct profile *p, const char *path)
{
    struct error e;
    profile_init(p);
    p->kind = PROFILE_LIVE;
    return tap_ok(!profile_load_jfr(p, path, &e), "the recording can be read");
}

static int64_t book(const struct profile *p, const char *account, uint64_t *count)
{
    const struct profile_book *line = profile_book(p, account, "");
    *count = line ? line->count : 0;
    return line ? line->ns : 0;
}

static int number_of(const struct profile_object *o)
{
    return (int)((o->size - SIZE) / STEP);
}

static bool is_known(const struct profile_object *o)
{
    return o->size >= SIZE && (o->size - SIZE) % STEP == 0 && number_of(o) < OBJECTS;
}

static void check_references(const char *what)
{
    int made = 0, left = 0;
    for (int i = 0; i < OBJECTS; i++) {
        made += objects[i].was_made;
        left += objects[i].was_made && !objects[i].was_given_back;
    }
    tap_ok(made && !left && !given_back_twice && !given_back_unmade, "%s: of %d references all are given back, once", what, made);
    tap_ok(opened == 1 && closed == 1, "%s: and the JVM gets no more of it", what);
}

static void check_books(const struct profile *p, const char *what)
{
    uint64_t all, watched, dead, displaced, without, made, given_back;
    int64_t bytes = book(p, "alloc_bytes", &all);
    int64_t sum = book(p, "live_watched_bytes", &watched) + book(p, "live_dead_bytes", &dead) +
                  book(p, "live_displaced_bytes", &displaced) + book(p, "live_unreferenced_bytes", &without);
    book(p, "live_references_made", &made);
    book(p, "live_references_given_back", &given_back);
    tap_ok(all && sum == bytes && watched + dead + displaced + without == all,
           "%s: the books balance: %" PRIu64 " = %" PRIu64 " watched, %" PRIu64 " dead, %" PRIu64 " displaced, %" PRIu64 " without", what,
           all, watched, dead, displaced, without);
    tap_ok(made == all - without && given_back <= made && made - given_back <= 2 * MANY, "%s: and so do those of references", what);
}

/* All recorded objects have the right values. */
static void check_objects(const struct profile *p, int alive_of, int before_of, const char *what)
{
    int wrong = 0;
    for (uint32_t i = 0; i < p->object_count; i++) {
        const struct profile_object *o = &p->objects[i];
        bool lives = is_known(o) && number_of(o) % alive_of == 0, lived = is_known(o) && number_of(o) % before_of == 0;
        const struct profile_label *label = &p->labels[o->sample.labels];
        bool is_array = is_known(o) && number_of(o) % 3 == 0;
        wrong += !is_known(o) || (o->is_alive ? !lives : lives || !lived) || o->sample.time_ns >= o->told_ns ||
                 strcmp(profile_text(p, label->value), is_array ? "byte[]" : "com.shop.Order") ||
                 strcmp(profile_text(p, o->sample.outcome), "unreadable");
    }
    tap_ok(p->object_count && !wrong, "%s: %u objects, alive or dead as they are, with class, time and outcome", what, p->object_count);
}

static uint64_t weight_of(int of, int *count)
{
    uint64_t sum = 0;
    *count = 0;
    for (int i = 0; i < OBJECTS; i += of) {
        sum += alloc_weight(size_of(i), FIXED);
        ++*count;
    }
    return sum;
}

/* If there is room for all of them, all are recorded, with the weights of their samples. */
static void test_whole(void)
{
    struct profile p;
    struct error e;
    uint64_t bytes;
    int alive, before;
    if (!tap_ok(start(MANY), "a recording begins"))
        return;
    allocate_all();
    let_die(2);
    collect(30 << 20);
    let_die(10);
    collect(20 << 20);
    tap_ok(!collect_dump(0, copy, -1, 0, &bytes, &e), "and is copied");
    let_die(20);
    live_pauses_add(now(), 25 << 20);
    tap_ok(session_stop(), "and ends");
    check_references("with room");
    if (!load(&p, copy))
        return;
    uint64_t weight = weight_of(10, &alive);
    tap_ok((int)p.sample_count == alive && p.weight == weight, "the copy has the %d that were alive", alive);
    profile_deinit(&p);
    if (!load(&p, file))
        return;
    weight = weight_of(20, &alive);
    tap_ok((int)p.sample_count == alive && p.weight == weight, "the file has the %d that are alive in the end, and not the set of the copy",
           alive);
    tap_ok(p.unit == PROFILE_UNIT_BYTES && !strcmp(profile_text(&p, p.value), "inuse_space"), "in bytes of inuse_space");
    check_objects(&p, 20, 2, "with room");
    weight_of(2, &before);
    tap_ok((int)p.object_count == before, "and all that had outlived a collection, dead or alive: %d", before);
    check_books(&p, "with room");
    tap_ok(p.live_set_count == 3 && p.live_sets[0].heap_used == 30 << 20 && p.live_sets[1].heap_used == 20 << 20 &&
               p.live_sets[2].heap_used == 25 << 20 && (int)p.live_sets[0].objects == before && p.live_sets[2].bytes == p.weight,
           "what each collection left");
    tap_ok(!p.problem_count, "nothing is wrong with it");
    profile_deinit(&p);
}

/* Most objects are displaced, and the remaining ones stand for them. */
static void test_few(void)
{
    struct profile p;
    double variance = 0;
    int alive;
    if (!tap_ok(start(FEW), "a recording that watches %d", FEW))
        return;
    allocate_all();
    let_die(2);
    collect(0);
    tap_ok(session_stop(), "ends");
    check_references("with few");
    if (!load(&p, file))
        return;
    uint64_t truth = weight_of(2, &alive);
    for (uint32_t i = 0; i < p.object_count; i++) {
        double b = (double)p.objects[i].sample.weight, w = (double)alloc_weight(p.objects[i].size, FIXED);
        variance += p.objects[i].is_alive ? b * (b - w) : 0;
    }
    tap_ok(p.sample_count > 10 && p.sample_count <= FEW, "%u of %d are there", p.sample_count, alive);
    tap_ok(fabs((double)p.weight - (double)truth) <= 6 * sqrt(variance),
           "they stand for %" PRIu64 " of %" PRIu64 " bytes, standard error %.0f", p.weight, truth, sqrt(variance));
    tap_ok(sqrt(variance) < 0.5 * (double)truth, "which is not just anything");
    check_objects(&p, 2, 1, "with few");
    check_books(&p, "with few");
    profile_deinit(&p);
}

/* Samples arrive when the agent's thread drains them. Collections that happened meanwhile have examined their objects. */
static void test_late(void)
{
    struct profile p;
    pthread_t thread;
    uint64_t weight;
    int alive;
    if (!tap_ok(start(MANY), "a recording whose samples come late"))
        return;
    collect(30 << 20);
    pthread_create(&thread, NULL, allocate, NULL);
    pthread_join(thread, NULL);
    let_die(2);
    collect(20 << 20);
    tap_ok(session_stop(), "ends");
    check_references("late");
    if (!load(&p, file))
        return;
    weight = weight_of(2, &alive);
    tap_ok((int)p.sample_count == alive && p.weight == weight, "of those that a collection has looked at meanwhile, %d, all are alive",
           alive);
    tap_ok(p.live_set_count == 2 && (int)p.live_sets[1].objects == alive, "as of that collection");
    check_books(&p, "late");
    profile_deinit(&p);
}

/* Later than the look itself, with no further collection. */
static void test_too_late(void)
{
    struct profile p;
    uint64_t weight;
    int alive;
    if (!tap_ok(start(MANY), "a recording whose samples come after the look"))
        return;
    collect(30 << 20);
    collections_before = 1;
    allocate_all();
    collections_before = 0;
    let_die(2);
    tap_ok(session_stop(), "ends");
    check_references("after the look");
    if (!load(&p, file))
        return;
    weight = weight_of(2, &alive);
    tap_ok((int)p.sample_count == alive && p.weight == weight, "of those that had been looked at by then, %d, all are alive", alive);
    tap_ok(p.live_set_count == 1 && (int)p.live_sets[0].objects == alive, "as of that collection, of which the last word is reported");
    check_books(&p, "after the look");
    profile_deinit(&p);
}

/* Without a collection nobody knows which objects are alive. */
static void test_none(void)
{
    struct profile p;
    if (!tap_ok(start(MANY), "a recording without a collection"))
        return;
    allocate_all();
    tap_ok(session_stop() && !looks, "ends, and nobody has looked");
    check_references("without a collection");
    if (!load(&p, file))
        return;
    tap_ok(!p.sample_count && !p.object_count && !p.live_set_count, "it tells of no object");
    check_books(&p, "without a collection");
    profile_deinit(&p);
}

static uint64_t used(void)
{
    return 1 << 20;
}

static bool open_heap(struct path_search *s, const uintptr_t *references)
{
    return true;
}

static void *burn_walk(void *unused)
{
    const struct alloc_event event = {.signature = "[B", .size = SIZE};
    threads_java_begin(0, 8, "walks");
    alloc_take(&event);
    burn(WALK_NS);
    threads_java_end();
    return NULL;
}

/* Runs as if on a thread of the JVM. */
static bool walk(struct path_search *s)
{
    pthread_t thread;
    return !pthread_create(&thread, NULL, burn_walk, NULL) && !pthread_join(thread, NULL);
}

static bool classify(struct path_search *s)
{
    return true;
}

static void name(struct path_search *s, struct strtab *strings)
{
}

static void close_heap(void)
{
}

/* The books of a copy include activity during walks. At the end nothing is sampled any more, so the books lack nothing there. Without a
 * walk they lack a few intervals of each thread. */
static void check_walked(const char *path, const char *what)
{
    struct profile p;
    if (!load(&p, path))
        return;
    const struct profile_book *residual = profile_book(&p, "residual", ""), *lost = profile_book(&p, "alloc_lost_bytes", "no_thread");
    tap_ok(residual && llabs(residual->ns) < WALK_NS / 2, "%s: no residual of CPU time: %" PRId64, what, residual ? residual->ns : 0);
    tap_ok(!lost || !lost->count, "%s: no allocation is lost", what);
    profile_deinit(&p);
}

static void test_walked(void)
{
    struct profile p;
    struct error e;
    uint64_t bytes;
    struct collect_options o = {.events = COLLECT_CPU | COLLECT_ALLOC | COLLECT_LIVE,
                                .interval_ns = 10 * NS_PER_MS,
                                .alloc = {.interval = FIXED},
                                .live = {.max = MANY, .paths_ns = 600 * NS_PER_S}};
    snprintf(o.file, sizeof o.file, "%s", file);
    memset(objects, 0, sizeof objects);
    heap_walks = (struct heap_walks){used, open_heap, walk, classify, name, close_heap};
    ended = false;
    if (!tap_ok(session_start_with(&o), "a recording with the event cpu, and paths"))
        return;
    allocate_all();
    collect(30 << 20);
    tap_ok(!collect_dump(0, copy, -1, o.live.paths_ns, &bytes, &e) && session_stop(), "is copied, and ends");
    check_walked(copy, "walks for a copy");
    check_walked(file, "walks at the end");
    if (!load(&p, file))
        return;
    const struct profile_book *walked = profile_book(&p, "paths_walked", "");
    tap_ok(walked && walked->count == 2 && walked->ns >= 2 * (int64_t)WALK_NS, "walks are booked");
    profile_deinit(&p);
}

static void test_refused(void)
{
    alloc_events.open = refuse_allocations;
    tap_ok(!start(MANY) && strstr(session_error.text, "another agent") && opened == 1 && closed == 1 && !alloc_wants_reference(),
           "where allocations are refused, references are not wanted either");
    alloc_events.open = open_allocations;
    jvm_facts.java_version = 8;
    tap_ok(!start(MANY) && strstr(session_error.text, "SampledObjectAlloc") && strstr(session_error.text, "this is Java 8") && !opened,
           "on Java 8 the error says what is missing");
    jvm_facts.java_version = 0;
    tap_ok(access(file, F_OK) != 0, "and there is no file");
    struct collect_options o = {.events = COLLECT_ALLOC, .interval_ns = 10 * NS_PER_MS, .alloc = {.interval = FIXED}};
    snprintf(o.file, sizeof o.file, "%s", file);
    tap_ok(session_start_with(&o) && !alloc_wants_reference() && session_stop(), "the event alloc alone wants none");
}

int main(void)
{
    snprintf(file, sizeof file, "/tmp/candor-test-live-%d.jfr", getpid());
    snprintf(copy, sizeof copy, "/tmp/candor-test-live-%d-copy.jfr", getpid());
    alloc_events = (struct alloc_events){open_allocations, set_interval};
    live_objects = (struct live_objects){open_references, close_references, look, forget};
    test_whole();
    test_few();
    test_late();
    test_too_late();
    test_none();
    test_walked();
    unlink(file);
    test_refused();
    unlink(file);
    unlink(copy);
    return tap_done();
}
