/* Does to a recording what `candor summary`, `print`, `scrub` and `report --kind halt` do, and forgets it: for the fuzzer and for
 * the tests of damaged files. Aborts when what is printed is no UTF-8, when they do not agree on the number of events, or when what scrub
 * writes is not whole, or when the time of the halts does not add up. */
#ifndef TESTS_EVENTS_WALK_H
#define TESTS_EVENTS_WALK_H

#include <stddef.h>
#include <stdint.h>

/* How many events were found, or what jfr_file_open_memory said (negative). */
int64_t events_walk(const void *bytes, size_t size);

#endif
