#include "daemon/spool/spool_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int make_path(const char *path)
{
    char part[PATH_MAX];
    for (const char *end = path; (end = strchr(end + 1, '/'));) {
        snprintf(part, sizeof part, "%.*s", (int)(end - path), path);
        if (mkdir(part, 0755) && errno != EEXIST)
            return -errno;
    }
    return mkdir(path, 0700) && errno != EEXIST ? -errno : 0;
}

static int open_folder(int parent, const char *name)
{
    struct stat st;
    if (parent != AT_FDCWD && mkdirat(parent, name, 0700) && errno != EEXIST)
        return -errno;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (parent == AT_FDCWD ? 0 : O_NOFOLLOW));
    if (fd < 0)
        return -errno;
    int code = fstat(fd, &st) ? -errno : st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH) ? -EPERM : 0;
    if (!code && st.st_mode & (S_IRWXG | S_IRWXO) && fchmod(fd, 0700))
        code = -errno;
    if (!code)
        return fd;
    close(fd);
    return code;
}

static int open_lock(int folder)
{
    int fd = openat(folder, "lock", O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
    return fd < 0 ? -errno : fd;
}

/* Takes the lock. Also checks that a second open file sees the lock, because this is how recordings in progress are distinguished from
 * ended ones. */
static int take_lock(struct spool_folder *s)
{
    s->lock = open_lock(s->folder);
    if (s->lock < 0)
        return s->lock;
    if (flock(s->lock, LOCK_EX | LOCK_NB))
        return errno == EWOULDBLOCK ? -EBUSY : -ENOLCK;
    int second = open_lock(s->folder);
    bool seen = second >= 0 && flock(second, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
    if (second >= 0)
        close(second);
    return seen ? 0 : -ENOLCK;
}

static int explain(int code, const char *path, struct error *e)
{
    switch (code) {
    case 0:
        return 0;
    case -EBUSY:
        return error_set(e, code, "another candor daemon uses the spool %s; stop it, or choose another spool with --spool", path);
    case -EPERM:
        return error_set(
            e, code, "the spool %s must be a folder of this user, closed to others; choose another with --spool, or run chmod 700 on it",
            path);
    case -ENOLCK:
        return error_set(e, code, "the spool %s is on a file system without locks; choose another folder with --spool", path);
    default:
        return error_set(e, code, "cannot use the spool %s: %s; choose another with --spool", path, strerror(-code));
    }
}

int spool_folder_open(struct spool_folder *s, const char *path, struct error *e)
{
    *s = (struct spool_folder){-1, -1, -1, -1};
    int code = make_path(path);
    if (!code && (s->folder = open_folder(AT_FDCWD, path)) < 0)
        code = s->folder;
    if (!code)
        code = take_lock(s);
    if (!code && (s->live = open_folder(s->folder, "live")) < 0)
        code = s->live;
    if (!code && (s->queue = open_folder(s->folder, "queue")) < 0)
        code = s->queue;
    if (code)
        spool_folder_close(s);
    return explain(code, path, e);
}

void spool_folder_close(struct spool_folder *s)
{
    int fds[] = {s->queue, s->live, s->lock, s->folder};
    for (int i = 0; i < 4; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    *s = (struct spool_folder){-1, -1, -1, -1};
}

bool spool_folder_in_use(const char *path)
{
    char name[PATH_MAX + 8];
    snprintf(name, sizeof name, "%s/lock", path);
    int fd = open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    bool used = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return used;
}
