/* How often the clocks expire: the pace that the budget (budget.h) allows, given the cost of samples in the books.
 *
 *   clock_pace_begin -> [ clock_pace_keep ]*
 *
 * All on the agent's thread. */
#ifndef CANDOR_AGENT_COLLECT_SAMPLING_CLOCK_PACE_H
#define CANDOR_AGENT_COLLECT_SAMPLING_CLOCK_PACE_H

#include "agent/collect/books/books.h"
#include "agent/collect/clock/budget.h"

#include <stdbool.h>
#include <stdint.h>

/* Call it when the books are open. They stay the caller's. */
void clock_pace_begin(const struct budget_limits *limits, uint64_t interval_ns, const struct books *books);
/* Call it every tenth of a second, or less often. It writes a warning into the recording if the limits cannot be kept. */
void clock_pace_keep(uint64_t now);
bool clock_pace_is_tight(void); /* budget_is_tight */
uint64_t clock_pace_ns(void);   /* the interval at present */

#endif
