/* candor report -o FILE: which format a report has, and where it goes. */
#ifndef CANDOR_CLI_REPORT_OUTPUT_H
#define CANDOR_CLI_REPORT_OUTPUT_H

#include "cli/cli.h"

#include <stdio.h>

enum report_format { REPORT_AS_TEXT, REPORT_AS_JSON, REPORT_AS_HTML, REPORT_FORMATS };

struct report_output {
    enum report_format format;
    const char *path; /* NULL = standard output */
};

/* By --format, --json, else the extension of -o. CLI_OK, or a status after saying what is wrong. */
int report_output_parse(const struct cli_args *args, struct report_output *o);
/* Calls write(out, arg), which returns 0 or a negative code, with the file that appears whole or not at all, or standard output.
 * name: of what is read, for messages. Returns a status. */
int report_output_write(const struct report_output *o, const char *name, int (*write)(FILE *out, void *arg), void *arg);

#endif
