/* Which virtual thread a carrier has mounted. Handler side; bounded. */
#ifndef CANDOR_AGENT_HOT_JAVA_VIRTUAL_H
#define CANDOR_AGENT_HOT_JAVA_VIRTUAL_H

#include "agent/hot/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* java_thread: the carrier's JavaThread*, 0 = not known yet. entry: where its stack has the entry of the virtual thread's frames, 0 =
 * unknown. *thread: the virtual thread's object. False if that cannot be determined for certain. */
bool virtual_find(uintptr_t java_thread, uintptr_t entry, uintptr_t *thread);
/* Whether a virtual thread is mounted, without a stack to show it. */
bool virtual_is_mounted(uintptr_t java_thread);

/* What a record says of a virtual thread (hot/record.h); carrier: the carrier's own id. Returns how many words. */
size_t virtual_describe(uintptr_t java_thread, enum jfr_thread_state state, uintptr_t entry, int64_t carrier,
                        uint64_t words[RECORD_VIRTUAL_MAX]);

#endif
