/* The memory of threads' records (hot/context.h): one mapping, in which each record takes RECORDS_STRIDE bytes. It is created
 * with the first record, and never unmapped: Java has it as one buffer and may write into it at any time. Any ordinary thread
 * may call these functions; a record is taken by the thread that will own it. Lock-free. */
#ifndef CANDOR_AGENT_CONTEXT_RECORDS_H
#define CANDOR_AGENT_CONTEXT_RECORDS_H

#include <stddef.h>
#include <stdint.h>

enum { RECORDS_MAX = 1 << 16, RECORDS_STRIDE = 1024 };

/* Returns the mapping, or NULL if there is not enough address space. */
void *records_memory(size_t *bytes);

/* Returns the number of the calling thread's own record, the same at each call. A new record is valid and empty, the thread's pointer is
 * set to it, and it is given back automatically when the thread ends. Returns -1 if all RECORDS_MAX are in use. */
int records_take_own(void);
/* Takes a free record for a virtual thread. The record is valid and empty. Returns its number, or -1 if all RECORDS_MAX are in use. */
int records_take(void);
void records_give(int record);
/* Returns the address of a record; 0 for an invalid number. */
uintptr_t records_address(int record);

/* Gives the calling thread this record from now on (hot/context.h). 0: the thread gets its own record again, if it has one. */
void records_point(uintptr_t record);

#endif
