/* Where instrument.c hands over what the instrumented code does, in the thread that runs at present. */
#ifndef MODEL_INSTRUMENT_H
#define MODEL_INSTRUMENT_H

#include "memory.h"

/* An atomic operation: returns when the schedule has let it happen. */
struct memory_outcome explore_operate(struct memory_op op);

/* A plain access; a race ends the exploration. */
void explore_access(const void *address, size_t size, bool write);

#endif
