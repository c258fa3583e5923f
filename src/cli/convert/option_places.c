#include "cli/convert/option_places.h"

#include <stdbool.h>
#include <string.h>

/* Options of some formats only. No format's name is a part of another's, so a list is searched as text. */
static const struct place {
    const char *option;
    const char *formats;
} places[] = {
    {"otlp-version", "otlp"},         {"source", "html"},     {"threads", "collapsed and html"},
    {"title", "html and speedscope"}, {"trace-link", "html"}, {"unit", "collapsed"},
};

/* Options that choose samples, or change their names. A recording and machine code are written whole. */
static const char *const choosing[] = {"kind",    "value",       "time",  "thread",    "state", "method",     "not-method",
                                       "package", "not-package", "label", "not-label", "type",  "full-names", NULL};

static bool is_whole(const char *format)
{
    return !strcmp(format, "jfr") || !strcmp(format, "perfmap") || !strcmp(format, "jitdump");
}

int option_places_check(const struct cli_args *args, const char *format)
{
    for (const struct place *p = places; p < places + sizeof places / sizeof *places; p++)
        if (cli_option(args, p->option) && !strstr(p->formats, format))
            return cli_usage(args->command, "--%s is for %s, and OUT is %s: leave the option out, or choose another OUT", p->option,
                             p->formats, format);
    for (const char *const *name = choosing; is_whole(format) && *name; name++)
        if (cli_option(args, *name))
            return cli_usage(args->command, "--%s %s, but %s has the whole recording: leave the option out", *name,
                             !strcmp(*name, "full-names") ? "changes names" : "chooses samples", format);
    return CLI_OK;
}
