/* SIGINT, SIGTERM and SIGHUP as a request to end: the first is noted, the second of the same kind kills as usual. */
#ifndef CANDOR_CLI_INTERRUPT_H
#define CANDOR_CLI_INTERRUPT_H

#include <stdbool.h>

/* Installs the handlers; waiting system calls return with EINTR. One thread; again does nothing. */
void interrupt_catch(void);
/* Work to do before the second signal kills; NULL = nothing. `work` runs in a signal handler. */
void interrupt_before_death(void (*work)(void));
/* The signal that came, 0 when none did. */
int interrupt_signal(void);
/* True when a terminal key sent it: then every process of the terminal's group has got it too. */
bool interrupt_by_terminal(void);

#endif
