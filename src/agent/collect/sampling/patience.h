/* Decides how long the collector's thread sleeps between two turns. A turn costs a tenth of a millisecond or more, even without samples.
 * The thread sleeps for the shortest time while many samples come, and up to PATIENCE_LONGEST times as long if few come. If the turns take
 * a large part of the profiler's allowance, it sleeps up to PATIENCE_LONGEST_TIGHT times as long. Only the collector uses this file. */
#ifndef CANDOR_AGENT_COLLECT_SAMPLING_PATIENCE_H
#define CANDOR_AGENT_COLLECT_SAMPLING_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

enum { PATIENCE_FEW = 32, PATIENCE_LONGEST = 4, PATIENCE_LONGEST_TIGHT = 16 };

struct patience {
    uint64_t shortest_ns, period_ns;
    uint32_t news; /* samples, and ends of threads, since the last turn */
};

void patience_begin(struct patience *p, uint64_t shortest_ns);
/* Call it at the end of a turn. is_tight: see budget_is_tight. */
void patience_turn(struct patience *p, bool is_tight);

#endif
