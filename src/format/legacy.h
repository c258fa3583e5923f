/* Reads the profiles that pprof's libraries wrote before profile.proto, as pprof's own reader of them does:
 *
 *     words       0 3 0 PERIOD_US 0, then COUNT DEPTH ADDRESS..., 0 1 0 at the end: CPU time (gperftools, Go); 4 or 8 bytes, either order
 *     heap        heap profile: 1: 2 [3: 4] @ heap_v2/524288      then   1: 2 [3: 4] @ 0x12 0x34
 *     contention  --- contention: or --- mutex:                   then   CYCLES COUNT @ 0x12 0x34
 *     counts      goroutine profile: total 7                      then   COUNT @ 0x12 0x34
 *     threads     --- threadz 1 ---                               then   --- Thread 7f (name: x/12) stack: ---, addresses
 *
 * A map of the process's memory may follow. Addresses become the names that Go writes in comments, if it does, else they stay numbers.
 * The reader makes a profile.proto of the file, and pprof_read reads that: values are chosen there. */
#ifndef CANDOR_FORMAT_LEGACY_H
#define CANDOR_FORMAT_LEGACY_H

#include "format/import.h"

import_reader legacy_read;
/* Whether bytes, the beginning of a file, look like it. */
bool legacy_is(const uint8_t *bytes, size_t size);

#endif
