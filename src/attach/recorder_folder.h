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

/* The files that may be in one. */
#define RECORDER_SETTINGS "settings.jfc"
#define RECORDER_FLIGHT   "flight.jfr" /* what a recording is written to at its end */
#define RECORDER_DUMP     "dump.jfr"   /* and before it */

/* Makes /tmp/NAME, which must be new. 0 or a negative errno with e, and nothing is left. */
int recorder_folder_make(struct recorder_folder *f, const struct process *p, const char *name, struct error *e);
/* Opens a folder that was made before, by any process. It must belong to the JVM's user, and only that user may have access. -EBUSY
 * while another process has it open. */
int recorder_folder_open(struct recorder_folder *f, const struct process *p, const char *name, struct error *e);
/* The path of a file in it as the JVM sees it. Returns out. */
char *recorder_folder_path(const struct recorder_folder *f, const char *file, char *out, size_t size);
/* Makes a file in it, readable by the JVM. 0 or a negative errno with e. */
int recorder_folder_write(const struct recorder_folder *f, const char *file, const void *bytes, size_t len, struct error *e);
/* Opens a file in it for reading: a descriptor; -ENOENT, -EPERM (no ordinary file of the JVM's user), another negative errno. */
int recorder_folder_read(const struct recorder_folder *f, const char *file);
/* Removes one of the files above. */
void recorder_folder_drop(const struct recorder_folder *f, const char *file);
/* Removes all these files and the folder, and closes it. Does nothing if it is not open. */
void recorder_folder_remove(struct recorder_folder *f);
void recorder_folder_close(struct recorder_folder *f);

#endif
