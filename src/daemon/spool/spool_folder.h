/* Opens the spool: a private folder with the folders `live` and `queue` in it, and a lock, so that only one daemon at a time uses it. */
#ifndef CANDOR_DAEMON_SPOOL_SPOOL_FOLDER_H
#define CANDOR_DAEMON_SPOOL_SPOOL_FOLDER_H

#include "base/error.h"

#include <stdbool.h>

struct spool_folder {
    int folder, live, queue, lock; /* open descriptors */
};

/* Opens the spool, and creates missing folders (mode 0700). Returns 0, or a code with a message in e: -EBUSY if another daemon uses it,
 * -EPERM if others may write there, -ENOLCK if its file system has no locks. */
int spool_folder_open(struct spool_folder *s, const char *path, struct error *e);
void spool_folder_close(struct spool_folder *s);
/* Whether a daemon uses the spool now. */
bool spool_folder_in_use(const char *path);

#endif
