/* Functions for the output of all commands: error lines, colors, and the end of standard output. */
#include "base/text/utf8.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Prints an error line. It may contain names that the user or another process chose, so it is kept to one line without control
 * characters. */
static void error_line(const char *format, va_list args, const char *tail)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    fflush(stdout);
    const char *bold = cli_colour(stderr) ? "\033[31m" : "", *off = *bold ? "\033[m" : "";
    fprintf(stderr, "%scandor:%s ", bold, off);
    utf8_print(stderr, text);
    fprintf(stderr, "%s\n", tail);
}

int cli_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    error_line(format, args, "");
    va_end(args);
    return CLI_FAILED;
}

int cli_usage(const struct cli_command *command, const char *format, ...)
{
    char tail[64];
    snprintf(tail, sizeof tail, " (see 'candor help%s%s')", command ? " " : "", command ? command->name : "");
    va_list args;
    va_start(args, format);
    error_line(format, args, tail);
    va_end(args);
    return CLI_USAGE;
}

int cli_finish_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return CLI_OK;
    if (errno == EPIPE)
        return CLI_FAILED; /* the reader has closed the pipe, which needs no message */
    return cli_fail("cannot write standard output: %s", strerror(errno));
}

unsigned cli_width(FILE *f)
{
    struct winsize size;
    if (!isatty(fileno(f)))
        return 0;
    return !ioctl(fileno(f), TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : 80;
}

bool cli_colour(FILE *f)
{
    const char *refuse = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(refuse && *refuse) && term && strcmp(term, "dumb") && isatty(fileno(f));
}
