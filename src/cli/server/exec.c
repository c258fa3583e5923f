/* Starts candor-server, a separate program in candor's folder or in PATH. It is separate because its libraries are not on every machine
 * to which candor is copied. */
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 2 * CLI_OPTIONS_MAX + 2 };

/* Writes the options as candor understood them to argv, each of them once. */
static void fill(const struct cli_args *args, char **argv, char (*names)[64])
{
    int n = 0;
    argv[n++] = "candor-server";
    for (int i = 0; args->command->options[i].name; i++) {
        if (!args->values[i])
            continue;
        snprintf(names[i], sizeof names[i], "--%s", args->command->options[i].name);
        argv[n++] = names[i];
        if (args->command->options[i].value)
            argv[n++] = (char *)args->values[i];
    }
    argv[n] = NULL;
}

int server_command_run(const struct cli_args *args)
{
    char *argv[ARGUMENTS_MAX], names[CLI_OPTIONS_MAX][64], path[PATH_MAX + 32];
    fill(args, argv, names);
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
    path[n > 0 ? n : 0] = 0;
    char *slash = strrchr(path, '/');
    if (slash) {
        snprintf(slash + 1, sizeof path - (size_t)(slash + 1 - path), "candor-server");
        execv(path, argv);
    }
    execvp("candor-server", argv);
    return cli_fail("candor-server cannot be started: %s; install it beside this program or in PATH", strerror(errno));
}
