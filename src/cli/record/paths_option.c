#include "cli/record/paths_option.h"

#include "base/units.h"

#include <stdio.h>

enum { MOST_S = 600 };

int paths_option_read(const struct cli_args *args, unsigned long long *ns)
{
    int status = cli_duration(args, "paths", 0, ns);
    if (status)
        return status;
    if (cli_option(args, "paths") && (!*ns || *ns > MOST_S * 1000000000ull))
        return cli_usage(args->command, "--paths=%.40s: use the time that all threads may be stopped for it, up to 10m, such as 200ms",
                         cli_option(args, "paths"));
    return CLI_OK;
}

void paths_option_say(unsigned long long ns, const char *when)
{
    char text[32];
    fprintf(stderr, "candor: %s all threads will stand still for up to %s together, while the heap is walked for who holds what is alive\n",
            when, units_format_duration(text, sizeof text, ns));
}
