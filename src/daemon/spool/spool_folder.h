/* The spool: a private folder, with `live` and `queue` in it, and a lock that lets only one daemon at a time use it. */
#ifndef CANDOR_DAEMON_SPOOL_SPOOL_FOLDER_H
#define CANDOR_DAEMON_SPOOL_SPOOL_FOLDER_H

#include "base/error.h"

#include <stdbool.h>

struct spool_folder {
    int folder, live, queue, lock; /* open descriptors */
};

/* Creates missing folders (mode 0700). 0, or with e: -EBUSY another daemon uses it, -EPERM others may write there, -ENOLCK its
 * file system has no locks. */
int spool_folder_open(struct spool_folder *s, const char *path, struct error *e);
void spool_folder_close(struct spool_folder *s);
/* Whether a daemon uses the spool now. */
bool spool_folder_in_use(const char *path);

#endif
