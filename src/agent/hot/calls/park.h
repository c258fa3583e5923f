/* Whether a thread waits because of LockSupport.park: its last Java frame is that of Unsafe.park. The first call walks to that frame and
 * learns where the compiled method calls the JVM; later calls compare addresses.
 *
 * The thread itself calls park_was_called, in a function that the JVM has called. The fault handler must be installed. The functions are
 * wait-free. */
#ifndef CANDOR_AGENT_HOT_CALLS_PARK_H
#define CANDOR_AGENT_HOT_CALLS_PARK_H

#include <stdbool.h>
#include <stdint.h>

bool park_was_called(uintptr_t java_thread);
/* Forgets what was learned, because it refers to method ids, and the table of methods (hot/java/method.h) has changed. */
void park_forget(void);

#endif
