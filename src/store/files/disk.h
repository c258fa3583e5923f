/* Writes and reads files for the store. A file that these functions write is either complete or absent. Functions that sync return only
 * when the data is on the disk. All functions return 0, or a negative errno with a message in e, unless noted otherwise. */
#ifndef CANDOR_STORE_FILES_DISK_H
#define CANDOR_STORE_FILES_DISK_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { DISK_PATH_MAX = 4096 };

/* Makes a directory unless it exists. */
int disk_directory(const char *path, struct error *e);
/* Calls fsync for a directory. Afterwards, the names in it are on the disk. */
int disk_sync_directory(const char *path, struct error *e);
/* Calls syncfs. Afterwards, everything that was written to the file system of this directory is on the disk. This may take seconds. */
int disk_sync_all(const char *path, struct error *e);
int disk_rename(const char *from, const char *to, struct error *e);
/* Writes the path PATH.END of a folder beside another one, whose path may end with slashes. Returns 0, or -ENAMETOOLONG. */
int disk_beside(char *out, size_t size, const char *path, const char *end, struct error *e);
/* Writes all n bytes at an offset. */
int disk_write_at(int fd, const void *bytes, size_t n, uint64_t offset, const char *name, struct error *e);
/* Makes a new file with these bytes. Writes to a temporary name beside it first, and then renames the file. */
int disk_write_file(const char *path, const void *bytes, size_t n, struct error *e);
/* Does the same, and returns only when the file and its name are on the disk. */
int disk_write_synced(const char *path, const void *bytes, size_t n, struct error *e);
/* Reads a whole file of at most `max` bytes. The caller frees *bytes. */
int disk_read_file(const char *path, size_t max, uint8_t **bytes, size_t *n, struct error *e);
/* Reads the first bytes of a file, at most `most` of them. The caller frees *bytes. */
int disk_read_beginning(const char *path, size_t most, uint8_t **bytes, size_t *n, struct error *e);
/* Removes a file, or a directory with the files in it. A missing file is not an error. */
int disk_remove(const char *path);
int disk_remove_directory(const char *path);
/* Returns the size of a file in bytes, or 0 if there is no such file. */
uint64_t disk_size(const char *path);

#endif
