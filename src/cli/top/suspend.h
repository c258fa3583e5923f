/* Handles Ctrl-Z (SIGTSTP) between two pictures. ncurses has its own handler, but it ignores the signal while it draws, so a Ctrl-Z at
 * that moment would be lost. If a handler is set before ncurses opens the terminal, ncurses does not install its own. */
#ifndef CANDOR_CLI_TOP_SUSPEND_H
#define CANDOR_CLI_TOP_SUSPEND_H

#include <poll.h>
#include <stdbool.h>

/* Holds the signal back until suspend_poll. If the signal was ignored before, it stays ignored. */
void suspend_hold(void);
void suspend_let_go(void);
/* Calls poll(2); the signal ends it early. */
void suspend_poll(struct pollfd *fds, nfds_t n, int ms);
/* Whether the signal has arrived. */
bool suspend_wanted(void);
/* Stops this process as the signal normally does. Returns when the process continues. */
void suspend_now(void);

#endif
