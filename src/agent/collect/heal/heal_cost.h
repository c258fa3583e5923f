/* Measures what healing costs the program: how long its threads were stopped, and how much CPU time the compilers used beyond their usual
 * rate. The latter is an estimate, because it is a difference between rates.
 *
 *   heal_cost_begin -> [ heal_cost_look, heal_cost_allows, heal_cost_begin_step -> heal_cost_add_code -> heal_cost_end_step ]* */
#ifndef CANDOR_AGENT_COLLECT_HEAL_HEAL_COST_H
#define CANDOR_AGENT_COLLECT_HEAL_HEAL_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HEAL_METHODS_FIRST = 8, HEAL_METHODS_MAX = 64 };

struct heal_cost {
    uint32_t methods;                    /* how many methods the next step may discard, so that it stops the program for at most 5 ms */
    uint64_t began_ns, process_at_begin; /* when healing began, by the monotonic clock and by the process's CPU clock */
    uint64_t paused_ns, cpu_ns, steps;
    uint64_t cpu_most_ns;                  /* cpu_ns is at most this, because the compilers work for the program, too */
    uint64_t looked_ns, compilers_at_look; /* when heal_cost_look was called last; the CPU time of the compiler threads then */
    uint32_t looks;                        /* number of calls of heal_cost_look before the first step */
    double usual;                          /* CPU time of the compilers per elapsed time, on average before the first step */
    uint64_t step_ns, stopped_at_step;     /* when the last step began; the safepoint time that the JVM had counted then */
};

void heal_cost_begin(struct heal_cost *c, uint64_t now_ns);
/* Measures the compilers. After a recent step, it adds the CPU time that they have used since the last call. */
void heal_cost_look(struct heal_cost *c, uint64_t now_ns);
/* Whether the budget has room for another step. It always has room for the first step. */
bool heal_cost_allows(const struct heal_cost *c, uint64_t now_ns, double pause_share, double cpu_share);
/* Begins a step. methods: how many the step discards at most; HEAL_ALL_METHODS = all that are compiled. */
#define HEAL_ALL_METHODS SIZE_MAX
void heal_cost_begin_step(struct heal_cost *c, size_t methods);
/* Notes during a step that it discarded more code than that of its methods, because other code depends on them. */
void heal_cost_add_code(struct heal_cost *c, size_t discarded, size_t methods);
/* Ends a step. stops_all: the JVM discards code while all threads are stopped. Returns how many ns they were stopped; this includes other
 * pauses at the same time. */
uint64_t heal_cost_end_step(struct heal_cost *c, bool stops_all);

#endif
