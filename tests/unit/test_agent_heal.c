/*
 * Healing: which methods' code is discarded, hottest first; what happens to them; what the budget allows.
 * tier: quick
 * timeout: 30
 */
#include "../tap.h"

#include "agent/collect/heal/heal_cost.h"
#include "agent/collect/heal/met.h"
#include "agent/hot/java/method.h"
#include "agent/hot/record.h"
#include "base/text/units.h"

#include <string.h>

enum { MS = 1000000 };

static struct met met;
static struct old_method picked[8];

static uint32_t method(const char *class_name, const char *name)
{
    static uintptr_t next = 4096;
    uint32_t id = method_intern_id(next += 8);
    method_name(id, class_name, name, "()V");
    return id;
}

static uint64_t approximate(unsigned type, uint32_t id)
{
    return frame_java(type | FRAME_APPROXIMATE, id, 7);
}

static void sample(uint32_t id, uint64_t weight)
{
    met_sample(&met, id, weight);
}

static bool is_class(const struct old_method *m, const char *name)
{
    return m->class_len == strlen(name) && !memcmp(m->class_name, name, m->class_len) && m->name_len == 3 && !memcmp(m->name, "run", 3) &&
           m->descriptor_len == 3 && !memcmp(m->descriptor, "()V", 3);
}

static bool picks(size_t max, const char *first, const char *second)
{
    size_t n = met_pick(&met, picked, max), expected = !!first + !!second;
    return n == expected && (!first || is_class(&picked[0], first)) && (!second || is_class(&picked[1], second));
}

static void test_frames(void)
{
    uint32_t id;
    const uint64_t inlined = approximate(JFR_FRAME_INLINED, 5), whole = approximate(JFR_FRAME_C2, 6);
    const uint64_t kernel = frame_native(JFR_FRAME_KERNEL, 4096), exact = frame_java(JFR_FRAME_C2, 7, 1);
    const uint64_t stack[] = {kernel, inlined, whole, exact};
    tap_ok(met_is_approximate(stack, 4, &id) && id == 6,
           "the method that was compiled is the outermost of the approximate frames, below the kernel's");
    tap_ok(met_is_approximate(stack + 2, 2, &id) && id == 6, "it may be the only one");
    tap_ok(!met_is_approximate(stack + 3, 1, &id) && !met_is_approximate(stack, 1, &id) && !met_is_approximate(stack, 0, &id),
           "exact frames, the kernel alone, and no frame at all are of no sparse code");
}

static void test_hottest(void)
{
    uint32_t hot = method("demo/Hot", "run"), warm = method("demo/Warm", "run");
    met_clear(&met);
    sample(warm, 5 * MS);
    sample(hot, 9 * MS);
    tap_ok(picks(1, "demo/Hot", NULL), "the hottest method goes first");
    picked[0].fate = OLD_METHOD_DISCARDED;
    tap_ok(met_settle(&met) == 1, "it is gone");
    struct met_sum gone = met_sum_discarded(&met);
    tap_ok(gone.count == 1 && gone.weight == 9 * MS, "and counts as discarded");
    tap_ok(picks(8, "demo/Warm", NULL), "then the others");
    picked[0].fate = OLD_METHOD_GONE;
    met_settle(&met);
    tap_ok(met_sum_kept(&met, OLD_METHOD_GONE).count == 1 && met_sum_kept(&met, OLD_METHOD_GONE).weight == 5 * MS,
           "a method whose class is gone stays, and is counted");
    sample(warm, 1 * MS);
    tap_ok(picks(8, NULL, NULL), "it is not tried again");
    uint32_t other = method("demo/Other", "run");
    tap_ok(!met_sample(&met, warm, 1 * MS) && met_sample(&met, other, 1 * MS),
           "nor does it count for the next step, as one does that can go");
}

static void test_again(void)
{
    uint32_t stubborn = method("demo/Stubborn", "run");
    met_clear(&met);
    for (int i = 0; i < MET_TRIES_MAX; i++) {
        sample(stubborn, MS);
        tap_ok(picks(8, "demo/Stubborn", NULL) && picked[0].again == (i > 0), "a method that is met again is tried again, and marked");
        picked[0].fate = OLD_METHOD_DISCARDED;
        met_settle(&met);
    }
    sample(stubborn, MS);
    tap_ok(picks(8, NULL, NULL) && met_sum_kept(&met, OLD_METHOD_RETURNED).count == 1 && !met_sum_discarded(&met).count,
           "but not for ever");
    uint32_t healed = method("demo/Healed", "run");
    sample(healed, MS);
    tap_ok(picks(8, "demo/Healed", NULL), "another method is picked");
    picked[0].fate = OLD_METHOD_DISCARDED;
    met_settle(&met);
    met_restart(&met);
    stubborn = method("demo/Stubborn", "run"); /* other recordings have other ids */
    tap_ok(!met_sum_kept(&met, OLD_METHOD_RETURNED).count && !met_sum_discarded(&met).count, "the next recording has met none yet");
    tap_ok(!met_sample(&met, stubborn, MS) && met_sample(&met, healed, MS) && picks(8, "demo/Healed", NULL) && !picked[0].again &&
               met_sum_kept(&met, OLD_METHOD_RETURNED).count == 1,
           "nor does it try the same method again");
}

