/* candor top on a terminal. */
#ifndef CANDOR_CLI_TOP_LIVE_LOOP_H
#define CANDOR_CLI_TOP_LIVE_LOOP_H

#include "cli/top/look.h"

/* Runs until the user quits, a signal comes or the terminal goes away; then the terminal is as it was. CLI_OK or a status. */
int live_loop_run(struct look *l);

#endif
