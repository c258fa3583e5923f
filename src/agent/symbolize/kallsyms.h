/* Names of the kernel's functions, from /proc/kallsyms. The file takes tens of milliseconds to read, so it is read when the
 * first name is needed; about 3 MB stay until kallsyms_close. Collector only. */
#ifndef CANDOR_AGENT_SYMBOLIZE_KALLSYMS_H
#define CANDOR_AGENT_SYMBOLIZE_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

/* The function that holds pc; NULL when it is not known. Valid until kallsyms_close. */
const char *kallsyms_find(uint64_t pc);
/* Whether this process is shown addresses: the setting kernel.kptr_restrict decides. */
bool kallsyms_readable(void);
void kallsyms_close(void);

#endif
