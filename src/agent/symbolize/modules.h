/* Updates hot/unwind/module.h's table when the process loads or unloads libraries. Only the agent's thread uses it. */
#ifndef CANDOR_AGENT_SYMBOLIZE_MODULES_H
#define CANDOR_AGENT_SYMBOLIZE_MODULES_H

#include <stdint.h>

struct dl_phdr_info;

/* Finds the range of a library's code; low > high: it has none. */
void modules_text_bounds(const struct dl_phdr_info *info, uintptr_t *low, uintptr_t *high);
/* Updates the table. It is fast if nothing was loaded or unloaded since the last call. */
void modules_update(void);
/* Returns how many libraries the process had loaded and unloaded during its life, as of the last update. */
unsigned long long modules_changes(void);

#endif
