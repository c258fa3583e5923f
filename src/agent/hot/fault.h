/* The SIGSEGV and SIGBUS handler behind hot/load.h. It stands in front of the JVM's own handler and passes on every fault
 * that is not one of our loads. */
#ifndef CANDOR_AGENT_HOT_FAULT_H
#define CANDOR_AGENT_HOT_FAULT_H

#include <stdbool.h>

/* Call after the JVM has installed its handlers (VMInit). 0 or a negative errno. */
int fault_install(void);
/* Restores the former handlers. False when someone has put a handler in front of ours meanwhile: then ours stays in the
 * chain, passing everything on. Call only when no handler of ours can be loading. */
bool fault_remove(void);

#endif
