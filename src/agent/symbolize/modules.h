/* Keeps hot/unwind/module.h's table in step with the libraries the process has loaded. The agent's thread only. */
#ifndef CANDOR_AGENT_SYMBOLIZE_MODULES_H
#define CANDOR_AGENT_SYMBOLIZE_MODULES_H

#include <stdint.h>

struct dl_phdr_info;

/* Where the code of a library lies; low > high: it has none. */
void modules_text_bounds(const struct dl_phdr_info *info, uintptr_t *low, uintptr_t *high);
/* Cheap when nothing was loaded or unloaded since the last call. */
void modules_update(void);
/* How many libraries had been loaded and unloaded in the life of the process at the last update. */
unsigned long long modules_changes(void);

#endif
