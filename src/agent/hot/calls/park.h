/* Whether a thread waits because of LockSupport.park: its last Java frame is that of Unsafe.park. The first call walks to that
 * frame and learns where the compiled method calls the JVM; later calls compare addresses.
 *
 * Called by the thread itself, from below the JVM; the fault handler is installed. Wait-free. */
#ifndef CANDOR_AGENT_HOT_CALLS_PARK_H
#define CANDOR_AGENT_HOT_CALLS_PARK_H

#include <stdbool.h>
#include <stdint.h>

bool park_was_called(uintptr_t java_thread);
/* Forgets what was learned, because it refers to method ids, and the table of methods (hot/java/method.h) has changed. */
void park_forget(void);

#endif
