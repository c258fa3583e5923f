/* The file that a JVM writes for us: a recording, or a copy of one. Where the JVM runs already we open it, with the rights of
 * who runs candor and where he sees it, and pass it to the agent as a descriptor: the JVM's own user, root and mounts do not
 * matter. Functions that return a status have printed their error line. */
#ifndef CANDOR_CLI_RECORD_RECORDING_FILE_H
#define CANDOR_CLI_RECORD_RECORDING_FILE_H

#include "attach/control.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct recording_file {
    char path[PATH_MAX]; /* absolute */
    int fd;              /* -1 = not open */
    bool made;           /* by recording_file_open or recording_file_make */
};

/* Sets the absolute path and sees, without touching anything, that it can be written. CLI_OK or a status. */
int recording_file_choose(struct recording_file *f, const char *path);
/* Opens the file, and makes it when there is none; what an existing one holds stays until the recording begins. CLI_OK or
 * a status. */
int recording_file_open(struct recording_file *f);
/* Makes one of a name of its own in the folder for temporary files, and opens it, for a command that needs it only for itself. CLI_OK or a
 * status. */
int recording_file_make(struct recording_file *f, const char *command, pid_t pid);
/* Adds the file to a request: open, by its descriptor; else by its path. */
void recording_file_option(const struct recording_file *f, struct control_request *request);
/* Closes it, if it is open. */
void recording_file_close(struct recording_file *f);
/* The same when nothing was written to it: what we made is removed. */
void recording_file_discard(struct recording_file *f);

#endif
