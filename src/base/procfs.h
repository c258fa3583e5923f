/* Small texts of /proc and /sys. */
#ifndef CANDOR_BASE_PROCFS_H
#define CANDOR_BASE_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Reads a file of at most size - 1 bytes and ends it with a zero: its length, or a negative errno. */
ssize_t procfs_read(const char *path, char *out, size_t size);
/* A file that holds one number: 0 or a negative errno. */
int procfs_read_number(const char *path, long long *number);
/* The text after "NAME:" at the start of a line, or NULL. */
const char *procfs_field(const char *text, const char *name);
/* True when the word is one of those in the list, which are split by any of the separators. */
bool procfs_has_word(const char *list, const char *separators, const char *word);

#endif
