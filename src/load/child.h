/* A program that is run as one operation, with its output discarded. */
#ifndef CANDOR_LOAD_CHILD_H
#define CANDOR_LOAD_CHILD_H

#include <stdbool.h>

/* Starts it; *fd becomes readable when it ends. 0 or an errno (*pid and *fd are then 0 and -1). */
int child_start(char **command, int *pid, int *fd);
/* Whether it has ended; status 0 when it ended well. */
bool child_ended(int pid, int *status);
/* Kills the child and waits for its end. */
void child_kill(int pid);

#endif
