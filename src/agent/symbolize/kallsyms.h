/* Finds names of the kernel's functions, from /proc/kallsyms. The file takes tens of milliseconds to read, so it is read when the first
 * name is needed; about 2.5 MB stay until kallsyms_close. Only the collector uses this file. */
#ifndef CANDOR_AGENT_SYMBOLIZE_KALLSYMS_H
#define CANDOR_AGENT_SYMBOLIZE_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the name of the function that contains pc; NULL if it is not known. It is valid until kallsyms_close. */
const char *kallsyms_find(uint64_t pc);
/* Whether the kernel shows addresses to this process. The setting kernel.kptr_restrict decides. */
bool kallsyms_readable(void);
void kallsyms_close(void);

#endif
