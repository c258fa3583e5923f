/* How often threads are sampled, so that the profiler stays within its limits: the pace, which is the requested interval or a
 * longer one. Estimates do not change, because each sample weighs the time it stands for.
 *
 * Both limits are computed, not found by trial: a thread is sampled once per interval of its CPU time, so
 *
 *      samples per second = processors in use / pace
 *      overhead = the agent's own thread / processors in use + cost of a sample / pace
 *
 * "The agent's own thread" stands for all costs that do not depend on the pace: the samples of other events belong to it. Its
 * share in the program's CPU time is an average over three seconds. For the rate, the estimate of
 * used processors rises at once and falls slowly, so that a burst of the program exceeds the limit for a tenth of a second. The
 * pace aims a tenth below both limits. It changes by at least a tenth: each thread that follows must reset its clock, which
 * costs as much as a sample. Collector only. */
#ifndef CANDOR_AGENT_COLLECT_CLOCK_BUDGET_H
#define CANDOR_AGENT_COLLECT_CLOCK_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct budget_limits {
    uint64_t max_rate;   /* samples per second of the whole process; 0 = none */
    double max_overhead; /* of the process's CPU time (of a tenth of a processor, where that is more); 0 = none */
};

/* All cumulative. */
struct budget_usage {
    uint64_t wall_ns;
    uint64_t cpu_ns;              /* of the process */
    uint64_t own_ns;              /* of the agent's thread, and of samples of other events */
    uint64_t samples, samples_ns; /* their number and cost */
};

struct budget {
    struct budget_limits limits;
    uint64_t interval_ns, pace_ns;
    struct budget_usage last;
    double processors;    /* in use, of late */
    double use;           /* processors in use, on average */
    double own;           /* part of a processor that the agent's thread uses */
    double sample_ns;     /* cost of a sample; 0 = none was seen */
    uint64_t exceeded_ns; /* for how long the agent's thread alone has been above max_overhead */
};

void budget_begin(struct budget *b, const struct budget_limits *limits, uint64_t interval_ns, const struct budget_usage *now);
/* Returns the pace from now on. Call it every tenth of a second, or less often. */
uint64_t budget_pace(struct budget *b, const struct budget_usage *now);
/* Whether the agent's thread leaves little of max_overhead to samples: it should sleep longer. */
bool budget_is_tight(const struct budget *b);
/* Whether max_overhead cannot be kept, because the agent's thread alone takes more. */
bool budget_is_hopeless(const struct budget *b);

#endif
