/* Finds the methods that belong to the rows of the table of costs (costs.h). */
#ifndef CANDOR_PROFILE_KNOWN_COST_METHODS_H
#define CANDOR_PROFILE_KNOWN_COST_METHODS_H

#include <stdint.h>

/* Returns the marks of a method, as bits by enum stack_mark. */
uint64_t cost_method_marks(const char *class_name, const char *method);

#endif
