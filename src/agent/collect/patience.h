/* How long the collector's thread sleeps between two turns: a turn costs a tenth of a millisecond and more, whether samples have come
 * or not. It sleeps for the shortest time while many come, and up to PATIENCE_LONGEST times as long where few do; up to
 * PATIENCE_LONGEST_TIGHT times where the turns take much of what the profiler may cost. The collector's alone. */
#ifndef CANDOR_AGENT_COLLECT_PATIENCE_H
#define CANDOR_AGENT_COLLECT_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

enum { PATIENCE_FEW = 32, PATIENCE_LONGEST = 4, PATIENCE_LONGEST_TIGHT = 16 };

struct patience {
    uint64_t shortest_ns, period_ns;
    uint32_t news; /* samples, and ends of threads, since the last turn */
};

void patience_begin(struct patience *p, uint64_t shortest_ns);
/* A turn ends. is_tight: budget.h. */
void patience_turn(struct patience *p, bool is_tight);

#endif
