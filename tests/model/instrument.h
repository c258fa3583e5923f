/* The interface through which instrument.c reports the memory accesses of the instrumented code, in the thread that runs at present. */
#ifndef MODEL_INSTRUMENT_H
#define MODEL_INSTRUMENT_H

#include "memory.h"

/* An atomic operation: returns when the schedule has executed it. */
struct memory_outcome explore_operate(struct memory_op op);

/* A plain access; a race ends the exploration. */
void explore_access(const void *address, size_t size, bool write);

#endif
