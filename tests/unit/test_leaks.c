/* Leak candidates in simulated programs: objects that grow are found. Objects that stay as they are, fill up once, or wait for their
 * collection are not.
 * tier: quick
 * timeout: 60
 *
 * A group that does not grow is named as a candidate with a chance of at most 1e-6 in a recording, and a group that grows in two of
 * three quarters with 1e-4. The seeds are fixed. */
#include "../tap.h"

#include "base/map.h"
#include "base/time_units.h"
#include "profile/allocated.h"
#include "profile/figures/leaks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS = 120, RUNS = 300 };
static const int64_t start = INT64_C(1700000000) * NS_PER_S;

static uint64_t seed;

static double draw(void)
{
    return ((double)(hash_mix(++seed * UINT64_C(0x9e3779b97f4a7c15)) >> 11) + 0.5) * 0x1p-53;
}

/* The behavior of a class's objects, with times in seconds. */
struct behaviour {
    const char *class_name, *package, *method;
    double per_second;   /* sampled objects that outlive a collection */
    double from, to;     /* when they are born */
    double lifetime;     /* 0 = for ever */
    bool is_exponential; /* that is the mean */
    double old_every;    /* how often a collection of old objects finds their garbage; 0 = the next collection finds it */
};

static uint32_t stack_of(struct profile *p, const struct behaviour *b)
{
    static const char *const jdk[] = {"java.util.HashMap", "java.util.HashMap"};
    char name[64];
    uint32_t class_name, text, method, frame, stack = 0;
    snprintf(name, sizeof name, "%s.Service", b->package);
    profile_string(p, name, strlen(name), &class_name);
    profile_string(p, b->method, strlen(b->method), &text);
    profile_method(p, class_name, text, 0, &method);
    profile_frame(p, method, 7, 0, JFR_FRAME_INLINED, &frame);
    profile_stack(p, stack, frame, &stack);
    for (size_t i = 0; i < 2; i++) {
        profile_string(p, jdk[i], strlen(jdk[i]), &class_name);
        profile_string(p, i ? "newNode" : "put", i ? 7 : 3, &text);
        profile_method(p, class_name, text, 0, &method);
        profile_frame(p, method, 1, 0, JFR_FRAME_C2, &frame);
        profile_stack(p, stack, frame, &stack);
    }
    return stack;
}

static void add_object(struct profile *p, const struct profile_object *o)
{
    if (p->object_count == p->object_cap) {
        p->object_cap = p->object_cap ? 2 * p->object_cap : 1024;
        p->objects = realloc(p->objects, p->object_cap * sizeof *p->objects);
    }
    p->objects[p->object_count++] = *o;
}

/* It is found dead by the first look after its end; there is a look at each whole NS_PER_S. */
static void live_out(struct profile *p, const struct behaviour *b, double born, uint32_t stack, uint32_t labels)
{
    double life = !b->lifetime ? 10 * SECONDS : b->is_exponential ? -b->lifetime * log(draw()) : b->lifetime;
    double end = born + life, every = b->old_every > 0 ? b->old_every : 1, found = ceil(end / every) * every;
    if (floor(end) <= ceil(born)) /* it has not survived a collection */
        return;
    uint64_t size = 100 + (uint64_t)(draw() * 100);
    struct profile_object o = {.sample = {.time_ns = start + (int64_t)(born * NS_PER_S),
                                          .weight = 500000 + (uint64_t)(draw() * 500000),
                                          .stack = stack,
                                          .labels = labels,
                                          .count = 1},
                               .size = size,
                               .is_alive = found > SECONDS};
    o.told_ns = start + (int64_t)(o.is_alive ? SECONDS : found) * NS_PER_S;
    add_object(p, &o);
}

static void behave(struct profile *p, const struct behaviour *b)
{
    uint32_t stack = stack_of(p, b), name, labels = 0;
    allocated_name(p, b->class_name, strlen(b->class_name), &name);
    allocated_label(p, name, &labels);
    for (double at = b->from - log(draw()) / b->per_second; at < b->to; at -= log(draw()) / b->per_second)
        live_out(p, b, at, stack, labels);
}

/* old_every: how often there is a collection of old objects; 0 = never. */
static void make(struct profile *p, const struct behaviour *list, int count, int old_every)
{
    uint32_t name, value;
    profile_init(p);
    p->kind = PROFILE_LIVE;
    p->start_ns = start;
    p->duration_ns = (uint64_t)SECONDS * NS_PER_S;
    profile_string(p, "live_old_collections", 20, &name);
    profile_string(p, "counted", 7, &value);
    profile_set_setting(p, name, value);
    p->live_sets = calloc(SECONDS, sizeof *p->live_sets);
    p->live_set_count = p->live_set_cap = SECONDS;
    for (int i = 0; i < SECONDS; i++)
        p->live_sets[i] = (struct profile_live_set){.time_ns = start + (i + 1) * NS_PER_S,
                                                    .collections = (uint64_t)i + 1,
                                                    .old_collections = old_every ? (uint64_t)((i + 1) / old_every) : 0,
                                                    .old_before = old_every ? (uint64_t)(i / old_every) : 0};
    for (int i = 0; i < count; i++)
        behave(p, &list[i]);
}

