/* The file that a JVM writes for us: a recording, or a copy of one. If the JVM is already running, we open the file, with the
 * rights and in the file system of the user who runs candor, and pass it to the agent as a descriptor, so the JVM's user, root
 * and mounts do not matter. Functions that return a status have already printed their message. */
#ifndef CANDOR_CLI_RECORD_RECORDING_FILE_H
#define CANDOR_CLI_RECORD_RECORDING_FILE_H

#include "attach/control.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

struct file_id {
    dev_t device;
    ino_t number;
    struct timespec changed;
};

struct recording_file {
    char path[PATH_MAX];   /* absolute */
    char beside[PATH_MAX]; /* its name until it has that of path; empty = it has it */
    int fd;                /* -1 = not open */
    int replaced;          /* the recording that goes then, locked; -1 = there is none */
    bool made;             /* by recording_file_open or recording_file_make */
    struct file_id own;    /* number 0: it was not opened here */
    struct file_id before; /* what stood there when it was chosen; number 0: nothing, or an empty file */
};

/* Sets the absolute path, and checks that it can be written, without changing anything. CLI_OK or a status. */
int recording_file_choose(struct recording_file *f, const char *path);
/* Opens the file, and makes it when there is none. Where there is a recording already, one beside it is made, and what is there stays
 * until recording_file_place; nothing but a recording is replaced. CLI_OK or a status. */
int recording_file_open(struct recording_file *f);
/* Makes and opens a file with a unique name in the folder for temporary files, for a command that needs a recording only for itself.
 * CLI_OK or a status. */
int recording_file_make(struct recording_file *f, const char *command, pid_t pid);
/* Adds the file to a request: open, by its descriptor; else by its path. */
void recording_file_option(const struct recording_file *f, struct control_request *request);
/* Closes it, if it is open. */
void recording_file_close(struct recording_file *f);
/* Whether st, of the file that the path names after the recording, is the file that we opened (true if we opened none); and whether
 * it is the file that was there before, unchanged. */
bool recording_file_is_own(const struct recording_file *f, const struct stat *st);
bool recording_file_is_before(const struct recording_file *f, const struct stat *st);
/* Whether it waits for recording_file_place: the file of that name is still another one. */
bool recording_file_waits(const struct recording_file *f);
/* Gives the recording its final name, with the owner and the mode of the file that it replaces. CLI_OK or a status. */
int recording_file_place(struct recording_file *f);
/* Closes a file to which nothing was written, and removes it if we made it. */
void recording_file_discard(struct recording_file *f);

#endif
