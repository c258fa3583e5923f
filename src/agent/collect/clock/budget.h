/* Computes how often threads are sampled, so that the profiler stays within its limits. The result is the pace: the requested interval or a
 * longer one. Estimates do not change, because each sample weighs the time it stands for.
 *
 * Both limits are computed, not found by trial: a thread is sampled once per interval of its CPU time, so
 *
 *      samples per second = processors in use / pace
 *      overhead = the agent's own thread / processors in use + cost of a sample / pace
 *
 * "The agent's own thread" includes all costs that do not depend on the pace, such as the samples of other events. The share of this cost
 * in the program's CPU time is an average over three seconds. For the rate, the estimate of used processors rises at once and falls slowly,
 * so that a burst of the program exceeds the limit for a tenth of a second. The pace aims a tenth below both limits. The pace changes by at
 * least a tenth, because each thread must then reset its clock, which costs as much as a sample. Only the collector uses this file. */
#ifndef CANDOR_AGENT_COLLECT_CLOCK_BUDGET_H
#define CANDOR_AGENT_COLLECT_CLOCK_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct budget_limits {
    uint64_t max_rate;   /* samples per second of the whole process; 0 = none */
    double max_overhead; /* a part of the process's CPU time, or of a tenth of a processor if that is more; 0 = none */
};

/* The usage so far. All fields are cumulative. */
struct budget_usage {
    uint64_t wall_ns;
    uint64_t cpu_ns;              /* CPU time of the process */
    uint64_t own_ns;              /* CPU time that the agent's thread used, and that samples of other events cost */
    uint64_t samples, samples_ns; /* number and cost of the samples */
};

struct budget {
    struct budget_limits limits;
    uint64_t interval_ns, pace_ns;
    struct budget_usage last;
    double processors;    /* processors in use recently */
    double use;           /* processors in use, on average */
    double own;           /* part of a processor that the agent's thread uses */
    double sample_ns;     /* cost of a sample; 0 = there was no sample yet */
    uint64_t exceeded_ns; /* for how long the agent's thread alone has been above max_overhead */
};

void budget_begin(struct budget *b, const struct budget_limits *limits, uint64_t interval_ns, const struct budget_usage *now);
/* Returns the pace from now on. Call it every tenth of a second or less often. */
uint64_t budget_pace(struct budget *b, const struct budget_usage *now);
/* Whether the agent's thread leaves little of max_overhead to samples. It should then sleep longer. */
bool budget_is_tight(const struct budget *b);
/* Whether max_overhead cannot be kept, because the agent's thread alone takes more. */
bool budget_is_hopeless(const struct budget *b);

#endif
