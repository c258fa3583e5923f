/* The computation of the budget, with artificial programs: the overhead stays within what the budget allows, and no more samples are
 * suppressed than necessary.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "agent/collect/clock/budget.h"
#include "base/time_units.h"

enum { STEPS_PER_SECOND = 10 };

/* A program that is sampled at the pace of the budget. */
struct program {
    struct budget budget;
    struct budget_usage used;
    double processors, sample_ns, own; /* own: the part of a processor that the agent's thread uses */
    double samples, samples_ns;
};

static void begin(struct program *p, struct budget_limits limits, uint64_t interval_ns)
{
    budget_begin(&p->budget, &limits, interval_ns, &p->used);
}

/* Simulates a tenth of a second. */
static void step(struct program *p)
{
    double wall = (double)(NS_PER_S / STEPS_PER_SECOND), cpu = p->processors * wall;
    p->samples += cpu / (double)p->budget.pace_ns;
    p->samples_ns += cpu / (double)p->budget.pace_ns * p->sample_ns;
    p->used.wall_ns += (uint64_t)wall;
    p->used.cpu_ns += (uint64_t)cpu;
    p->used.own_ns += (uint64_t)(p->own * wall);
    p->used.samples = (uint64_t)p->samples;
    p->used.samples_ns = (uint64_t)p->samples_ns;
    budget_pace(&p->budget, &p->used);
}

static void run(struct program *p, int seconds)
{
    for (int i = 0; i < seconds * STEPS_PER_SECOND; i++)
        step(p);
}

static double overhead_since(const struct program *p, const struct budget_usage *then)
{
    return (double)(p->used.own_ns - then->own_ns + p->used.samples_ns - then->samples_ns) / (double)(p->used.cpu_ns - then->cpu_ns);
}

static void test_none(void)
{
    struct program p = {.processors = 64, .sample_ns = 20000};
    begin(&p, (struct budget_limits){0}, 10 * NS_PER_MS);
    run(&p, 10);
    tap_ok(p.budget.pace_ns == 10 * NS_PER_MS, "without a limit the interval is what was requested");
    p = (struct program){.processors = 1, .sample_ns = 20000};
    begin(&p, (struct budget_limits){.max_rate = 600, .max_overhead = 0.01}, 10 * NS_PER_MS);
    run(&p, 10);
    tap_ok(p.budget.pace_ns == 10 * NS_PER_MS, "and so it is where the limits are kept anyway");
}

static void test_rate(void)
{
    struct program p = {.processors = 64, .sample_ns = 20000};
    begin(&p, (struct budget_limits){.max_rate = 600}, 10 * NS_PER_MS);
    run(&p, 1);
    uint64_t before = p.used.samples;
    run(&p, 10);
    tap_ok(p.used.samples - before <= 6000 && p.used.samples - before > 4900, "64 processors, at most 600/s: %llu samples in 10 s",
           (unsigned long long)(p.used.samples - before));
    p.processors = 2;
    run(&p, 10);
    tap_ok(p.budget.pace_ns == 10 * NS_PER_MS, "with two of them nothing is suppressed any more");
    p.processors = 64;
    step(&p);
    before = p.used.samples;
    run(&p, 1);
    tap_ok(p.used.samples - before <= 600, "a burst is cut after a tenth of a second: %llu samples in the second after that",
           (unsigned long long)(p.used.samples - before));
}

static void test_overhead(double own)
{
    struct program p = {.processors = 2, .sample_ns = 25000, .own = own};
    begin(&p, (struct budget_limits){.max_overhead = 0.005}, NS_PER_MS / 10);
    run(&p, 20);
    struct budget_usage then = p.used;
    for (int swing = 0; swing < 60; swing++) {
        p.processors = swing % 2 ? 2 : 0.2;
        p.sample_ns = swing % 3 ? 25000 : 18000;
        run(&p, 5);
    }
    double share = overhead_since(&p, &then);
    tap_ok(share < 0.005 && share > 0.003, "a load that swings tenfold, own thread %.4f: %.3f %% of 0.5", own, 100 * share);
    tap_ok(!budget_is_hopeless(&p.budget), "which is possible");
}

