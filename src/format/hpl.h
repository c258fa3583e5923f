/* Reads Honest-Profiler's logs (.hpl): big-endian records, each after a byte with its kind.
 *
 *     1 trace: frames i32, thread i64        11 the same, and seconds i64, nanoseconds i64
 *     2 frame: bci i32, method i64           21 frame: bci i32, line i32, method i64        innermost first
 *     3 method: id i64, file, class, name    31 the same, with generic class, signature and generic signature
 *     4 thread: id i64, name                 0 the end of what was written;   a text: length i32, bytes
 *
 * Weights count samples. A place that its walker could not walk is a frame of the class AGCT there, and a failed sample here. */
#ifndef CANDOR_FORMAT_HPL_H
#define CANDOR_FORMAT_HPL_H

#include "format/import.h"

import_reader hpl_read;
bool hpl_is(const uint8_t *bytes, size_t size);

#endif
