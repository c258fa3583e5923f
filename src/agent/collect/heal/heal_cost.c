#include "agent/collect/heal/heal_cost.h"

#include "agent/hot/thread/thread.h"
#include "agent/hotspot/counters.h"
#include "agent/trigger/clocks/clock.h"
#include "agent/trigger/threads.h"
#include "base/text/units.h"

static const uint64_t WATCH_NS = 20000000000; /* for this long after a step, additional compilations count as its cost */

static const uint64_t METHOD_NS = 50000000; /* a method's compilation, with what is inlined into it, seldom takes longer */

static const uint64_t PAUSE_MAX_NS = 5000000; /* for one step */

static uint64_t compilers_cpu(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 0, limit = threads_limit(); i < limit; i++) {
        const struct sampled_thread *t = &sampled_threads[i];
        if (atomic_load(&t->slot) == SLOT_LIVE && atomic_load(&t->role) == ROLE_COMPILER)
            sum += threads_cpu(t);
    }
    return sum;
}

/* Returns the JVM's safepoint time in ns; 0 if the JVM has no counters. */
static uint64_t stopped_ns(void)
{
    return counters.safepoint_ticks && counters_find_clock() ? counters_ns(counters_value(counters.safepoint_ticks)) : 0;
}

void heal_cost_begin(struct heal_cost *c, uint64_t now_ns)
{
    *c = (struct heal_cost){.methods = HEAL_METHODS_FIRST, .began_ns = now_ns, .process_at_begin = clock_process_cpu()};
}

static void add_cpu(struct heal_cost *c, uint64_t ns)
{
    uint64_t room = c->cpu_most_ns - c->cpu_ns;
    c->cpu_ns += ns < room ? ns : room;
}

/* If a compiler thread has ended, its CPU time is missing from the sum. Then nothing is added for the other compiler threads, either. */
void heal_cost_look(struct heal_cost *c, uint64_t now_ns)
{
    uint64_t compilers = compilers_cpu();
    double used = compilers > c->compilers_at_look ? (double)(compilers - c->compilers_at_look) : 0;
    double time = (double)(now_ns - c->looked_ns);
    if (c->steps && now_ns - c->step_ns < WATCH_NS && used > c->usual * time)
        add_cpu(c, (uint64_t)(used - c->usual * time));
    if (!c->steps && c->looked_ns && time > 0)
        c->usual += (used / time - c->usual) / (double)++c->looks;
    c->looked_ns = now_ns;
    c->compilers_at_look = compilers;
}

bool heal_cost_allows(const struct heal_cost *c, uint64_t now_ns, double pause_share, double cpu_share)
{
    double time = (double)(now_ns - c->began_ns), cpu = (double)(clock_process_cpu() - c->process_at_begin);
    return !c->steps || ((double)c->paused_ns <= pause_share * time && (double)c->cpu_ns <= cpu_share * cpu);
}

static void raise_most(struct heal_cost *c, size_t methods)
{
    uint64_t room = UINT64_MAX - c->cpu_most_ns;
    c->cpu_most_ns += methods < room / METHOD_NS ? methods * METHOD_NS : room;
}

void heal_cost_begin_step(struct heal_cost *c, size_t methods)
{
    raise_most(c, methods);
    c->step_ns = clock_monotonic_ns();
    c->stopped_at_step = stopped_ns();
    c->steps++;
}

void heal_cost_add_code(struct heal_cost *c, size_t discarded, size_t methods)
{
    raise_most(c, discarded > methods ? discarded - methods : 0);
}

/* Halves the number of methods after a step that stopped the program for too long, and doubles it if twice as many would fit. */
static void fit_methods(struct heal_cost *c, uint64_t paused_ns)
{
    if (paused_ns > PAUSE_MAX_NS && c->methods > 1)
        c->methods /= 2;
    else if (2 * paused_ns <= PAUSE_MAX_NS && c->methods < HEAL_METHODS_MAX)
        c->methods *= 2;
}

uint64_t heal_cost_end_step(struct heal_cost *c, bool stops_all)
{
    uint64_t called = clock_monotonic_ns() - c->step_ns, stopped = stopped_ns();
    uint64_t paused = !stops_all ? 0 : stopped ? stopped - c->stopped_at_step : called;
    c->paused_ns += paused;
    fit_methods(c, paused);
    return paused;
}
