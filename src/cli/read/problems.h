/* Problems that were found in a recording while it was read. */
#ifndef CANDOR_CLI_READ_PROBLEMS_H
#define CANDOR_CLI_READ_PROBLEMS_H

#include "jfr/read/reader.h"

/* One line "candor: FILE: ..." on standard error for each of them. */
void problems_print(const char *file, const struct jfr_problems *problems);

#endif
