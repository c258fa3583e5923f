/* How a process that is not our child has ended. */
#ifndef CANDOR_ATTACH_PROCESS_END_H
#define CANDOR_ATTACH_PROCESS_END_H

#include <sys/types.h>

/* After its end: the status that its parent gets of waitpid, or -1 where nobody tells it: of a process that its parent has waited for
 * already only kernels from 6.15 on do. handle: a pidfd from when it ran, or -1. */
int process_end_status(int handle, pid_t pid);
/* The last field of a line of /proc/PID/stat where that is of a process that has ended; 0, which also stands there for who may not see
 * it, and all else is -1. */
int process_end_parse(const char *line);

#endif
