/* Reads and writes durations, rates and sizes as people write them. Blanks may separate a number from its unit: "100 us", "512 MiB". */
#ifndef CANDOR_BASE_TEXT_UNITS_H
#define CANDOR_BASE_TEXT_UNITS_H

#include <stddef.h>
#include <stdint.h>

/* Parses "500us" ("500µs"), "10ms", "1.5s", "2m", "1h", "7d" (also "ns"). A number without a unit is refused unless it is 0. Returns 0
 * or -EINVAL. */
int units_parse_duration(const char *text, uint64_t *ns);
/* Parses a duration like units_parse_duration, but a number without a unit is in seconds. */
int units_parse_seconds(const char *text, uint64_t *ns);
/* Parses "600/s" or "600": a whole number above 0. Returns 0 or -EINVAL. */
int units_parse_rate(const char *text, uint64_t *per_second);
/* Parses "0.5%" or "0.5" as 0.005: above 0, at most 1. Returns 0 or -EINVAL. */
int units_parse_percent(const char *text, double *share);
/* Parses "500M", "2G", "64k" (powers of 1024, in upper or lower case; also "500MB" and "500MiB"), or a number of bytes. Returns 0 or
 * -EINVAL. */
int units_parse_size(const char *text, uint64_t *bytes);
/* Writes "1.25 s", "312 ms", "42 us": three significant digits, in the unit that fits the size. Returns out. */
char *units_format_duration(char *out, size_t size, uint64_t ns);

/* Writes "1.25 MiB", "312 KiB", "42 B": a number of bytes with three significant digits. Returns out. */
char *units_format_bytes(char *out, size_t size, uint64_t bytes);

uint64_t clock_monotonic_ns(void);
uint64_t clock_realtime_ns(void);

#endif
