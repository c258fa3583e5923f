/* Reads times as clients of Pyroscope's older addresses write them: "now", "now-1h", YYYYMMDD, or a number since the epoch. The count of
 * its digits determines the unit: 13 are milliseconds, 16 microseconds, 19 nanoseconds, and fewer are seconds. */
#ifndef CANDOR_SERVER_LEGACY_LEGACY_TIME_H
#define CANDOR_SERVER_LEGACY_LEGACY_TIME_H

#include <stdint.h>

/* Returns 0 or -EINVAL. A month has 30 days, and a year 365. */
int legacy_time_parse(const char *text, int64_t now_ms, int64_t *ms);

#endif
