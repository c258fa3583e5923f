/* Finds the exit status of a process that is not our child. */
#ifndef CANDOR_ATTACH_PROCESS_END_H
#define CANDOR_ATTACH_PROCESS_END_H

#include <sys/types.h>

/* Returns the exit status of a process that has ended, in the form that its parent gets from waitpid; -1 = unknown. If the parent has
 * already waited for the process, only Linux 6.15 and later report the status. handle: a pidfd that was opened while the process ran, or
 * -1. */
int process_end_status(int handle, pid_t pid);
/* Returns the exit status in a line of /proc/PID/stat (its last field) of a process that has ended; -1 for any other line. A status of 0
 * also gives -1, because the kernel shows 0 to users who may not see the status. */
int process_end_parse(const char *line);

#endif
