/* Finds the place where an object was allocated, as reports show it (profile/figures/leaks.c): the innermost method of the program's own
 * code, otherwise the innermost Java method, otherwise the innermost frame. Places are compared by name, because a class that is loaded
 * again has other methods, and compiled code has other frames. */
#ifndef CANDOR_AGENT_RECORD_NAMES_SITE_H
#define CANDOR_AGENT_RECORD_NAMES_SITE_H

#include "agent/record/names/names.h"

#include <stddef.h>
#include <stdint.h>

/* Returns a number for the place in the program that a stack shows; 0 = there are no frames. frames: words of hot/record.h, leaf first,
 * after names_stack has processed them. The number of a place does not change during the life of n. */
uint64_t site_of(struct names *n, const uint64_t *frames, size_t count);

#endif
