/* Names as users see them: one place, so that report, flame graph and collapsed stacks agree.
 *
 *   Java method            pkg.Class.method
 *   native, stub, kernel   the function's name as it is, without its library
 *   sample without stack   [reason] symbol      (the symbol of the program counter; [reason] when there is none)
 */
#ifndef CANDOR_PROFILE_NAMES_H
#define CANDOR_PROFILE_NAMES_H

#include "base/buffer.h"

#include <stdbool.h>

/* Appends the name of a frame. class_name is written with dots; failed = the frame is of type JFR_FRAME_FAILED. */
void names_frame(struct buffer *out, const char *class_name, const char *method, bool failed);
/* Appends the label, its package shortened to initials from the left until it fits in `width` columns, if it can:
 * "java.util.concurrent.ForkJoinPool.scan" -> "j.u.c.ForkJoinPool.scan"; of a C++ name that does not fit, the template arguments
 * left out: "G1ScanEvacuated<G1Cset<true>>::apply" -> "G1ScanEvacuated<...>::apply". */
void names_short(struct buffer *out, const char *label, size_t width);

/* Appends a short name for a process, from its command line, which begins with the main class or jar: "org.x.Main" for "org.x.Main
 * --port 80", "app.jar" for "/opt/app.jar". */
void names_process(struct buffer *out, const char *command);

#endif
