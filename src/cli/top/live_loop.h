/* candor top on a terminal: draws pictures and takes keys. */
#ifndef CANDOR_CLI_TOP_LIVE_LOOP_H
#define CANDOR_CLI_TOP_LIVE_LOOP_H

#include "cli/top/look.h"

/* Runs until the user quits, a signal arrives or the terminal goes away. Then restores the terminal. Returns CLI_OK or a status. */
int live_loop_run(struct look *l);

#endif
