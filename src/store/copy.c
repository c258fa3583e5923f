/* Keeps a copy of the catalog beside it, and puts the copy in the place of a catalog that is damaged or lost. Only the catalog knows whose
 * the samples are whose recordings have been deleted, so without the copy they would be lost with it. The rest of the store is younger
 * than the copy, and is made to agree with it: see copy_agree.
 *
 * A copy is made an hour after the one before at the earliest, and takes at most a hundredth of the time.
 *
 *     catalogue.db.copy, catalogue.db.copy.sum      the copy, and its digest
 *     catalogue.db.copy.new...                      the copy that is being made
 *     quarantine/copy-in-use                        exists until the store agrees with the copy */
#include "store/store_internal.h"

#include "base/array.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define COPY   "catalogue.db.copy"
#define NEW    COPY ".new"
#define IN_USE "quarantine/copy-in-use"

enum { PAUSE_S = 3600, PAUSE_TIMES = 100 };

/* ---- making it ---- */

static int64_t age_of(const char *path)
{
    struct stat st;
    return stat(path, &st) ? INT64_MAX : (int64_t)time(NULL) - (int64_t)st.st_mtime;
}

/* Removes the files that may be beside a database. */
static void remove_beside(const char *path)
{
    static const char *const ends[] = {".sum", "-journal", "-wal", "-shm"};
    char one[DISK_PATH_MAX + 8];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(one, sizeof one, "%s%s", path, ends[i]);
        disk_remove(one);
    }
}

static void remove_database(const char *path)
{
    disk_remove(path);
    remove_beside(path);
}

/* A copy without a digest is valid, one with the digest of another is not. So the old digest goes first, and the new one comes last. */
static int replace(const struct store *s, const char *made, const char *copy, struct error *e)
{
    char from[DISK_PATH_MAX + 8], to[DISK_PATH_MAX + 8];
    snprintf(from, sizeof from, "%s.sum", made);
    snprintf(to, sizeof to, "%s.sum", copy);
    disk_remove(to);
    int rc = disk_sync_directory(s->path, e);
    rc = rc ? rc : disk_rename(made, copy, e);
    rc = rc ? rc : disk_rename(from, to, e);
    return rc ? rc : disk_sync_directory(s->path, e);
}

void copy_make(struct store *s)
{
    char copy[DISK_PATH_MAX], made[DISK_PATH_MAX];
    struct error e;
    uint64_t now = clock_monotonic_ns();
    if (s->rows->is_away || now < s->copy_due_ns || store_is_stopping(s)) /* see may_use_copy */
        return;
    store_path(s, copy, COPY);
    s->copy_due_ns = now + (uint64_t)PAUSE_S * NS_PER_S;
    int64_t age = age_of(copy);
    if (!s->copy_failed && age < PAUSE_S && age >= 0) { /* it was made before the start */
        s->copy_due_ns -= (uint64_t)age * NS_PER_S;
        return;
    }
    remove_database(store_path(s, made, NEW)); /* of a server that was killed */
    const struct store_query q = {0};
    struct store_asking asking = {s, &q};
    struct catalogue_patience patience = store_patience(&asking); /* until the server ends */
    int rc = catalogue_backup(s->catalogue, made, &patience, &e);
    rc = rc ? rc : replace(s, made, copy, &e);
    if (rc)
        remove_database(made);
    if (rc && !s->copy_failed && !store_is_stopping(s))
        store_tell(s, "the copy of the catalog is not made: %s", e.text);
    s->copy_failed = rc;
    now = clock_monotonic_ns() - now;
    s->copy_due_ns += PAUSE_TIMES * now;
}

/* ---- using it ---- */

/* name: the file's name in quarantine/, after the time. */
static void put_aside(struct store *s, const char *path, const char *name)
{
    recover_put_aside(s, path, name);
    remove_beside(path);
}

/* Has the copy take the place of the catalog. The digest goes with it. */
static int take_place(struct store *s, const char *copy, const char *path, struct error *e)
{
    char from[DISK_PATH_MAX + 8], to[DISK_PATH_MAX + 8], mark[DISK_PATH_MAX];
    snprintf(from, sizeof from, "%s.sum", copy);
    snprintf(to, sizeof to, "%s.sum", path);
    int rc = disk_write_synced(store_path(s, mark, IN_USE), "", 0, e);
    if (!rc && !access(from, F_OK))
        rc = disk_rename(from, to, e);
    rc = rc ? rc : disk_rename(copy, path, e);
    return rc ? rc : disk_sync_directory(s->path, e);
}

