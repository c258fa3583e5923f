/* Formats names for users. All names are made in this one place, so that the report, the flame graph and collapsed stacks agree.
 *
 *   Java method            pkg.Class.method
 *   native, stub, kernel   the function's name as it is, without its library
 *   sample without stack   [reason] symbol      (the symbol of the program counter; [reason] when there is none) */
#ifndef CANDOR_PROFILE_NAMES_H
#define CANDOR_PROFILE_NAMES_H

#include "base/buffer.h"

#include <stdbool.h>

/* Appends the name of a frame. class_name is written with dots. failed: the frame is of type JFR_FRAME_FAILED. */
void names_frame(struct buffer *out, const char *class_name, const char *method, bool failed);
/* Appends a label, shortened to `width` columns if possible. The parts of its package are shortened to initials, from the left:
 * "java.util.concurrent.ForkJoinPool.scan" -> "j.u.c.ForkJoinPool.scan". A C++ name that does not fit loses its template arguments:
 * "G1ScanEvacuated<G1Cset<true>>::apply" -> "G1ScanEvacuated<...>::apply". */
void names_short(struct buffer *out, const char *label, size_t width);

/* Appends a short name for a process, made from its command line, which begins with the main class or the jar: "org.x.Main" for
 * "org.x.Main --port 80", "app.jar" for "/opt/app.jar". */
void names_process(struct buffer *out, const char *command);

/* Returns what the reason in the name of a sample without a stack, "[reason] symbol", means. NULL = the name has no known reason. */
const char *names_reason(const char *label);

#endif