/* Four tenths of a second of work every two seconds: the constant cost of the agent's thread is compared with the average use. */
static void test_bursts(void)
{
    struct program p = {.sample_ns = 25000, .own = 0.0005};
    struct budget_usage then = p.used;
    begin(&p, (struct budget_limits){.max_overhead = 0.005}, NS_PER_MS / 10);
    for (int i = 0; i < 600; i++) {
        p.processors = i % 20 < 4 ? 1 : 0;
        step(&p);
        if (i == 200)
            then = p.used;
    }
    double share = overhead_since(&p, &then);
    tap_ok(share < 0.005 && share > 0.004, "a load of bursts: %.3f %% of 0.5", 100 * share);
    tap_ok(!budget_is_tight(&p.budget), "half of it is the agent's thread, which is no reason to sleep longer");
}

static void test_tight(void)
{
    struct program p = {.processors = 0.2, .sample_ns = 25000, .own = 0.0009};
    begin(&p, (struct budget_limits){.max_overhead = 0.005}, NS_PER_MS);
    run(&p, 30);
    tap_ok(budget_is_tight(&p.budget) && !budget_is_hopeless(&p.budget), "nine tenths of it: to sleep longer may help");
    p.own = 0.0003;
    run(&p, 30);
    tap_ok(!budget_is_tight(&p.budget), "and has helped");
    begin(&p, (struct budget_limits){0}, NS_PER_MS);
    p.own = 0.1;
    run(&p, 30);
    tap_ok(!budget_is_tight(&p.budget), "without a limit there is no need to");
}

static void test_hopeless(void)
{
    struct program p = {.processors = 1, .sample_ns = 25000, .own = 0.01};
    begin(&p, (struct budget_limits){.max_overhead = 0.005}, NS_PER_MS);
    run(&p, 5);
    bool soon = budget_is_hopeless(&p.budget);
    run(&p, 30);
    tap_ok(!soon && budget_is_hopeless(&p.budget), "an agent's thread that takes twice the budget is reported, after a while");
    tap_ok(p.budget.pace_ns < NS_PER_S, "and there are samples even then, every %llu ms",
           (unsigned long long)(p.budget.pace_ns / NS_PER_MS));
    p.own = 0;
    run(&p, 30);
    tap_ok(!budget_is_hopeless(&p.budget), "and no more when it takes less");
}

static void test_idle(void)
{
    struct program p = {.processors = 0.001, .sample_ns = 25000, .own = 0.0002};
    begin(&p, (struct budget_limits){.max_overhead = 0.005}, 10 * NS_PER_MS);
    run(&p, 60);
    tap_ok(p.budget.pace_ns == 10 * NS_PER_MS && !budget_is_hopeless(&p.budget),
           "a program that does nothing is not what is held against it");
    p.processors = 0;
    run(&p, 60);
    tap_ok(p.budget.pace_ns == 10 * NS_PER_MS, "nor one that does nothing at all");
}

static void test_steadiness(void)
{
    struct program p = {.processors = 8, .sample_ns = 20000};
    begin(&p, (struct budget_limits){.max_rate = 100}, 10 * NS_PER_MS);
    run(&p, 5);
    int changes = 0;
    for (int i = 0; i < 300; i++) {
        uint64_t before = p.budget.pace_ns;
        p.processors = i % 2 ? 8 : 7.7;
        step(&p);
        changes += p.budget.pace_ns != before;
    }
    tap_ok(changes == 0, "small changes of the load change nothing: %d times in 30 s", changes);
}

int main(void)
{
    test_none();
    test_rate();
    test_overhead(0);
    test_overhead(0.0005);
    test_bursts();
    test_tight();
    test_hopeless();
    test_idle();
    test_steadiness();
    return tap_done();
}
