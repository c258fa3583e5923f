/* Treats SIGINT, SIGTERM and SIGHUP as a request to end. The first signal is noted; a second one of the same kind kills the process as
 * usual. */
#ifndef CANDOR_CLI_INTERRUPT_H
#define CANDOR_CLI_INTERRUPT_H

#include <stdbool.h>

/* Installs the handlers. Waiting system calls then return with EINTR. For a program with one thread; a second call does nothing. */
void interrupt_catch(void);
/* Sets a function to call before the second signal kills; NULL = none. `work` runs in a signal handler. */
void interrupt_before_death(void (*work)(void));
/* Returns the signal that has arrived, 0 if none. */
int interrupt_signal(void);
/* Whether a key on the terminal sent the signal. In that case every process of the terminal's group has received it, too. */
bool interrupt_by_terminal(void);

#endif
