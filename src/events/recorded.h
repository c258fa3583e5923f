/* Which events were enabled in a recording: the absence of a type means something only if it was enabled. */
#ifndef CANDOR_EVENTS_RECORDED_H
#define CANDOR_EVENTS_RECORDED_H

#include "base/text/time_range.h"
#include "jfr/read/reader.h"

#include <stdbool.h>
#include <stdint.h>

enum { RECORDED_MAX = 64 };

/* What jdk.ExceptionStatistics counts: everything that was thrown, caught or not, between two of them. */
struct recorded_throws {
    uint64_t count, ns;
};

/* Sets in[i] if events[i] was recorded: a chunk has such events, or a jdk.ActiveSetting says that they were enabled. count is at most
 * RECORDED_MAX. throws: between the counts within that time. processors: of the machine, as jdk.CPUInformation has it; 0 = it does
 * not tell. 0 or a negative code with a line in e. */
int recorded_events(const struct jfr_file *file, const char *const *events, uint32_t count, const struct time_range *within, bool *in,
                    struct recorded_throws *throws, uint32_t *processors, struct error *e);

#endif
