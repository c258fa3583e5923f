/* Keeps the clocks of the event cpu within the recordings' limits (clock/budget.h). Each recording has its own limits, and therefore its
 * own pace. The clocks use the shortest pace, and the other recordings take a part of the samples (clock/thin.h).
 *
 * Only the collector uses this file. */
#ifndef CANDOR_AGENT_COLLECT_SAMPLING_CLOCK_PACE_H
#define CANDOR_AGENT_COLLECT_SAMPLING_CLOCK_PACE_H

#include "agent/collect/books/books.h"
#include "agent/collect/clock/budget.h"

#include <stdbool.h>
#include <stdint.h>

struct clock_pace {
    struct budget budget;
    uint64_t other_ns, other_seen; /* the cost of other events since the beginning; the value of the last call */
    bool told_hopeless;
};

/* Begins to keep the pace. The books must be open. */
void clock_pace_begin(struct clock_pace *p, const struct budget_limits *limits, uint64_t interval_ns, const struct books *books);
/* Computes the recording's pace anew and stores it in the budget. Call it every tenth of a second or less often. A warning goes to the
 * recording at which the writer is aimed. other_ns: what samples of other events have cost so far (parts_cost_ns). */
void clock_pace_keep(struct clock_pace *p, const struct books *books, uint64_t other_ns, uint64_t now_ns);

#endif
