/* Describes the machine on which a recording was made. */
#ifndef CANDOR_AGENT_RECORD_MACHINE_H
#define CANDOR_AGENT_RECORD_MACHINE_H

#include "agent/trigger/clocks/clock.h"

#include <stdint.h>

struct machine {
    char os[256], cpu[128];
    char host[65]; /* its name as the process sees it, which in a container is the container's; empty if unknown */
    uint32_t sockets, cores, hw_threads;
};

void machine_read(struct machine *m);
/* Returns the clock's real resolution: perf clocks have the timer's resolution, tick timers that of the scheduler's tick. */
uint64_t machine_clock_resolution_ns(const struct clock *c);

#endif
