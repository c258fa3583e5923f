/* Runs a program as one operation. Its output is discarded. */
#ifndef CANDOR_LOAD_CHILD_H
#define CANDOR_LOAD_CHILD_H

#include <stdbool.h>

/* Starts the program; *fd becomes readable when it ends. Returns 0 or an errno (*pid and *fd are then 0 and -1). */
int child_start(char **command, int *pid, int *fd);
/* Whether the program has ended; *status is 0 if it succeeded. */
bool child_ended(int pid, int *status);
/* Kills the child and waits for its end. */
void child_kill(int pid);

#endif
