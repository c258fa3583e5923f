/* The compilations in the code cache. */
#ifndef CANDOR_AGENT_HOTSPOT_COMPILATIONS_H
#define CANDOR_AGENT_HOTSPOT_COMPILATIONS_H

#include <stdint.h>

/* The highest number of a compilation whose code is there; 0 when there is none. Tens of milliseconds with a large code cache;
 * beside running compilers. Needs the fault handler (hot/fault/fault.h); not in a handler. */
uint64_t compilations_newest(void);

#endif
