/* Does the same with a recording as `candor summary`, `print`, `scrub` and `report --kind halt`, and discards the results: for the
 * fuzzer and for tests of damaged files. Aborts if the printed text is not UTF-8, if the commands find different numbers of events, if
 * scrub writes a damaged file, or if the times of the halts do not add up. */
#ifndef TESTS_EVENTS_WALK_H
#define TESTS_EVENTS_WALK_H

#include <stddef.h>
#include <stdint.h>

/* The number of events found, or the negative result of jfr_file_open_memory. */
int64_t events_walk(const void *bytes, size_t size);

#endif
