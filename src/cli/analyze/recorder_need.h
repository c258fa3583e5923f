/* Decides from the first seconds of a recording whether the JDK's own recorder must take part in the rest. It costs the program half a
 * second of CPU time when it starts, and most programs show none of the problems that only its events describe. */
#ifndef CANDOR_CLI_ANALYZE_RECORDER_NEED_H
#define CANDOR_CLI_ANALYZE_RECORDER_NEED_H

#include "analysis/evidence.h"

/* Returns what the evidence shows that only the JDK's recorder explains: "threads wait for sockets or files". NULL = nothing. */
const char *recorder_need(const struct evidence *e);

#endif
