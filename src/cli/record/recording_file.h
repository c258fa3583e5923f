/* The file that a JVM writes: a recording, or a copy of one. If the JVM is already running, candor opens the file, with the rights and
 * in the file system of the user who runs candor, and passes it to the agent as a descriptor. So the JVM's user, root directory and
 * mounts do not matter. Functions that return a status have already printed their message. */
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
    char beside[PATH_MAX]; /* the temporary name of the file until recording_file_place; empty = the file has the name `path` */
    int fd;                /* -1 = not open */
    int replaced;          /* the older recording that will be replaced, open and locked; -1 = none */
    bool made;             /* whether recording_file_open or recording_file_make created it */
    struct file_id own;    /* the file that was opened here; number 0 = none was */
    struct file_id before; /* the file that had the name when it was chosen; number 0 = none, or an empty file */
};

/* Sets the absolute path, and checks that it can be written, without changing anything. Returns CLI_OK or a status. */
int recording_file_choose(struct recording_file *f, const char *path);
/* Opens the file, and creates it if it does not exist. If there is already a recording of that name, creates another file in the same
 * folder, and the older one stays until recording_file_place. A file that is not a recording is never replaced. Returns CLI_OK or a
 * status. */
int recording_file_open(struct recording_file *f);
/* Creates and opens a file with a unique name in the folder for temporary files, for a command that needs the recording only for itself.
 * Returns CLI_OK or a status. */
int recording_file_make(struct recording_file *f, const char *command, pid_t pid);
/* Adds the file to a request: by its descriptor if it is open, else by its path. */
void recording_file_option(const struct recording_file *f, struct control_request *request);
/* Closes the file if it is open. */
void recording_file_close(struct recording_file *f);
/* Compare the file that the path names after the recording. st describes that file. recording_file_is_own: whether it is the file that
 * was opened here (true if none was). recording_file_is_before: whether it is the file that was there before, unchanged. */
bool recording_file_is_own(const struct recording_file *f, const struct stat *st);
bool recording_file_is_before(const struct recording_file *f, const struct stat *st);
/* Whether the file still has a temporary name and needs recording_file_place, because an older file has its name. */
bool recording_file_waits(const struct recording_file *f);
/* Gives the recording its final name, with the owner and the mode of the file that it replaces. Returns CLI_OK or a status. */
int recording_file_place(struct recording_file *f);
/* Closes a file to which nothing was written, and removes it if candor created it. */
void recording_file_discard(struct recording_file *f);

#endif
