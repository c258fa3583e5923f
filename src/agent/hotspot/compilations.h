/* Finds compilations in the code cache. */
#ifndef CANDOR_AGENT_HOTSPOT_COMPILATIONS_H
#define CANDOR_AGENT_HOTSPOT_COMPILATIONS_H

#include <stdint.h>

/* Returns the highest number of a compilation whose code is in the code cache; 0 if there is none. It takes tens of milliseconds with a
 * large code cache, and compilers may run meanwhile. The fault handler (hot/fault/fault.h) must be installed. Handlers must not call it. */
uint64_t compilations_newest(void);

#endif
