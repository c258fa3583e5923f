/* Makes files and folders private: only their owner may read them. */
#ifndef CANDOR_STORE_FILES_PRIVATE_H
#define CANDOR_STORE_FILES_PRIVATE_H

#include "base/error.h"

#include <stdbool.h>

/* Gives everything in the directory whose name is_ours accepts the mode 0600 or, to folders, 0700, down to the last file. Gives 0700 to
 * the directory itself if there is nothing else in it; otherwise sets *shared if others may enter it. Follows no symbolic link. Returns
 * 0, or a code with a message in e. */
int private_make(const char *path, bool (*is_ours)(const char *name), bool *shared, struct error *e);

#endif
