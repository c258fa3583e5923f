/* Syncs SQLite's log for many transactions at once. A recording's transaction is committed without waiting for the disk; then its thread
 * waits until the log is synced that far. While one thread syncs, the others commit, and wait together for the next sync. A file of its
 * own, because it must not hold the connection's lock: a sync takes as long as many transactions. */
#include "store/catalogue/catalogue_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void catalogue_sync_init(struct catalogue_sync *y)
{
    *y = (struct catalogue_sync){.log = -1};
    pthread_mutex_init(&y->lock, NULL);
    pthread_cond_init(&y->changed, NULL);
}

void catalogue_sync_deinit(struct catalogue_sync *y)
{
    pthread_cond_destroy(&y->changed);
    pthread_mutex_destroy(&y->lock);
    if (y->log >= 0)
        close(y->log);
}

/* Syncs the log. If SQLite has begun the log anew, everything before is in the catalog's file, which SQLite has synced. */
static int sync_log(struct catalogue *c)
{
    char path[DISK_PATH_MAX + sizeof "-wal"];
    snprintf(path, sizeof path, "%s-wal", c->path);
    if (c->sync.log < 0)
        c->sync.log = open(path, O_RDONLY | O_CLOEXEC);
    if (c->sync.log < 0)
        return -errno;
    int rc = fdatasync(c->sync.log);
    while (rc && errno == EINTR) /* nothing was lost */
        rc = fdatasync(c->sync.log);
    return rc ? -errno : 0;
}

/* Pairs with sql_end: what is counted is in the log. */
static uint64_t written(struct catalogue_sync *y)
{
    return atomic_load_explicit(&y->written, memory_order_acquire);
}

/* Syncs, without the lock, what was written before. */
static void sync_once(struct catalogue *c)
{
    struct catalogue_sync *y = &c->sync;
    uint64_t until = written(y);
    y->busy = true;
    pthread_mutex_unlock(&y->lock);
    int rc = sync_log(c);
    pthread_mutex_lock(&y->lock);
    y->busy = false;
    y->failed = y->failed ? y->failed : rc;
    if (!y->failed)
        y->synced = until;
    pthread_cond_broadcast(&y->changed);
}

int catalogue_sync(struct catalogue *c, struct error *e)
{
    struct catalogue_sync *y = &c->sync;
    pthread_mutex_lock(&y->lock);
    uint64_t mine = written(y);
    while (y->synced < mine && !y->failed) {
        if (y->busy)
            pthread_cond_wait(&y->changed, &y->lock);
        else
            sync_once(c);
    }
    int rc = y->synced < mine ? y->failed : 0;
    pthread_mutex_unlock(&y->lock);
    return rc ? error_set(e, rc, "%s-wal: cannot be synced: %s; restart the server when the disk works again", c->path, strerror(-rc)) : 0;
}
