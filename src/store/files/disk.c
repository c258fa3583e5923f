#include "store/files/disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int failed(const char *path, const char *what, struct error *e)
{
    int code = errno ? -errno : -EIO;
    return error_set(e, code, "%s: cannot be %s: %s", path, what, strerror(-code));
}

int disk_directory(const char *path, struct error *e)
{
    return mkdir(path, 0700) && errno != EEXIST ? failed(path, "made", e) : 0;
}

int disk_sync_directory(const char *path, struct error *e)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = fd < 0 || fsync(fd) ? failed(path, "synced", e) : 0;
    if (fd >= 0)
        close(fd);
    return rc;
}

int disk_sync_all(const char *path, struct error *e)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = fd < 0 || syncfs(fd) ? failed(path, "synced", e) : 0;
    if (fd >= 0)
        close(fd);
    return rc;
}

int disk_rename(const char *from, const char *to, struct error *e)
{
    return rename(from, to) ? failed(to, "written", e) : 0;
}

int disk_beside(char *out, size_t size, const char *path, const char *end, struct error *e)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    bool fits = snprintf(out, size, "%.*s.%s", (int)n, path, end) < (int)size;
    return fits ? 0 : error_set(e, -ENAMETOOLONG, "%.60s...: the path is too long", path);
}

int disk_write_at(int fd, const void *bytes, size_t n, uint64_t offset, const char *name, struct error *e)
{
    for (size_t done = 0; done < n;) {
        ssize_t put = pwrite(fd, (const char *)bytes + done, n - done, (off_t)(offset + done));
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 && errno == EFBIG) /* a limit of this process or file system, not of the recording */
            errno = ENOSPC;
        if (put <= 0)
            return failed(name, "written", e);
        done += (size_t)put;
    }
    return 0;
}

static int write_file(const char *path, const void *bytes, size_t n, bool sync, struct error *e)
{
    char temporary[DISK_PATH_MAX + 8];
    snprintf(temporary, sizeof temporary, "%s.new", path);
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int rc = fd < 0 ? failed(temporary, "written", e) : disk_write_at(fd, bytes, n, 0, path, e);
    if (!rc && sync && fsync(fd))
        rc = failed(path, "synced", e);
    if (fd >= 0 && close(fd) && !rc)
        rc = failed(path, "written", e);
    rc = rc ? rc : disk_rename(temporary, path, e);
    if (rc && fd >= 0)
        unlink(temporary);
    return rc;
}

int disk_write_file(const char *path, const void *bytes, size_t n, struct error *e)
{
    return write_file(path, bytes, n, false, e);
}

int disk_write_synced(const char *path, const void *bytes, size_t n, struct error *e)
{
    char folder[DISK_PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    int rc = write_file(path, bytes, n, true, e);
    return rc ? rc : disk_sync_directory(folder, e);
}

static int read_open(int fd, const char *path, size_t wanted, uint8_t **bytes, size_t *n, struct error *e)
{
    *bytes = malloc(wanted + 1);
    if (!*bytes)
        return error_set(e, -ENOMEM, "%s: out of memory", path);
    for (*n = 0; *n < wanted;) {
        ssize_t got = pread(fd, *bytes + *n, wanted - *n, (off_t)*n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return failed(path, "read", e);
        if (!got)
            break;
        *n += (size_t)got;
    }
    return 0;
}

/* Reads at most `most` bytes. If whole is set and the file is larger, the function fails. */
static int read_file(const char *path, size_t most, bool whole, uint8_t **bytes, size_t *n, struct error *e)
{
    struct stat st;
    *bytes = NULL;
    *n = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return failed(path, "opened", e);
    int rc = fstat(fd, &st) ? failed(path, "read", e) : 0;
    uint64_t size = rc ? 0 : (uint64_t)st.st_size;
    if (!rc && whole && size > most)
        rc = error_set(e, -EFBIG, "%s: larger than it can be", path);
    rc = rc ? rc : read_open(fd, path, size < most ? size : most, bytes, n, e);
    close(fd);
    if (rc) {
        free(*bytes);
        *bytes = NULL;
    }
    return rc;
}

int disk_read_file(const char *path, size_t max, uint8_t **bytes, size_t *n, struct error *e)
{
    return read_file(path, max, true, bytes, n, e);
}

int disk_read_beginning(const char *path, size_t most, uint8_t **bytes, size_t *n, struct error *e)
{
    return read_file(path, most, false, bytes, n, e);
}

int disk_remove(const char *path)
{
    return unlink(path) && errno != ENOENT ? -errno : 0;
}

int disk_remove_directory(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir)
        return errno == ENOENT ? 0 : -errno;
    int rc = 0;
    for (struct dirent *entry; (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") && unlinkat(dirfd(dir), entry->d_name, 0))
            rc = -errno;
    closedir(dir);
    return rmdir(path) ? -errno : rc;
}

uint64_t disk_size(const char *path)
{
    struct stat st;
    return stat(path, &st) ? 0 : (uint64_t)st.st_size;
}
