/* Writes the page of recordings, for `convert` and `report`. It shows every kind of sample that the recordings have, or only the kind
 * that the user asked for. */
#ifndef CANDOR_CLI_CONVERT_KINDS_PAGE_H
#define CANDOR_CLI_CONVERT_KINDS_PAGE_H

#include "cli/cli.h"
#include "page/recording_page.h"
#include "profile/profile.h"

#include <stdio.h>

struct kinds_page {
    const struct cli_args *args; /* the options of input.h among these are used; NULL = no options */
    char **in;
    int count;
    const char *title; /* NULL = the name of the process */
    bool threads;      /* each stack begins with a frame for its thread */
};

/* The options of a page that `report` and `convert` share. */
#define KINDS_PAGE_OPTIONS                                                                                                                 \
    {0, "trace-link", "URL", NULL,                                                                                                         \
     "in a page: where a tracing system shows a trace, with {trace} for its id, such as https://jaeger/trace/{trace}"},                    \
    {                                                                                                                                      \
        0, "source", "PATH", NULL,                                                                                                         \
            "show the source lines of the methods that cost most, with the cost of each; PATH has folders of source code with colons "     \
            "between them: a project, or the folder above the packages"                                                                    \
    }

/* Checks these options. Returns CLI_OK, or CLI_USAGE after printing the reason. */
int kinds_page_check(const struct cli_args *args);

/* Writes the page. p contains the samples that the page shows first, with their classes as leaves (allocated.h). The function reads the
 * other kinds from the same files. Returns 0 or a negative code; write errors stay in the stream. */
int kinds_page_write(const struct kinds_page *page, FILE *out, struct profile *p);
/* Returns out with the title: the one that was asked for, else the process, else the file's name. */
const char *kinds_page_title(const struct kinds_page *page, const struct profile *p, char out[PAGE_TITLE]);

#endif
