/* The methods that the table of costs stands for (costs.h). */
#ifndef CANDOR_ANALYSIS_KNOWN_COST_METHODS_H
#define CANDOR_ANALYSIS_KNOWN_COST_METHODS_H

#include <stdint.h>

/* Bits by enum stack_mark. */
uint64_t cost_method_marks(const char *class_name, const char *method);

#endif