#define ALL .from = 0, .to = SECONDS

static const struct behaviour leak = {"com.shop.Customer", "com.shop", "add", 2, ALL};
static const struct behaviour quiet[] = {
    {"Bounded", "com.shop", "queue", 20, ALL, .lifetime = 10},
    {"LongBounded", "com.shop", "cache", 5, ALL, .lifetime = 50},
    {"Random", "com.shop", "session", 20, ALL, .lifetime = 8, .is_exponential = true},
    {"Startup", "com.shop", "load", 40, .from = 0, .to = 25},
    {"Step", "com.shop", "reload", 40, .from = 65, .to = 80},
    {"Rare", "com.shop", "rare", 0.05, ALL},
};
enum { QUIET = sizeof quiet / sizeof *quiet };

static void test_found(void)
{
    struct behaviour list[QUIET + 1];
    int missed = 0, others = 0, wrong = 0;
    memcpy(list, quiet, sizeof quiet);
    list[QUIET] = leak;
    seed = 1;
    for (int run = 0; run < RUNS; run++) {
        struct profile p;
        struct leaks l;
        make(&p, list, QUIET + 1, 1);
        if (leaks_find(&l, &p) || l.is_too_short || l.proof != LEAKS_PROVED)
            missed++;
        else if (!l.count || strcmp(profile_text(&p, l.rows[0].class_name), leak.class_name) ||
                 strcmp(profile_text(&p, l.rows[0].site), "com.shop.Service.add"))
            missed++;
        others += l.count > 1;
        /* Two objects a second of 750 kB each, for 90 s. */
        double truth = 2 * 90 * 750e3;
        wrong += l.count && fabs(l.rows[0].growth - truth) > 6 * l.rows[0].growth_error + 3 * 750e3;
        leaks_deinit(&l);
        profile_deinit(&p);
    }
    /* 60 come in a quarter, and 19 are enough: the chance of fewer is 1e-9. */
    tap_ok(!missed, "what leaks is the first candidate, by the program's own method, in %d recordings", RUNS);
    tap_ok(!others, "and the only one");
    tap_ok(!wrong, "its growth is what it grew by");
}

static void test_quiet(void)
{
    int found = 0;
    seed = 1 << 20;
    for (int run = 0; run < RUNS; run++) {
        struct profile p;
        struct leaks l;
        make(&p, quiet, QUIET, 1);
        leaks_find(&l, &p);
        found += l.count != 0 || l.groups < QUIET - 1; /* there may be no object of a rare class */
        leaks_deinit(&l);
        profile_deinit(&p);
    }
    tap_ok(!found, "bounded queues and caches, sessions, what is loaded once, and what is rare are none");
}

/* A queue whose garbage is found only every 25 s: more of it is there at 30, 60, 90 and 120 s. */
static void test_garbage(void)
{
    const struct behaviour list[] = {{"Queue", "com.shop", "queue", 20, ALL, .lifetime = 5, .old_every = 25}};
    struct profile p;
    struct leaks l;
    seed = 1 << 21;
    make(&p, list, 1, 25);
    leaks_find(&l, &p);
    tap_ok(!l.count && l.proof == LEAKS_PROVED, "garbage that waits for its collection is no leak");
    leaks_deinit(&l);
    profile_deinit(&p);
    const struct behaviour never[] = {{"Queue", "com.shop", "queue", 20, ALL, .lifetime = 5, .old_every = 10 * SECONDS}};
    make(&p, never, 1, 0);
    leaks_find(&l, &p);
    tap_ok(l.count == 1 && l.proof == LEAKS_NO_OLD_COLLECTION, "and where that never came, this is reported");
    leaks_deinit(&l);
    profile_deinit(&p);
}

/* One look in each quarter, just after its collection of old objects. */
static void test_few_looks(void)
{
    struct profile p;
    struct leaks l;
    seed = 1 << 23;
    make(&p, &leak, 1, SECONDS / LEAKS_QUARTERS);
    for (uint32_t i = 0; i < LEAKS_QUARTERS; i++)
        p.live_sets[i] = p.live_sets[(i + 1) * (SECONDS / LEAKS_QUARTERS) - 1];
    p.live_set_count = LEAKS_QUARTERS;
    leaks_find(&l, &p);
    tap_ok(l.count == 1 && l.proof == LEAKS_PROVED, "a look in each quarter is enough, that in the first one, too");
    leaks_deinit(&l);
    p.live_sets[2].old_before = p.live_sets[2].old_collections;
    leaks_find(&l, &p);
    tap_ok(l.count == 1 && l.proof == LEAKS_NO_OLD_COLLECTION, "but no proof where one of them has seen no old objects");
    leaks_deinit(&l);
    profile_deinit(&p);
}

