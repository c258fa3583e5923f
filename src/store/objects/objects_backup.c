#include "store/objects/objects_backup.h"

#include "store/files/disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 16 << 20, TRIES = 5, FOLDERS_OPEN = 16, MANIFEST_MAX = 1 << 30 };

#define MANIFEST "manifest"
#define FILES    "files/"

static int failed(const char *path, struct error *e)
{
    int code = errno ? -errno : -EIO;
    return error_set(e, code, "%s: %s", path, strerror(-code));
}

/* ---- sending ---- */

struct sending {
    struct s3 *s3;
    const char *folder;
    struct buffer manifest;
    uint8_t *piece; /* PIECE bytes */
};

static int send_piece(struct sending *d, const char *path, size_t n, unsigned number, struct error *e)
{
    char name[S3_NAME_MAX], digest[2 * S3_DIGEST + 1];
    if (snprintf(name, sizeof name, FILES "%s.%u", path, number) >= (int)sizeof name)
        return error_set(e, -ENAMETOOLONG, "%s: the path is too long", path);
    s3_digest(d->piece, n, digest);
    buffer_printf(&d->manifest, "%s %zu %u %s\n", digest, n, number, path);
    return d->manifest.failed ? error_set(e, -ENOMEM, "out of memory") : s3_put(d->s3, name, d->piece, n, TRIES, e);
}

/* path: relative to the folder. An empty file has one piece, too. */
static int send_file(struct sending *d, const char *path, struct error *e)
{
    char from[DISK_PATH_MAX];
    unsigned number = 0;
    size_t n = 0;
    int rc = 0;
    snprintf(from, sizeof from, "%s/%s", d->folder, path);
    FILE *f = fopen(from, "re");
    if (!f)
        return failed(from, e);
    do {
        n = fread(d->piece, 1, PIECE, f);
        rc = ferror(f) ? failed(from, e) : n || !number ? send_piece(d, path, n, number++, e) : 0;
    } while (!rc && n == PIECE);
    fclose(f);
    return rc;
}

/* path: relative to the folder; "" = the folder itself. */
static int send_folder(struct sending *d, const char *path, struct error *e)
{
    char from[DISK_PATH_MAX], full[DISK_PATH_MAX + 300];
    struct stat st;
    int rc = 0;
    snprintf(from, sizeof from, "%s/%s", d->folder, path);
    DIR *dir = opendir(from);
    if (!dir)
        return failed(from, e);
    for (struct dirent *entry; !rc && (entry = readdir(dir));) {
        char one[DISK_PATH_MAX];
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        snprintf(one, sizeof one, "%s%s%s", path, *path ? "/" : "", entry->d_name);
        snprintf(full, sizeof full, "%s/%s", from, entry->d_name);
        rc = stat(full, &st) ? failed(full, e) : S_ISDIR(st.st_mode) ? send_folder(d, one, e) : send_file(d, one, e);
    }
    closedir(dir);
    return rc;
}

/* Whether there is a manifest: 0 = none, -EEXIST = there is one. */
static int check_new(struct s3 *s, struct error *e)
{
    struct buffer manifest;
    buffer_init(&manifest, MANIFEST_MAX);
    int rc = s3_get(s, MANIFEST, &manifest, TRIES, e);
    buffer_deinit(&manifest);
    if (!rc)
        return error_set(e, -EEXIST, "%s: is a backup already; give a new prefix", s3_url(s));
    return rc == -ENOENT ? 0 : rc;
}

int objects_backup(struct s3 *s, const char *folder, struct error *e)
{
    struct sending d = {.s3 = s, .folder = folder, .piece = malloc(PIECE)};
    buffer_init(&d.manifest, MANIFEST_MAX);
    int rc = d.piece ? check_new(s, e) : error_set(e, -ENOMEM, "out of memory");
    rc = rc ? rc : send_folder(&d, "", e);
    rc = rc ? rc : s3_put(s, MANIFEST, d.manifest.data, d.manifest.len, TRIES, e);
    buffer_deinit(&d.manifest);
    free(d.piece);
    return rc;
}

