/* The page of recordings: every kind of sample that they have, or only the kind that was asked for. `convert` and `report` write it. */
#ifndef CANDOR_CLI_CONVERT_KINDS_PAGE_H
#define CANDOR_CLI_CONVERT_KINDS_PAGE_H

#include "cli/cli.h"
#include "profile/profile.h"

#include <stdio.h>

struct kinds_page {
    const struct cli_args *args; /* of which the options of input.h count; NULL = none */
    char **in;
    int count;
    const char *title; /* NULL = the process */
    bool threads;      /* the picture begins with a frame per thread */
};

enum { KINDS_PAGE_TITLE = 512 };

/* Writes the page. p: the samples that are shown first, with their classes as leaves (allocated.h); the other kinds are read here, from the
 * same files. 0 or a negative code; write errors stay in the stream. */
int kinds_page_write(const struct kinds_page *page, FILE *out, struct profile *p);
/* What was asked for, else the process, else the file's name. Returns out. */
const char *kinds_page_title(const struct kinds_page *page, const struct profile *p, char out[KINDS_PAGE_TITLE]);
/* Gives the stacks of objects and locks a leaf for their class, as formats of stacks show them. 0 or -ENOMEM. */
int kinds_page_add_classes(struct profile *p);

#endif
