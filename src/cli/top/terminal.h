/* The terminal under the screen: whether a picture can be drawn on it, and how it was before. */
#ifndef CANDOR_CLI_TOP_TERMINAL_H
#define CANDOR_CLI_TOP_TERMINAL_H

#include "base/error.h"

/* Whether standard input and output are a terminal of a type that can be drawn on: 0, or -ENOTTY with e. */
int terminal_check(struct error *e);
/* Remembers the terminal's settings; call it before they are changed. From here on a signal that kills us restores them first. */
void terminal_hold(void);
/* Call it when the settings have been restored: signals do not restore them any more. */
void terminal_let_go(void);

#endif
