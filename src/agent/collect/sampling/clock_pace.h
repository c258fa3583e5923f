/* Holds the clocks of the event cpu to what the recordings allow (clock/budget.h). Each recording has limits of its own, and so a pace
 * of its own; the clocks keep the shortest of them, and the other recordings take a part of the samples (clock/thin.h).
 *
 * Collector only. */
#ifndef CANDOR_AGENT_COLLECT_SAMPLING_CLOCK_PACE_H
#define CANDOR_AGENT_COLLECT_SAMPLING_CLOCK_PACE_H

#include "agent/collect/books/books.h"
#include "agent/collect/clock/budget.h"

#include <stdbool.h>
#include <stdint.h>

struct clock_pace {
    struct budget budget;
    bool told_hopeless;
};

/* The books must be open. others_ns: what the samples of other events have cost so far (parts_cost_ns). */
void clock_pace_begin(struct clock_pace *p, const struct budget_limits *limits, uint64_t interval_ns, const struct books *books,
                      uint64_t others_ns);
/* Computes the recording's pace anew; it is in the budget. Every tenth of a second, or less often. A warning goes to the recording at
 * which the writer is aimed. */
void clock_pace_keep(struct clock_pace *p, const struct books *books, uint64_t others_ns, uint64_t now_ns);

#endif
