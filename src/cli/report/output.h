/* candor report -o FILE: the format of a report, and the file that it is written to. */
#ifndef CANDOR_CLI_REPORT_OUTPUT_H
#define CANDOR_CLI_REPORT_OUTPUT_H

#include "cli/cli.h"

#include <stdio.h>

enum report_format { REPORT_AS_TEXT, REPORT_AS_JSON, REPORT_AS_HTML, REPORT_FORMATS };

struct report_output {
    enum report_format format;
    const char *path; /* NULL = standard output */
};

/* Chooses the format by --format or --json, else by the extension of -o. Returns CLI_OK, or a status after printing what is wrong. */
int report_output_parse(const struct cli_args *args, struct report_output *o);
/* Calls write(out, arg), which returns 0 or a negative code. out is standard output, or a file that appears only when it is complete.
 * name: the input's name, for messages. Returns a status. */
int report_output_write(const struct report_output *o, const char *name, int (*write)(FILE *out, void *arg), void *arg);

#endif
