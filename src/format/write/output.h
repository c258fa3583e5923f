/* A file that is either written whole or not at all: bytes go to a temporary file beside it, which gets the name at the end.
 * "-" is standard output; an existing path that is not a regular file (a pipe, /dev/null) is written directly.
 *
 *   output_open -> fprintf(o.file, ...) -> output_close (keeps it) or output_abandon (removes what was written)
 *
 * Errors carry the path and the reason. */
#ifndef CANDOR_FORMAT_WRITE_OUTPUT_H
#define CANDOR_FORMAT_WRITE_OUTPUT_H

#include "base/error.h"

#include <stdio.h>

struct output {
    FILE *file;
    char *path;      /* for messages */
    char *target;    /* what the temporary file becomes: path with symbolic links followed; NULL = written directly */
    char *temporary; /* NULL = written directly */
};

int output_open(struct output *o, const char *path, struct error *e);
/* The same for a file whose name the user did not choose. It follows no link, and replaces only a file that Candor itself wrote,
 * which has `mark` in its first 4 KiB. The new file can be read by the same users as the file `like`. */
int output_open_own(struct output *o, const char *path, const char *mark, const char *like, struct error *e);
/* Flushes to the disk and renames. On failure (disk full, ...) nothing is left behind and an earlier file is untouched. */
int output_close(struct output *o, struct error *e);
/* Gives the file its name already now, with its content so far; more may follow. output_close reports a failure of this. */
void output_publish(struct output *o);
void output_abandon(struct output *o);

#endif
