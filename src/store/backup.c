/* Copies the store while it is in use: first the catalog, then the files that it lists. Files of recordings and segments never change, so a
 * hard link serves as a copy. Dictionaries grow, and are copied. The copied catalog refers to no entry that was added to a dictionary
 * later. */
#include "store/store_internal.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const folders[] = {"recordings", "segments"};
enum { FOLDERS = 2 };

static int copy(const char *from, const char *to, struct error *e)
{
    uint8_t *bytes;
    size_t size;
    int rc = disk_read_file(from, SIZE_MAX - 1, &bytes, &size, e);
    rc = rc ? rc : disk_write_file(to, bytes, size, e);
    free(bytes);
    return rc;
}

static int link_or_copy(const char *from, const char *to, struct error *e)
{
    bool grows = !strcmp(strrchr(from, '/'), "/dictionary");
    if (!grows && !link(from, to))
        return 0;
    int rc = copy(from, to, e);
    return rc == -ENOENT ? 0 : rc; /* deleted after its folder was read */
}

static int cannot_read(const char *path, struct error *e)
{
    int code = errno;
    return error_set(e, -code, "%s: cannot be read: %s", path, strerror(code));
}

typedef int copy_one(const char *from, const char *to, struct error *e);

static int copy_entry(const char *from, const char *to, const char *name, copy_one *one, struct error *e)
{
    char a[DISK_PATH_MAX], b[DISK_PATH_MAX];
    bool fits = snprintf(a, sizeof a, "%s/%s", from, name) < (int)sizeof a && snprintf(b, sizeof b, "%s/%s", to, name) < (int)sizeof b;
    return fits ? one(a, b, e) : error_set(e, -ENAMETOOLONG, "%.60s.../%.60s: the path is too long", from, name);
}

/* Copies each entry of a folder. The folder may have been deleted meanwhile; any other failure would leave something out. */
static int copy_entries(const char *from, const char *to, copy_one *one, struct error *e)
{
    int rc = disk_directory(to, e);
    DIR *dir = rc ? NULL : opendir(from);
    if (!rc && !dir && errno != ENOENT)
        rc = cannot_read(from, e);
    while (!rc && dir) {
        errno = 0;
        struct dirent *entry = readdir(dir);
        if (!entry) {
            rc = errno ? cannot_read(from, e) : 0;
            break;
        }
        if (entry->d_name[0] != '.')
            rc = copy_entry(from, to, entry->d_name, one, e);
    }
    if (dir)
        closedir(dir);
    return rc;
}

static int copy_any(const char *from, const char *to, struct error *e)
{
    struct stat st;
    if (stat(from, &st))
        return errno == ENOENT ? 0 : cannot_read(from, e);
    return S_ISDIR(st.st_mode) ? backup_copy_folder(from, to, e) : link_or_copy(from, to, e);
}

int backup_copy_folder(const char *from, const char *to, struct error *e)
{
    return copy_entries(from, to, copy_any, e);
}

static int copy_if_there(const char *from, const char *to, const char *name, struct error *e)
{
    char a[DISK_PATH_MAX], b[DISK_PATH_MAX];
    snprintf(a, sizeof a, "%s/%s", from, name);
    snprintf(b, sizeof b, "%s/%s", to, name);
    bool absent = access(a, F_OK) && (errno == ENOENT || errno == ENOTDIR);
    return absent ? 0 : copy(a, b, e);
}

/* Copies the server's files that are beside the catalog, if they exist. They are replaced as a whole, so a copy is never half of one.
 * rows: also the note that rows are in ClickHouse. */
static int copy_beside(const char *from, const char *to, bool rows, struct error *e)
{
    static const char *const names[] = {"alerts.json", "silences.json", "profiles.json", "cold", "rounded"};
    int rc = rows ? copy_if_there(from, to, "clickhouse", e) : 0;
    for (size_t i = 0; !rc && i < sizeof names / sizeof *names; i++)
        rc = copy_if_there(from, to, names[i], e);
    return rc;
}

