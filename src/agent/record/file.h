/* The file into which a recording or a copy of one is written. An existing file is removed only when its replacement is complete:
 *
 *   record_file_open -> write to fd -> record_file_place (it has its name now), or record_file_discard (as if it had never been)
 *
 * If no file of that name exists, or an empty one, the recording is written to it directly. If a recording exists, a file beside it is
 * written, and record_file_place gives it the existing recording's name, owner and mode. Nothing else is replaced: no other file, no link,
 * no device. The file, and the one it will replace, are locked against other processes that would record to them. Only the collector uses
 * this file. */
#ifndef CANDOR_AGENT_RECORD_FILE_H
#define CANDOR_AGENT_RECORD_FILE_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/stat.h>

enum { RECORD_FILE_PATH_MAX = 4096 };

struct record_file {
    char path[RECORD_FILE_PATH_MAX];
    char beside[RECORD_FILE_PATH_MAX]; /* its name until it gets that of path; empty = it has that name, or a client passed the file */
    int fd;                            /* the caller closes it, but not before the file is placed or discarded */
    int replaced;                      /* the file that will be replaced, open and locked; -1 = there is none */
    bool passed;                       /* a client has opened the file, and gives it its name */
    bool made;                         /* there was no file before */
    bool settled;                      /* placed or discarded */
};

/* Opens the file. passed: its descriptor, which remains the caller's and whose file is empty, or -1 to open the path. busy: a file that
 * must not change, or NULL. Returns 0, or a negative errno; an error changes nothing. */
int record_file_open(struct record_file *f, const char *path, int passed, const struct stat *busy, struct error *e);
/* Gives the file its final name. Call it while fd is open, because closing fd frees the lock. Later calls of this function or of
 * record_file_discard do nothing. */
int record_file_place(struct record_file *f, struct error *e);
/* Keeps the existing file, and removes the new one. It is the alternative to record_file_place. */
void record_file_discard(struct record_file *f);
/* Calls fstat by a system call, because the C library has it as a function only in versions newer than those we support. Returns 0, or -1
 * with errno. */
int record_file_stat(int fd, struct stat *st);

#endif