/* A step that takes too long leaves the rest of what was picked. */
static void test_left(void)
{
    uint32_t first = method("demo/First", "run"), second = method("demo/Second", "run");
    met_clear(&met);
    sample(first, 2 * MS);
    sample(second, MS);
    tap_ok(picks(8, "demo/First", "demo/Second"), "two methods are picked");
    picked[0].fate = OLD_METHOD_DISCARDED;
    picked[1].fate = OLD_METHOD_LEFT;
    tap_ok(met_settle(&met) == 1 && met_sample(&met, second, MS) && picks(8, "demo/Second", NULL) && !picked[0].again,
           "the one that was left is picked by the next step");
}

static void test_fading(void)
{
    uint32_t then = method("demo/Then", "run"), now = method("demo/Now", "run");
    met_clear(&met);
    sample(then, 10 * MS);
    for (int i = 0; i < 3; i++)
        met_fade(&met);
    sample(now, 2 * MS);
    tap_ok(picks(8, "demo/Now", "demo/Then"), "what is hot now counts for more than what was");
    met_clear(&met);
    for (uint32_t i = 1; i <= MET_MAX + 8; i++)
        sample(i, MS);
    tap_ok(met.count == MET_MAX && met_settle_all(&met) == MET_MAX && met_sum_discarded(&met).count == MET_MAX,
           "a table that is full leaves out what comes then; all of it can go at once");
}

/* Makes steps until one has a short pause: the scheduler may take the processor from this program in the middle of a step. */
static void step_shortly(struct heal_cost *c, uint32_t methods)
{
    do {
        c->methods = methods;
        heal_cost_begin_step(c, 3);
    } while (heal_cost_end_step(c, true) > MS / 2);
}

static void test_cost(void)
{
    struct heal_cost c;
    uint64_t now = clock_monotonic_ns();
    heal_cost_begin(&c, now);
    tap_ok(heal_cost_allows(&c, now, 0.001, 0.01), "the first step is free");
    c.steps = 1;
    c.paused_ns = 5 * MS;
    tap_ok(!heal_cost_allows(&c, now + 4999 * (uint64_t)MS, 0.001, 0.01) && heal_cost_allows(&c, now + 5001 * (uint64_t)MS, 0.001, 0.01),
           "after a pause of 5 ms the next waits 5 s, where a thousandth is allowed");
    c.paused_ns = 0;
    c.cpu_ns = UINT64_C(3600) * 1000 * MS;
    tap_ok(!heal_cost_allows(&c, now + 5001 * (uint64_t)MS, 0.001, 0.01), "nor does it come when the compilers have taken too much");
    heal_cost_begin_step(&c, 3);
    tap_ok(c.steps == 2 && heal_cost_end_step(&c, true) > 0 && c.paused_ns > 0,
           "without counters of the JVM the whole call counts as a pause");
    step_shortly(&c, HEAL_METHODS_FIRST);
    tap_ok(c.methods == HEAL_METHODS_FIRST * 2, "a step with a short pause allows the next one twice as many methods");
    for (uint32_t i = 0, expected[] = {2, 1, 1}; i < 3; i++) {
        c.methods = i ? c.methods : 4;
        c.step_ns = 0; /* long ago */
        heal_cost_end_step(&c, true);
        tap_ok(c.methods == expected[i], "a long pause halves them, down to one");
    }
    step_shortly(&c, HEAL_METHODS_MAX);
    tap_ok(c.methods == HEAL_METHODS_MAX, "there are never more than the most");
    c.step_ns = 0;
    tap_ok(!heal_cost_end_step(&c, false), "a JVM that stops single threads has no pause");
    uint64_t most = c.cpu_most_ns;
    heal_cost_add_code(&c, 2, 3);
    tap_ok(c.cpu_most_ns == most, "methods without compiled code cost no less");
    heal_cost_add_code(&c, 6, 3);
    tap_ok(c.cpu_most_ns == most + 3 * (uint64_t)50 * MS, "code that depends on the methods is compiled again, too, and costs more");
    most = c.cpu_most_ns;
    heal_cost_begin_step(&c, HEAL_ALL_METHODS);
    tap_ok(most > 0 && most < UINT64_MAX && c.cpu_most_ns == UINT64_MAX,
           "compilations of some methods cost no more than these may, but all methods have no limit");
}

int main(void)
{
    if (method_table_init(1 << 20))
        return 1;
    test_frames();
    test_hottest();
    test_again();
    test_left();
    test_fading();
    test_cost();
    method_table_deinit();
    return tap_done();
}
