/* A folder for one recording in the JVM's /tmp, through which files pass between us and its recorder: settings in one
 * direction, recorded data in the other. It is created and read with the JVM's rights (identity.h), for its user only, and
 * stays accessible after the JVM has ended, even if its root and mounts end with it.
 *
 *   recorder_folder_make | _open -> _path, _write, _read ... -> _remove | _close */
#ifndef CANDOR_ATTACH_RECORDER_FOLDER_H
#define CANDOR_ATTACH_RECORDER_FOLDER_H

#include "attach/process.h"

struct recorder_folder {
    struct process process;
    int tmp, directory; /* -1 = not open */
    char name[96];
};

/* The files that the folder may contain. */
#define RECORDER_SETTINGS "settings.jfc"
#define RECORDER_FLIGHT   "flight.jfr" /* the JVM writes a recording to it at the recording's end */
#define RECORDER_DUMP     "dump.jfr"   /* the JVM writes a recording to it before the end */

/* Makes /tmp/NAME, which must not exist. Returns 0 or a negative errno with e. After an error nothing is left. */
int recorder_folder_make(struct recorder_folder *f, const struct process *p, const char *name, struct error *e);
/* Opens a folder that any process has made before. It must belong to the JVM's user, and only that user may have access. Returns 0, or a
 * negative errno with e: -EBUSY while another process has it open. */
int recorder_folder_open(struct recorder_folder *f, const struct process *p, const char *name, struct error *e);
/* Writes the path of a file in the folder, as the JVM sees it. Returns out. */
char *recorder_folder_path(const struct recorder_folder *f, const char *file, char *out, size_t size);
/* Makes a file in the folder, readable by the JVM. Returns 0 or a negative errno with e. */
int recorder_folder_write(const struct recorder_folder *f, const char *file, const void *bytes, size_t len, struct error *e);
/* Opens a file in the folder for reading. Returns a descriptor, -ENOENT, -EPERM (it is not an ordinary file of the JVM's user), or another
 * negative errno. */
int recorder_folder_read(const struct recorder_folder *f, const char *file);
/* Removes one of the files above. */
void recorder_folder_drop(const struct recorder_folder *f, const char *file);
/* Removes all these files and the folder, and closes it. It does nothing if the folder is not open. */
void recorder_folder_remove(struct recorder_folder *f);
void recorder_folder_close(struct recorder_folder *f);

#endif
