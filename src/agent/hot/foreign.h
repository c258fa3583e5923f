/* Records of contexts that other libraries of the process write, in the format of hot/context.h. Such a library exports a thread-local
 * variable of the same name as ours (OTEP 4947). Its place in a thread is either a fixed distance from the thread pointer, or a distance
 * within the library's block, to which the thread's vector of blocks (dtv) points. The handler must not ask the dynamic linker, which may
 * allocate the block, so it reads the vector itself. A thread without a block has never used the variable. */
#ifndef CANDOR_AGENT_HOT_FOREIGN_H
#define CANDOR_AGENT_HOT_FOREIGN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FOREIGN_MAX = 4 };

/* The places of the variables, packed into one word each; 0 = none. The agent's thread writes them (context/foreign.c). Relaxed order
 * suffices, because each word is complete. */
extern _Atomic uint64_t foreign_places[FOREIGN_MAX];

/* Return the place of a variable; 0 if it cannot be packed. */
uint64_t foreign_fixed(intptr_t from_thread_pointer);
uint64_t foreign_in_block(size_t module, size_t offset);
/* Finds the thread's block of a library. Returns false if the thread has none. thread_pointer: of any thread. */
bool foreign_block(uintptr_t thread_pointer, size_t module, uintptr_t *block);
/* Returns the record of the i-th library (below FOREIGN_MAX) for the thread with this thread pointer; 0 = none. The record may be any
 * address, and must be read with guarded loads. Async-signal-safe. */
uintptr_t foreign_record(uintptr_t thread_pointer, int i);

#endif
