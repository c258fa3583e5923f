/* Files as the store needs them: whole or absent, and known to be on the disk. All functions return 0 or a negative errno with
 * its message, unless noted. */
#ifndef CANDOR_STORE_FILES_DISK_H
#define CANDOR_STORE_FILES_DISK_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { DISK_PATH_MAX = 4096 };

/* Makes a directory unless it is there. */
int disk_directory(const char *path, struct error *e);
/* fsync of a directory: the names in it are on the disk then. */
int disk_sync_directory(const char *path, struct error *e);
/* syncfs: everything that was written to the file system of this directory is on the disk then. It may take seconds. */
int disk_sync_all(const char *path, struct error *e);
int disk_rename(const char *from, const char *to, struct error *e);
/* All n bytes at an offset. */
int disk_write_at(int fd, const void *bytes, size_t n, uint64_t offset, const char *name, struct error *e);
/* A new file with these bytes, by a temporary name beside it. */
int disk_write_file(const char *path, const void *bytes, size_t n, struct error *e);
/* The same, and it is on the disk, its name too. */
int disk_write_synced(const char *path, const void *bytes, size_t n, struct error *e);
/* A whole file of at most `max` bytes; free() *bytes. */
int disk_read_file(const char *path, size_t max, uint8_t **bytes, size_t *n, struct error *e);
/* Reads its first bytes, at most this many. */
int disk_read_beginning(const char *path, size_t most, uint8_t **bytes, size_t *n, struct error *e);
/* Removes a file, or a directory with the files in it. A missing file is not an error. */
int disk_remove(const char *path);
int disk_remove_directory(const char *path);
/* 0 when it is not there. */
uint64_t disk_size(const char *path);

#endif
