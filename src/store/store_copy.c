/* Copies a store to a new folder whose rows are in the other place: in ClickHouse if they are in files, and in files if they are there.
 *
 *     TO.copying           the folder until it is complete; then it is renamed to TO
 *     TO.copying/.copying  the lock of the command that makes it. If nobody holds it, the command was killed: the folder, and the rows that
 *                          ClickHouse has under its number, are removed by the next command */
#include "store/objects/objects_backup.h"
#include "store/reread.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK ".copying"

struct copying {
    const struct store_options *options;
    char folder[DISK_PATH_MAX / 2]; /* TO.copying */
    char lock_path[DISK_PATH_MAX];
    int lock; /* -1 = this command has no folder */
    bool from_away;
};

/* ---- the folder ---- */

static int take_lock(struct copying *c, struct error *e)
{
    c->lock = open(c->lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (c->lock < 0)
        return error_set(e, -errno, "%s: cannot be written to: %s", c->folder, strerror(errno));
    if (!flock(c->lock, LOCK_EX | LOCK_NB))
        return 0;
    close(c->lock);
    c->lock = -1;
    return error_set(e, -EBUSY, "%s: another command is making this copy", c->folder);
}

/* Removes the folder, and its rows in ClickHouse. If these cannot be removed, the folder stays, because it has their number. */
static int remove_folder(struct copying *c, struct error *e)
{
    int rc = rows_clickhouse_give_up(c->options, c->folder, e);
    if (!rc && objects_remove_folder(c->folder))
        rc = error_set(e, -EIO, "%s: cannot be removed", c->folder);
    close(c->lock);
    c->lock = -1;
    return rc;
}

/* Removes what an interrupted command has left. */
static int remove_former(struct copying *c, struct error *e)
{
    if (!rmdir(c->folder) || errno == ENOENT)
        return 0;
    if (access(c->lock_path, F_OK))
        return error_set(e, -EEXIST, "%s: is in the way, and no interrupted copy; remove it, or give another directory", c->folder);
    int rc = take_lock(c, e);
    return rc ? rc : remove_folder(c, e);
}

static int make_folder(struct copying *c, const char *to, struct error *e)
{
    int rc = disk_beside(c->folder, sizeof c->folder - 40, to, "copying", e);
    if (rc)
        return rc;
    snprintf(c->lock_path, sizeof c->lock_path, "%s/" LOCK, c->folder);
    if (rmdir(to) && errno != ENOENT)
        return error_set(e, -errno, "%s: cannot be replaced: %s; give a new or an empty directory", to, strerror(errno));
    rc = remove_former(c, e);
    if (!rc && mkdir(c->folder, 0700))
        rc = error_set(e, -errno, "%s: cannot be made: %s", c->folder, strerror(errno));
    return rc ? rc : take_lock(c, e);
}

/* Gives the folder its name, on the disk, because the former store may be removed then. From then on it is a store. */
static int end_folder(struct copying *c, const char *to, struct error *e)
{
    char lock[DISK_PATH_MAX];
    int rc = cold_note_restored(c->folder, e);
    rc = rc ? rc : disk_sync_all(c->folder, e);
    rc = rc ? rc : disk_rename(c->folder, to, e);
    rc = rc ? rc : disk_sync_all(to, e);
    snprintf(lock, sizeof lock, "%s/" LOCK, to);
    return rc ? rc : disk_remove(lock);
}

/* ---- the stores ---- */

/* Opens one of the stores. away: its rows are in ClickHouse. */
static int open_one(const struct copying *c, struct store **out, const char *path, bool away, struct error *e)
{
    struct store_options o = *c->options;
    o.path = path;
    o.clickhouse = away ? o.clickhouse : NULL;
    o.reread_wait_ns = 0;
    return store_open(out, &o, e);
}

static int fill(struct copying *c, struct store *from, store_copy_progress *progress, uint64_t *damaged, struct error *e)
{
    struct store *to = NULL;
    int rc =
        reread_is_over(from) ? 0 : error_set(e, -EAGAIN, "%s: recordings are not read again yet; copy it when they can be", from->path);
    rc = rc || c->from_away ? rc : rows_clickhouse_claim(c->options, c->folder, e);
    rc = rc ? rc : backup_without_rows(from, c->folder, e);
    rc = rc ? rc : open_one(c, &to, c->folder, !c->from_away, e);
    rc = rc ? rc : rows_move(from, to, progress, damaged, e);
    if (!rc)
        recover_pending(to); /* what was damaged */
    store_close(to);
    return rc;
}

int store_copy(const struct store_options *o, const char *to, store_copy_progress *progress, uint64_t *damaged, struct error *e)
{
    struct copying c = {.options = o, .lock = -1, .from_away = store_is_in_clickhouse(o->path)};
    struct store *from = NULL;
    struct error why;
    *damaged = 0;
    int rc = open_one(&c, &from, o->path, c.from_away, e);
    rc = rc ? rc : make_folder(&c, to, e);
    if (!rc) {
        rc = fill(&c, from, progress, damaged, e);
        rc = rc ? rc : end_folder(&c, to, e);
        if (rc == -ECANCELED)
            error_set(e, rc, "%s: interrupted, and not made; start the copy again", to);
        if (rc && remove_folder(&c, &why))
            store_tell(from, "%s: not removed: %s; the next copy to the same folder removes it", c.folder, why.text);
    }
    if (c.lock >= 0)
        close(c.lock);
    store_close(from);
    return rc;
}
