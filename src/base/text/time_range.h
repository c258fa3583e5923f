/* Reads ranges of time as people write them: "FROM..TO". One of the two may be missing. */
#ifndef CANDOR_BASE_TEXT_TIME_RANGE_H
#define CANDOR_BASE_TEXT_TIME_RANGE_H

#include <stdint.h>

struct time_range {
    int64_t from_ns, to_ns; /* since the epoch; to_ns is excluded; INT64_MIN, INT64_MAX = open */
};

/* Parses a range within a recording that began at start_ns and lasted duration_ns. FROM and TO have these forms:
 *
 *   +10s                       after the start
 *   -10s                       before the end
 *   2026-11-22T16:41:00.5Z     an absolute time in UTC; without the Z, local time
 *   12:03:07.5, 12:03          local time on the day of the start; on the next day, if the time is before the start and the next day's
 *                              is not after the end
 *
 * Returns 0, -EINVAL (also for an empty range) or -ENOMEM. */
int time_range_parse(struct time_range *out, const char *text, int64_t start_ns, uint64_t duration_ns);

#endif
