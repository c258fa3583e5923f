/* Writes a file so that it appears only when it is complete. Bytes go to a temporary file in the same folder, which gets the final name at
 * the end. "-" is standard output. An existing path that is not a regular file (a pipe, /dev/null) is written directly.
 *
 *   output_open -> fprintf(o.file, ...) -> output_close (keeps the file) or output_abandon (removes it)
 *
 * Errors contain the path and the reason. */
#ifndef CANDOR_FORMAT_WRITE_OUTPUT_H
#define CANDOR_FORMAT_WRITE_OUTPUT_H

#include "base/error.h"

#include <stdio.h>

struct output {
    FILE *file;
    char *path;      /* for messages */
    char *target;    /* the final name of the temporary file: path after following symbolic links; NULL = written directly */
    char *temporary; /* NULL = written directly */
};

int output_open(struct output *o, const char *path, struct error *e);
/* Opens a file whose name the user did not choose. It follows no link, and replaces only a file that Candor itself wrote, which has
 * `mark` in its first 4 KiB. The users who can read the file `like` can read the new file, too, and no others. */
int output_open_own(struct output *o, const char *path, const char *mark, const char *like, struct error *e);
/* Flushes the file to the disk and gives it its final name. If this fails (disk full, ...), nothing remains of the new file, and an
 * earlier file is unchanged. */
int output_close(struct output *o, struct error *e);
/* Gives the file its final name at once, with its content so far; more may follow. output_close reports it if this failed. */
void output_publish(struct output *o);
void output_abandon(struct output *o);

#endif
