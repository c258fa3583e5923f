/* What a known method on a thread's stack means for the thread: a table of the methods' names. Stacks are searched in stack.h. */
#ifndef CANDOR_ANALYSIS_KNOWN_KNOWN_METHODS_H
#define CANDOR_ANALYSIS_KNOWN_KNOWN_METHODS_H

#include <stdint.h>

/* Bits by enum stack_mark. */
uint64_t known_method_marks(const char *class_name, const char *method);

#endif