int store_backup(struct store *s, const char *path, struct error *e)
{
    char from[DISK_PATH_MAX], to[DISK_PATH_MAX];
    if (mkdir(path, 0700))
        return error_set(e, -errno, "%s: cannot be made: %s; give a new directory", path, strerror(errno));
    snprintf(to, sizeof to, "%s/catalogue.db", path);
    unsigned epoch = merge_read_begin(s); /* files that the catalog refers to stay */
    int rc = catalogue_backup(s->catalogue, to, NULL, e);
    for (size_t i = 0; !rc && i < FOLDERS; i++) {
        snprintf(to, sizeof to, "%s/%s", path, folders[i]);
        rc = backup_copy_folder(store_path(s, from, folders[i]), to, e);
    }
    merge_read_end(s, epoch);
    return rc ? rc : copy_beside(s->path, path, true, e);
}

static int copy_dictionary(const char *from, const char *to, struct error *e)
{
    int rc = disk_directory(to, e);
    return rc ? rc : copy_if_there(from, to, "dictionary", e);
}

int backup_without_rows(struct store *s, const char *path, struct error *e)
{
    char from[DISK_PATH_MAX], to[DISK_PATH_MAX];
    snprintf(to, sizeof to, "%s/catalogue.db", path);
    int rc = catalogue_backup(s->catalogue, to, NULL, e);
    snprintf(to, sizeof to, "%s/recordings", path);
    rc = rc ? rc : backup_copy_folder(store_path(s, from, "recordings"), to, e);
    snprintf(to, sizeof to, "%s/segments", path);
    rc = rc ? rc : copy_entries(store_path(s, from, "segments"), to, copy_dictionary, e);
    return rc ? rc : copy_beside(s->path, path, false, e);
}

/* ---- the way back ---- */

/* Checks that the backup is one, and that nobody uses it. */
static int check_backup(const char *backup, struct error *e)
{
    char path[DISK_PATH_MAX];
    struct stat st;
    snprintf(path, sizeof path, "%s/catalogue.db", backup);
    if (stat(path, &st))
        return error_set(e, -errno, "%s: is no backup: it has no catalogue.db: %s", backup, strerror(errno));
    snprintf(path, sizeof path, "%s/catalogue.db-wal", backup);
    if (!stat(path, &st) && st.st_size)
        return error_set(e, -EBUSY, "%s: a server uses it, or was killed while it did; let a server on it end by SIGTERM, then restore it",
                         backup);
    return 0;
}

static int copy_all(const char *backup, const char *to, struct error *e)
{
    char a[DISK_PATH_MAX], b[DISK_PATH_MAX];
    int rc = 0;
    for (int i = 0; !rc && i < FOLDERS; i++) {
        snprintf(a, sizeof a, "%s/%s", backup, folders[i]);
        snprintf(b, sizeof b, "%s/%s", to, folders[i]);
        rc = access(a, F_OK) ? 0 : backup_copy_folder(a, b, e);
    }
    snprintf(a, sizeof a, "%s/catalogue.db", backup);
    snprintf(b, sizeof b, "%s/catalogue.db", to);
    rc = rc ? rc : copy(a, b, e);
    return rc ? rc : copy_beside(backup, to, true, e);
}

int store_restore(const char *backup, const char *path, struct error *e)
{
    char to[DISK_PATH_MAX];
    int rc = check_backup(backup, e);
    if (rc)
        return rc;
    rc = disk_beside(to, sizeof to - 40, path, "restoring", e);
    if (rc)
        return rc;
    if (rmdir(path) && errno != ENOENT)
        return error_set(e, -errno, "%s: cannot be replaced: %s; give a new or an empty directory", path, strerror(errno));
    if (mkdir(to, 0700))
        return error_set(e, -errno, "%s: cannot be made: %s%s", to, strerror(errno),
                         errno == EEXIST ? "; remove it if no other restore is running: one was interrupted" : "");
    rc = copy_all(backup, to, e);
    rc = rc ? rc : cold_note_restored(to, e);
    rc = rc ? rc : disk_sync_all(to, e);
    rc = rc ? rc : disk_rename(to, path, e);
    return rc ? rc : disk_sync_all(path, e);
}
