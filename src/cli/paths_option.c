#include "cli/paths_option.h"

#include "base/agreed/recording_options.h"
#include "base/text/units.h"

#include <stdio.h>

int paths_option_read(const struct cli_args *args, unsigned long long *ns)
{
    struct recording_option_value value = {0};
    struct error e;
    const char *text = cli_option(args, "paths");
    if (text && recording_option_read(OPTION_PATHS, text, &value, &e))
        return cli_usage(args->command, "--%s", e.text);
    *ns = value.number;
    return CLI_OK;
}

void paths_option_say(unsigned long long ns, const char *when)
{
    char text[32];
    fprintf(stderr,
            "candor: %s all threads will be stopped for up to %s in all, while the JVM walks the heap to find what keeps objects alive\n",
            when, units_format_duration(text, sizeof text, ns));
}
