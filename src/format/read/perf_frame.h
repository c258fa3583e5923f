/* A frame of `perf script` in the model: the kernel's, native code's, and Java's, whose symbols have several forms; the inside of
 * perf_read.c. */
#ifndef CANDOR_FORMAT_READ_PERF_FRAME_H
#define CANDOR_FORMAT_READ_PERF_FRAME_H

#include "format/import.h"
#include "format/read/perf_line.h"

/* Adds the frame to the stack, or several frames, innermost first, if the symbol also names inlined methods. 0 or -ENOMEM. */
int perf_frame_add(struct profile *p, const struct perf_frame *f, struct import_stack *stack);

#endif
