/* Reads the text that `perf script` prints of a perf.data: for each sample a head, its frames from the innermost, and an empty line,
 *
 *     COMM PID/TID [CPU] SECONDS: PERIOD EVENT:
 *             7f722d119786 Ljava/io/FileOutputStream;::writeBytes+0x46 (/tmp/perf-19982.map)
 *
 * where all but COMM, TID and EVENT may be missing, and one frame may stand behind the head. Weights are the periods of one event:
 * nanoseconds of the clocks, else events; without periods they count samples. Java's frames are those of perf-map-agent, of
 * `jcmd Compiler.perfmap` and of `perf inject --jit`. */
#ifndef CANDOR_FORMAT_PERF_H
#define CANDOR_FORMAT_PERF_H

#include "format/import.h"

import_reader perf_read;
/* Whether bytes, the beginning of a file, look like it. */
bool perf_is(const uint8_t *bytes, size_t size);

#endif
