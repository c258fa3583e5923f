/* candor top --batch: pictures as plain text, one after the other. */
#ifndef CANDOR_CLI_TOP_BATCH_H
#define CANDOR_CLI_TOP_BATCH_H

#include "cli/top/look.h"

/* Prints l->count pictures, or prints until told to end, or the JVM does. CLI_OK or a status. */
int batch_run(struct look *l);

#endif
