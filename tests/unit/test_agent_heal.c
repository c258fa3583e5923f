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
static struct old_class classes[8];

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
    met_sample(&met, (struct met_code){.method = id}, weight);
}

static bool picks(size_t max, const char *first, const char *second)
{
    size_t n = met_pick(&met, classes, max), expected = !!first + !!second;
    return n == expected && (!first || (classes[0].len == strlen(first) && !memcmp(classes[0].name, first, classes[0].len))) &&
           (!second || (classes[1].len == strlen(second) && !memcmp(classes[1].name, second, classes[1].len)));
}

static void test_frames(void)
{
    struct met_code code;
    const uint64_t inlined = approximate(JFR_FRAME_INLINED, 5), whole = approximate(JFR_FRAME_C2, 6);
    const uint64_t kernel = frame_native(JFR_FRAME_KERNEL, 4096), exact = frame_java(JFR_FRAME_C2, 7, 1);
    const uint64_t stack[] = {kernel, inlined, whole, exact};
    tap_ok(met_is_approximate(stack, 4, &code) && code.method == 6 && code.inlined == 5,
           "the method that was compiled is the outermost of the approximate frames, below the kernel's");
    tap_ok(met_is_approximate(stack + 2, 2, &code) && code.method == 6 && !code.inlined, "nothing is inlined there");
    tap_ok(!met_is_approximate(stack + 3, 1, &code) && !met_is_approximate(stack, 1, &code) && !met_is_approximate(stack, 0, &code),
           "exact frames, the kernel alone, and no frame at all are of no sparse code");
}

static void test_hottest(void)
{
    uint32_t hot = method("demo/Hot", "run"), warm = method("demo/Warm", "run"), of_hot = method("demo/Hot", "other");
    met_clear(&met);
    sample(warm, 5 * MS);
    sample(hot, 9 * MS);
    sample(of_hot, 1 * MS);
    tap_ok(picks(1, "demo/Hot", NULL), "the class of the hottest method goes first");
    classes[0].fate = OLD_CLASS_DISCARDED;
    met_settle(&met);
    struct met_sum gone = met_sum_discarded(&met);
    tap_ok(gone.count >= 1 && gone.weight >= 9 * MS, "it is gone");
    tap_ok(picks(8, "demo/Warm", gone.count == 2 ? NULL : "demo/Hot"), "then the others");
    classes[0].fate = OLD_CLASS_REFUSED;
    classes[1].fate = OLD_CLASS_DISCARDED;
    met_settle(&met);
    tap_ok(met_sum_kept(&met, OLD_CLASS_REFUSED).count == 1 && met_sum_kept(&met, OLD_CLASS_REFUSED).weight == 5 * MS,
           "a class that is refused stays, and is counted");
    sample(warm, 1 * MS);
    tap_ok(picks(8, NULL, NULL), "it is not tried again");
    uint32_t other = method("demo/Other", "run");
    tap_ok(!met_sample(&met, (struct met_code){.method = warm}, 1 * MS) && met_sample(&met, (struct met_code){.method = other}, 1 * MS),
           "nor does it count for the next step, as one does that can go");
}

static void test_again(void)
{
    uint32_t stubborn = method("demo/Stubborn", "run");
    met_clear(&met);
    for (int i = 0; i < MET_TRIES_MAX; i++) {
        sample(stubborn, MS);
        tap_ok(picks(8, "demo/Stubborn", NULL), "a method that is met again is tried again");
        classes[0].fate = OLD_CLASS_DISCARDED;
        met_settle(&met);
    }
    sample(stubborn, MS);
    tap_ok(picks(8, NULL, NULL) && met_sum_kept(&met, OLD_CLASS_REFUSED).count == 1 && !met_sum_discarded(&met).count, "but not for ever");
}

static void test_hidden(void)
{
    uint32_t lambda = method("demo/Main$$Lambda+0x00000000ac000a20", "apply"), inlined = method("demo/Body", "run");
    met_clear(&met);
    sample(lambda, MS);
    tap_ok(picks(8, "demo/Main", NULL), "a lambda's code goes with the class that has its body");
    met_clear(&met);
    met_sample(&met, (struct met_code){.method = lambda, .inlined = inlined}, MS);
    tap_ok(picks(8, "demo/Body", NULL), "or with that of what was inlined into it, where this is known");
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
    heal_cost_begin_step(&c);
    tap_ok(c.steps == 2 && heal_cost_end_step(&c) > 0 && c.paused_ns > 0, "without counters of the JVM the whole call counts as a pause");
    heal_cost_begin_step(&c);
    heal_cost_take_back(&c);
    tap_ok(c.steps == 2, "a step that threw nothing away is none");
}

int main(void)
{
    if (method_table_init(1 << 20))
        return 1;
    test_frames();
    test_hottest();
    test_again();
    test_hidden();
    test_fading();
    test_cost();
    method_table_deinit();
    return tap_done();
}
