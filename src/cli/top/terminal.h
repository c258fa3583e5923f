/* Checks whether pictures can be drawn on the terminal, and restores its settings. */
#ifndef CANDOR_CLI_TOP_TERMINAL_H
#define CANDOR_CLI_TOP_TERMINAL_H

#include "base/error.h"

/* Checks whether standard input and output are a terminal of a type that can be drawn on. Returns 0, or -ENOTTY with e. */
int terminal_check(struct error *e);
/* Saves the terminal's settings. Call it before they are changed. From then on, a signal that kills this process restores them first. */
void terminal_hold(void);
/* Ends this; signals do not restore the settings any more. Call it after the settings have been restored. */
void terminal_let_go(void);

#endif
