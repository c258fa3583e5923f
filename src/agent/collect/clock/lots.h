/* Decides whether threads have their clocks by lot (trigger/lot.h), how many threads have one, and when lots are drawn: after random
 * intervals, whose mean is such that about LOTS_WINDOWS windows begin in a second. To open and close a clock takes some 30 us with its
 * ring, so more windows would cost more than they tell: many of them would be too short for a sample.
 *
 * A context switch of a thread with a clock costs LOTS_SWITCH_NS more. With `auto` a recording begins with clocks for all threads. It
 * begins to draw lots when two measurements in succession find that this cost is more than a hundredth of the process's CPU time. In a
 * process that hardly runs, where the cost is below 0.2 % of a processor, it does not count. The lots then reduce the cost to a
 * four-hundredth, but at least LOTS_LEAST threads of equal use have clocks. When it is calm again, all threads have clocks. With `lot` the
 * recording draws from the beginning, however often threads are switched: a quarter of the running threads have clocks.
 *
 *   lots_begin -> [ lots_tick ]*
 *
 * All functions run on the agent's thread. */
#ifndef CANDOR_AGENT_COLLECT_CLOCK_LOTS_H
#define CANDOR_AGENT_COLLECT_CLOCK_LOTS_H

#include <stdbool.h>
#include <stdint.h>

enum lots_mode { LOTS_ALL, LOTS_AUTO, LOTS_LOT, LOTS_MODES };
extern const char *const lots_mode_names[LOTS_MODES];

enum { LOTS_SWITCH_NS = 1500, LOTS_LEAST = 5, LOTS_WINDOWS = 24 };

/* Cumulative figures of the process. */
struct lots_usage {
    uint64_t wall_ns, cpu_ns, switches;
};

/* The state of the decision. Its functions get the figures as arguments. */
struct lots {
    enum lots_mode mode;
    bool draws;
    uint32_t dear;   /* measurements in succession in which switches cost too much */
    double share;    /* recent share of the process's CPU time that switches would cost if all threads had clocks */
    double restless; /* switches from one measurement to the next that make a thread restless (trigger/lot.h): its clock alone costs 0.5 %
                      * of the process's CPU time, and 0.1 % of a processor */
    struct lots_usage last;
};

void lots_measure(struct lots *l, const struct lots_usage *now);
/* Return the part of the threads, weighted by their use, that has clocks, and the least number of threads that have clocks. */
double lots_part(const struct lots *l);
double lots_least(const struct lots *l);
/* Returns the mean time until the next draw, if this one began so many windows. */
uint64_t lots_pause_ns(uint32_t windows);

void lots_begin(enum lots_mode mode);
/* Draws lots if it is time. Call it often. pace_ns: the CPU time that each sample stands for. Returns true if this call has begun to draw
 * lots. */
bool lots_tick(uint64_t now_ns, uint64_t pace_ns);
/* Return how the recording's threads have their clocks at present ("all" or "lot"), and the reason if this differs from the requested mode,
 * else "". */
const char *lots_word(void);
const char *lots_reason(void);

#endif
