/* Prints one event for users, in the form of `jfr print`:
 *
 *   jdk.ThreadPark {
 *     startTime = 16:40:27.061989575 (2026-11-22)
 *     duration = 14.7 ms
 *     parkedClass = N/A
 *     eventThread = "churn-1" (javaThreadId = 27)
 *     stackTrace = [
 *       java.util.concurrent.locks.LockSupport.parkNanos(long) line: 408
 *       ...
 *     ]
 *   }
 *
 * Numbers have their units. exact: they have all digits. Times are local. Text from the recording is printed without control characters.
 * Structs deeper than AS_TEXT_DEPTH_MAX, and values of one event beyond AS_TEXT_VALUES_MAX, are printed as "...". */
#ifndef CANDOR_EVENTS_AS_TEXT_H
#define CANDOR_EVENTS_AS_TEXT_H

#include "jfr/read/reader.h"

#include <stdio.h>

enum { AS_TEXT_DEPTH_MAX = 8, AS_TEXT_VALUES_MAX = 1 << 16 };

struct as_text {
    FILE *out;
    uint32_t stack_depth; /* frames of a stack trace; 0 = all */
    bool exact;
    uint64_t values; /* number of values of the current event so far */
};

void as_text_event(struct as_text *w, struct jfr_event *event);

#endif
