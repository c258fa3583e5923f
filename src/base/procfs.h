/* Reads small text files of /proc and /sys. */
#ifndef CANDOR_BASE_PROCFS_H
#define CANDOR_BASE_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* Reads at most size - 1 bytes of a file and terminates them with a zero. Returns the length, or a negative errno. */
ssize_t procfs_read(const char *path, char *out, size_t size);
/* Reads a file that contains one number. Returns 0 or a negative errno. */
int procfs_read_number(const char *path, long long *number);
/* Returns the text after "NAME:" at the start of a line, or NULL. */
const char *procfs_field(const char *text, const char *name);
/* Whether the list contains the word. Any of the separators may separate the words of the list. */
bool procfs_has_word(const char *list, const char *separators, const char *word);
/* Whether this file, /proc/kallsyms, has addresses; users who may not see them get zeros. NULL: the file cannot be opened. */
bool procfs_shows_addresses(FILE *kallsyms);

#endif
