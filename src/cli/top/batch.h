/* candor top --batch: prints pictures as plain text, one after the other. */
#ifndef CANDOR_CLI_TOP_BATCH_H
#define CANDOR_CLI_TOP_BATCH_H

#include "cli/top/look.h"

/* Prints l->count pictures. If that is 0, prints until a signal arrives or the JVM ends. Returns CLI_OK or a status. */
int batch_run(struct look *l);

#endif