/* ---- the way back ---- */

struct piece {
    char digest[2 * S3_DIGEST + 1];
    uint64_t bytes;
    unsigned number;
    char path[DISK_PATH_MAX];
};

static int read_piece(const char *line, struct piece *p, struct error *e)
{
    int begin = 0;
    if (sscanf(line, "%64[0-9a-f] %" SCNu64 " %u %n", p->digest, &p->bytes, &p->number, &begin) != 3 || !begin || !line[begin] ||
        p->bytes > PIECE || line[begin] == '/' || strstr(line + begin, ".."))
        return error_set(e, -EBADMSG, "the backup's manifest is damaged: '%.100s'", line);
    snprintf(p->path, sizeof p->path, "%s", line + begin);
    return 0;
}

static int make_folders(char *path, struct error *e)
{
    int rc = 0;
    for (char *slash = strchr(path + 1, '/'); !rc && slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        rc = disk_directory(path, e);
        *slash = '/';
    }
    return rc;
}

/* Appends the piece to its file. */
static int fetch_piece(struct s3 *s, const char *folder, const struct piece *p, struct error *e)
{
    char name[S3_NAME_MAX + DISK_PATH_MAX], to[2 * DISK_PATH_MAX], digest[2 * S3_DIGEST + 1];
    struct buffer bytes;
    buffer_init(&bytes, PIECE + 1);
    snprintf(name, sizeof name, FILES "%s.%u", p->path, p->number);
    snprintf(to, sizeof to, "%s/%s", folder, p->path);
    int rc = s3_get(s, name, &bytes, TRIES, e);
    s3_digest(bytes.data, bytes.len, digest);
    if (!rc && (bytes.len != p->bytes || strcmp(digest, p->digest)))
        rc = error_set(e, -EBADMSG, "%s/%s: is damaged", s3_url(s), name);
    rc = rc ? rc : make_folders(to, e);
    int fd = rc ? -1 : open(to, O_WRONLY | O_CREAT | O_CLOEXEC | (p->number ? 0 : O_EXCL), 0600);
    if (!rc)
        rc = fd < 0 ? failed(to, e) : disk_write_at(fd, bytes.data, bytes.len, (uint64_t)p->number * PIECE, to, e);
    if (fd >= 0 && close(fd) && !rc)
        rc = failed(to, e);
    buffer_deinit(&bytes);
    return rc;
}

static int fetch_all(struct s3 *s, const char *folder, char *manifest, struct error *e)
{
    struct piece p;
    int rc = 0;
    for (char *line; !rc && (line = strsep(&manifest, "\n")) && *line;) {
        rc = read_piece(line, &p, e);
        rc = rc ? rc : fetch_piece(s, folder, &p, e);
    }
    return rc;
}

int objects_restore(struct s3 *s, const char *folder, struct error *e)
{
    struct buffer manifest;
    buffer_init(&manifest, MANIFEST_MAX);
    int rc = s3_get(s, MANIFEST, &manifest, TRIES, e);
    buffer_u8(&manifest, 0);
    if (rc == -ENOENT)
        error_set(e, rc, "%s: is no backup: it has no " MANIFEST, s3_url(s));
    if (!rc && manifest.failed)
        rc = error_set(e, -ENOMEM, "out of memory");
    if (!rc && mkdir(folder, 0700))
        rc = failed(folder, e);
    rc = rc ? rc : fetch_all(s, folder, (char *)manifest.data, e);
    buffer_deinit(&manifest);
    return rc;
}

/* ---- folders ---- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    return remove(path);
}

int objects_remove_folder(const char *folder)
{
    return nftw(folder, remove_one, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS) && errno != ENOENT ? -errno : 0;
}
