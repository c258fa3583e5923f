/* Shows one line on the terminal that is overwritten again and again while a recording runs. Prints nothing if stderr is not a terminal. */
#ifndef CANDOR_CLI_PROGRESS_H
#define CANDOR_CLI_PROGRESS_H

#include "attach/control.h"

/* Shows the progress. duration_ns 0 = no fixed end. The answer is the agent's answer to `status`. */
void progress_show(unsigned long long elapsed_ns, unsigned long long duration_ns, const struct control_answer *answer);
/* Removes the line. */
void progress_clear(void);
/* Writes 1234567 as "1,234,567". Returns out. */
char *progress_count(uint64_t n, char *out, size_t size);

#endif
