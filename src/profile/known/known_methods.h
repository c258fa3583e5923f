/* Finds the marks of known methods in a table of the methods' names. Stacks are searched in stack.h. */
#ifndef CANDOR_PROFILE_KNOWN_KNOWN_METHODS_H
#define CANDOR_PROFILE_KNOWN_KNOWN_METHODS_H

#include <stdint.h>

/* Returns the marks of a method, as bits by enum stack_mark. */
uint64_t known_method_marks(const char *class_name, const char *method);

#endif
