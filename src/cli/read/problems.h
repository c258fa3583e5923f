/* Prints problems that were found while a recording was read. */
#ifndef CANDOR_CLI_READ_PROBLEMS_H
#define CANDOR_CLI_READ_PROBLEMS_H

#include "jfr/read/reader.h"

/* Prints one line "candor: FILE: ..." on standard error for each problem. */
void problems_print(const char *file, const struct jfr_problems *problems);

#endif
