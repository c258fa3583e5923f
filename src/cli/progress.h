/* One line on the terminal that is written over and over while a recording runs. Nothing where stderr is no terminal. */
#ifndef CANDOR_CLI_PROGRESS_H
#define CANDOR_CLI_PROGRESS_H

#include "attach/control.h"

/* duration_ns 0 = open end. The answer is one of `status`. */
void progress_show(unsigned long long elapsed_ns, unsigned long long duration_ns, const struct control_answer *answer);
/* Removes the line. */
void progress_clear(void);
/* 1234567 as "1,234,567". Returns out. */
char *progress_count(uint64_t n, char *out, size_t size);

#endif
