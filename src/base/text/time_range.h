/* Ranges of time as people write them: "FROM..TO", either of which may be missing. */
#ifndef CANDOR_BASE_TEXT_TIME_RANGE_H
#define CANDOR_BASE_TEXT_TIME_RANGE_H

#include <stdint.h>

struct time_range {
    int64_t from_ns, to_ns; /* since the epoch, the end excluded; INT64_MIN, INT64_MAX = open */
};

/* Of something that began at start_ns and lasted duration_ns:
 *
 *   +10s                       after its start
 *   -10s                       before its end
 *   2026-11-22T16:41:00.5Z     an absolute time, UTC; without the Z local time
 *   12:03:07.5, 12:03          local time of the day it began, or, if that was before it and the day after is not behind it, of that
 *
 * 0 or -EINVAL, also when nothing lies between the two; -ENOMEM. */
int time_range_parse(struct time_range *out, const char *text, int64_t start_ns, uint64_t duration_ns);

#endif
