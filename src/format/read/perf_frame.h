/* Makes the model's frames from a frame of `perf script`, for perf_read.c: frames of the kernel, of native code, and of Java, whose
 * symbols have several forms. */
#ifndef CANDOR_FORMAT_READ_PERF_FRAME_H
#define CANDOR_FORMAT_READ_PERF_FRAME_H

#include "format/import.h"
#include "format/read/perf_line.h"

/* Adds the frame to the stack, or several frames, innermost first, if the symbol also names inlined methods. Returns 0 or -ENOMEM. */
int perf_frame_add(struct profile *p, const struct perf_frame *f, struct import_stack *stack);

#endif
