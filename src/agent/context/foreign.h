/* Finds the thread-local variables of other libraries that publish contexts (hot/foreign.h), and the names of their keys. The agent's
 * thread calls these functions, while the fault handler is installed. */
#ifndef CANDOR_AGENT_CONTEXT_FOREIGN_H
#define CANDOR_AGENT_CONTEXT_FOREIGN_H

#include <stdint.h>

/* Looks for the variables if the process has loaded or unloaded libraries since the last call, and for the process's context once a second
 * if there is such a variable. */
void foreign_update(void);

#endif
