/* The terminal under the screen: whether a picture can be drawn on it, and how it was before. */
#ifndef CANDOR_CLI_TOP_TERMINAL_H
#define CANDOR_CLI_TOP_TERMINAL_H

#include "base/error.h"

/* Whether standard input and output are a terminal of a type that can be drawn on: 0, or -ENOTTY with e. */
int terminal_check(struct error *e);
/* Notes how the terminal is, to be called before it is changed. From here on a signal that kills us gives it back so. */
void terminal_hold(void);
/* It has been given back already. */
void terminal_let_go(void);

#endif
