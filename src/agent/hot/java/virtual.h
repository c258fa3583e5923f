/* Finds the virtual thread that a carrier has mounted. Handlers call these functions, and their work is bounded. */
#ifndef CANDOR_AGENT_HOT_JAVA_VIRTUAL_H
#define CANDOR_AGENT_HOT_JAVA_VIRTUAL_H

#include "agent/hot/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds the virtual thread's object. java_thread: the carrier's JavaThread*, 0 = not known yet. entry: the address on its stack of the
 * entry of the virtual thread's frames, 0 = unknown. Returns false if the object cannot be determined for certain. */
bool virtual_find(uintptr_t java_thread, uintptr_t entry, uintptr_t *thread);
/* Whether a virtual thread is mounted. It needs no stack walk. */
bool virtual_is_mounted(uintptr_t java_thread);

/* Writes the description of a virtual thread for a record (hot/record.h). carrier: the carrier's own id. Returns the number of words. */
size_t virtual_describe(uintptr_t java_thread, enum jfr_thread_state state, uintptr_t entry, int64_t carrier,
                        uint64_t words[RECORD_VIRTUAL_MAX]);

#endif
