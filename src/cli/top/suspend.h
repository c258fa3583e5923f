/* Ctrl-Z (SIGTSTP), handled between two pictures. ncurses has its own handler, but ignores the signal while it draws, so a
 * Ctrl-Z at that moment would be lost. It leaves the signal to a handler that was set before it opens the terminal. */
#ifndef CANDOR_CLI_TOP_SUSPEND_H
#define CANDOR_CLI_TOP_SUSPEND_H

#include <poll.h>
#include <stdbool.h>

/* From now on the signal waits for suspend_poll. One that was ignored before stays ignored. */
void suspend_hold(void);
void suspend_let_go(void);
/* poll(2), which the signal ends early. */
void suspend_poll(struct pollfd *fds, nfds_t n, int ms);
/* Whether the signal has come. */
bool suspend_wanted(void);
/* Stops this process as the signal does by itself; returns when it goes on. */
void suspend_now(void);

#endif
