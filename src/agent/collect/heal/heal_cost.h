/* What healing costs the program: how long its threads stood still, and what the compilers used beyond their usual. The latter is a
 * difference between rates, and so an estimate.
 *
 *   heal_cost_begin -> [ heal_cost_look, heal_cost_allows, heal_cost_begin_step -> heal_cost_end_step ]* */
#ifndef CANDOR_AGENT_COLLECT_HEAL_HEAL_COST_H
#define CANDOR_AGENT_COLLECT_HEAL_HEAL_COST_H

#include <stdbool.h>
#include <stdint.h>

struct heal_cost {
    uint64_t began_ns, process_at_begin; /* the monotonic clock, the process's CPU clock */
    uint64_t paused_ns, cpu_ns, steps;
    uint64_t looked_ns, compilers_at_look; /* the last look; CPU time of the compiler threads then */
    uint32_t looks;                        /* before the first step */
    double usual;                          /* CPU time of the compilers per time, on average before the first step */
    uint64_t step_ns, stopped_at_step;     /* when the last step began; what the JVM had counted for safepoints then */
};

void heal_cost_begin(struct heal_cost *c, uint64_t now_ns);
/* After a recent step: adds the CPU time that the compilers have used since the last look. */
void heal_cost_look(struct heal_cost *c, uint64_t now_ns);
/* Whether the budget has room for another step. For the first step it always has. */
bool heal_cost_allows(const struct heal_cost *c, uint64_t now_ns, double pause_share, double cpu_share);
void heal_cost_begin_step(struct heal_cost *c);
/* A step that threw nothing away is none. */
void heal_cost_take_back(struct heal_cost *c);
/* Returns for how long the threads stood still. */
uint64_t heal_cost_end_step(struct heal_cost *c);

#endif