static int open_copy(struct store *s, const char *path, struct error *e)
{
    char copy[DISK_PATH_MAX];
    int64_t minutes = age_of(store_path(s, copy, COPY)) / 60;
    int rc = take_place(s, copy, path, e);
    rc = rc ? rc : catalogue_open(&s->catalogue, path, e);
    if (!rc)
        store_tell(s, "%s: its copy of %" PRId64 " minutes ago takes its place; what came since is read again", path, minutes);
    return rc;
}

/* Rows in ClickHouse have the numbers of their recordings, and a copy would give these numbers to other recordings. */
static bool may_use_copy(const struct store *s)
{
    char copy[DISK_PATH_MAX], marker[DISK_PATH_MAX];
    return !s->options.clickhouse && access(store_path(s, marker, "clickhouse"), F_OK) && !access(store_path(s, copy, COPY), F_OK);
}

/* What is put aside now may be a copy, which must not replace the catalog that was put aside within the same second. */
static int open_new(struct store *s, const char *path, bool is_copy, struct error *e)
{
    char mark[DISK_PATH_MAX];
    store_tell(s, "%s: it is made anew from the recordings", e->text);
    put_aside(s, path, is_copy ? COPY : "catalogue.db");
    disk_remove(store_path(s, mark, IN_USE));
    return catalogue_open(&s->catalogue, path, e);
}

int copy_open_catalogue(struct store *s, struct error *e)
{
    char path[DISK_PATH_MAX];
    bool is_lost = access(store_path(s, path, "catalogue.db"), F_OK) && errno == ENOENT, is_copy = false;
    int rc = is_lost && may_use_copy(s) ? error_set(e, -EBADMSG, "%s: is missing", path) : catalogue_open(&s->catalogue, path, e);
    if (rc == -EBADMSG && may_use_copy(s)) {
        store_tell(s, "%s", e->text);
        put_aside(s, path, "catalogue.db");
        rc = open_copy(s, path, e);
        is_copy = true;
    }
    return rc == -EBADMSG ? open_new(s, path, is_copy, e) : rc;
}

/* ---- the rest of the store agrees with it ---- */

bool copy_is_in_use(const struct store *s)
{
    char mark[DISK_PATH_MAX];
    return !access(store_path(s, mark, IN_USE), F_OK);
}

struct lacking {
    struct store *store;
    struct lacking_segment {
        uint32_t dictionary;
        uint64_t segment;
    } * list;
    uint32_t count, cap;
};

static int note_lacking(void *context, uint32_t dictionary, uint64_t segment)
{
    struct lacking *l = context;
    char path[DISK_PATH_MAX];
    if (!access(store_segment_path(l->store, path, dictionary, segment), F_OK))
        return 0;
    if (ARRAY_GROW(l->list, l->cap, l->count))
        return -ENOMEM;
    l->list[l->count++] = (struct lacking_segment){dictionary, segment};
    return 0;
}

/* Segments that were merged after the copy: their recordings are sealed again. */
static int note_gone_segments(struct store *s, struct error *e)
{
    struct lacking l = {.store = s};
    int rc = catalogue_each_segment(s->catalogue, note_lacking, &l, e);
    for (uint32_t i = 0; !rc && i < l.count; i++)
        rc = catalogue_segment_bad(s->catalogue, l.list[i].segment, "merged after the copy of the catalog was made", e);
    free(l.list);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

/* Files that the copy does not know are removed later (merge_sweep). If they have samples whose recordings are gone, links to them stay. */
static int keep_links(struct store *s, const struct rebuild_found *found, struct error *e)
{
    char from[DISK_PATH_MAX], to[DISK_PATH_MAX];
    if (!found->missing && !found->unread)
        return 0;
    snprintf(to, sizeof to, "%s/quarantine/%lld-segments", s->path, (long long)time(NULL));
    store_tell(s,
               "%s: has samples of %" PRIu64 " recordings that came and were deleted after the copy was made, and %" PRIu64
               " files that cannot be read",
               to, found->missing, found->unread);
    return backup_copy_folder(store_path(s, from, "segments"), to, e);
}

int copy_agree(struct store *s, struct error *e)
{
    char mark[DISK_PATH_MAX], segments[DISK_PATH_MAX];
    struct rebuild_found found;
    if (!copy_is_in_use(s))
        return 0;
    int rc = rebuild_note_missing(s, store_path(s, segments, "segments"), false, &found, e);
    rc = rc ? rc : keep_links(s, &found, e);
    rc = rc ? rc : note_gone_segments(s, e);
    if (!rc)
        disk_remove(store_path(s, mark, IN_USE));
    return rc;
}