static void test_order(void)
{
    struct behaviour list[] = {leak, leak};
    struct profile p;
    struct leaks l;
    list[0].class_name = "Small";
    list[1].class_name = "Large";
    list[1].per_second = 6;
    seed = 1 << 22;
    make(&p, list, 2, 1);
    leaks_find(&l, &p);
    tap_ok(l.count == 2 && !strcmp(profile_text(&p, l.rows[0].class_name), "Large"), "what grows more comes first");
    tap_ok(l.count == 2 && l.rows[0].bytes > l.rows[1].bytes && l.rows[0].chance <= 1e-6 / 2 && l.rows[0].age_ns > 40 * NS_PER_S &&
               l.rows[0].age_ns < 80 * NS_PER_S,
           "with what lives, and its age, half of the time");
    leaks_deinit(&l);
    profile_deinit(&p);
}

static void test_short(void)
{
    struct profile p;
    struct leaks l;
    seed = 1 << 23;
    make(&p, &leak, 1, 1);
    p.live_set_count = 3;
    for (uint32_t i = 0; i < p.object_count; i++)
        p.objects[i].told_ns = p.live_sets[2].time_ns;
    tap_ok(!leaks_find(&l, &p) && l.is_too_short && !l.count, "three looks are too few");
    leaks_deinit(&l);
    p.live_set_count = SECONDS;
    for (int i = 0; i < 100; i++) /* all in the last quarter */
        p.live_sets[i].time_ns = start + 100 * NS_PER_S + i;
    for (uint32_t i = 0; i < p.object_count; i++)
        p.objects[i].told_ns = start + SECONDS * NS_PER_S;
    tap_ok(!leaks_find(&l, &p) && l.is_too_short && !l.count, "and so are many of one quarter");
    leaks_deinit(&l);
    profile_deinit(&p);
    profile_init(&p);
    tap_ok(!leaks_find(&l, &p) && l.is_too_short, "a profile without any has no candidates");
    leaks_deinit(&l);
    profile_deinit(&p);
}

/* A heap that grows by a million a second, and is full of garbage except after each tenth collection. */
static void test_heap(void)
{
    struct profile p;
    seed = 1 << 24;
    make(&p, &leak, 1, 10);
    for (int i = 0; i < SECONDS; i++)
        p.live_sets[i].heap_used = 50000000 + (uint64_t)i * 1000000 + (uint64_t)((i + 1) % 10) * 7000000;
    tap_ok(fabs(leaks_heap_per_hour(&p) - 3.6e9) < 1000, "the heap's trend is that after collections of old objects");
    for (int i = 0; i < SECONDS; i++)
        p.live_sets[i] = (struct profile_live_set){.time_ns = p.live_sets[i].time_ns, .heap_used = 90000000 - (uint64_t)i * 250000};
    tap_ok(fabs(leaks_heap_per_hour(&p) + 9e8) < 1000, "or after all, up or down");
    p.live_set_count = 2;
    tap_ok(leaks_heap_per_hour(&p) == 0, "two are no trend");
    profile_deinit(&p);
}

/* A damaged file may contain any values; the sanitizer detects those that do harm. */
static void test_far(void)
{
    struct profile p;
    struct leaks l;
    seed = 1 << 25;
    make(&p, &leak, 1, 1);
    for (int i = 0; i < SECONDS; i++)
        p.live_sets[i].heap_used = 1000;
    for (uint32_t i = 0; i < p.object_count; i++) {
        p.objects[i].sample.time_ns = i % 2 ? INT64_MIN : INT64_MAX;
        p.objects[i].told_ns = i % 3 ? INT64_MAX : INT64_MIN;
        p.objects[i].is_alive = true;
    }
    p.objects[p.object_count - 1].told_ns = INT64_MAX;
    tap_ok(!leaks_find(&l, &p) && !l.is_too_short, "objects whose times cannot be true");
    leaks_deinit(&l);
    p.live_sets[0].time_ns = INT64_MIN;
    p.live_sets[SECONDS - 1].time_ns = INT64_MAX;
    tap_ok(!leaks_find(&l, &p) && l.is_too_short, "and looks: there are no quarters with one in each");
    tap_ok(isfinite(leaks_heap_per_hour(&p)), "and the trend is a number");
    leaks_deinit(&l);
    profile_deinit(&p);
}

int main(void)
{
    test_far();
    test_heap();
    test_found();
    test_quiet();
    test_garbage();
    test_few_looks();
    test_order();
    test_short();
    return tap_done();
}
