/* --paths[=TIME] of record, start and dump: find the holders of live objects. TIME limits how long all of the JVM's threads are stopped
 * for it. */
#ifndef CANDOR_CLI_PATHS_OPTION_H
#define CANDOR_CLI_PATHS_OPTION_H

#include "cli/cli.h"

/* Reads the time that the option allows for walks of the heap; 0 = the option was not given. Returns CLI_OK or CLI_USAGE. */
int paths_option_read(const struct cli_args *args, unsigned long long *ns);
/* Prints, before the walks, how long the program may be stopped for them. */
void paths_option_say(unsigned long long ns, const char *when);

#endif
