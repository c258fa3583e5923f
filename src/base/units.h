/* Durations and times as people write and read them. */
#ifndef CANDOR_BASE_UNITS_H
#define CANDOR_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

/* Parses "500us", "10ms", "1.5s", "2m", "1h" ("ns" too; a bare number is refused unless it is 0). 0 or -EINVAL. */
int units_parse_duration(const char *text, uint64_t *ns);
/* "1.25 s", "312 ms", "42 us": three significant digits, unit chosen by size. Returns out. */
char *units_format_duration(char *out, size_t size, uint64_t ns);

uint64_t clock_monotonic_ns(void);
uint64_t clock_realtime_ns(void);

#endif
