#include "attach/recorder_folder.h"
#include "attach/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_directory(struct recorder_folder *f, bool make)
{
    struct stat st;
    if (make && mkdirat(f->tmp, f->name, 0700))
        return -errno;
    f->directory = openat(f->tmp, f->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (f->directory < 0)
        return errno == ENOTDIR || errno == ELOOP ? -EPERM : -errno;
    if (fstat(f->directory, &st))
        return -errno;
    if (st.st_uid != f->process.uid || st.st_mode & 077)
        return -EPERM;
    return flock(f->directory, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK ? -EBUSY : 0;
}

static int explain(const struct recorder_folder *f, int code, const char *doing, struct error *e)
{
    return error_set(e, code, "cannot %s %s in the JVM's /tmp: %s", doing, f->name,
                     code == -EPERM   ? "it must be a folder of the JVM's user, closed to others"
                     : code == -EBUSY ? "another candor uses it"
                                      : process_tmp_problem(code));
}

static int open_folder(struct recorder_folder *f, const struct process *p, const char *name, bool make, struct error *e)
{
    struct identity own;
    const char *doing = make ? "make" : "open";
    *f = (struct recorder_folder){.process = *p, .tmp = -1, .directory = -1};
    snprintf(f->name, sizeof f->name, "%s", name);
    f->tmp = process_open_tmp(p);
    int code = f->tmp < 0 ? f->tmp : identity_assume(p, &own);
    if (!code) {
        code = open_directory(f, make);
        if (code && make && code != -EEXIST && code != -EBUSY)
            unlinkat(f->tmp, f->name, AT_REMOVEDIR);
        identity_restore(&own);
    }
    if (!code)
        return 0;
    recorder_folder_close(f);
    return explain(f, code, doing, e);
}

int recorder_folder_make(struct recorder_folder *f, const struct process *p, const char *name, struct error *e)
{
    return open_folder(f, p, name, true, e);
}

int recorder_folder_open(struct recorder_folder *f, const struct process *p, const char *name, struct error *e)
{
    return open_folder(f, p, name, false, e);
}

char *recorder_folder_path(const struct recorder_folder *f, const char *file, char *out, size_t size)
{
    snprintf(out, size, "/tmp/%s/%s", f->name, file);
    return out;
}

static int write_file(int directory, const char *file, const char *bytes, size_t len)
{
    int fd = openat(directory, file, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    int code = 0;
    while (!code && len) {
        ssize_t n = write(fd, bytes, len);
        if (n < 0)
            code = errno == EINTR ? 0 : -errno;
        else {
            bytes += n;
            len -= (size_t)n;
        }
    }
    if (close(fd) && !code)
        code = -errno;
    if (code)
        unlinkat(directory, file, 0);
    return code;
}

int recorder_folder_write(const struct recorder_folder *f, const char *file, const void *bytes, size_t len, struct error *e)
{
    struct identity own;
    int code = identity_assume(&f->process, &own);
    if (!code) {
        code = write_file(f->directory, file, bytes, len);
        identity_restore(&own);
    }
    return code ? explain(f, code, "write to", e) : 0;
}

static int open_file(const struct recorder_folder *f, const char *file)
{
    struct stat st;
    int fd = openat(f->directory, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return errno == ELOOP ? -EPERM : -errno;
    int code = fstat(fd, &st) ? -errno : !S_ISREG(st.st_mode) || st.st_uid != f->process.uid ? -EPERM : 0;
    if (!code)
        return fd;
    close(fd);
    return code;
}

int recorder_folder_read(const struct recorder_folder *f, const char *file)
{
    struct identity own;
    int fd = identity_assume(&f->process, &own);
    if (fd)
        return fd;
    fd = open_file(f, file);
    identity_restore(&own);
    return fd;
}

void recorder_folder_drop(const struct recorder_folder *f, const char *file)
{
    struct identity own;
    if (f->directory < 0 || identity_assume(&f->process, &own))
        return;
    unlinkat(f->directory, file, 0);
    identity_restore(&own);
}

void recorder_folder_remove(struct recorder_folder *f)
{
    struct identity own;
    recorder_folder_drop(f, RECORDER_SETTINGS);
    recorder_folder_drop(f, RECORDER_FLIGHT);
    recorder_folder_drop(f, RECORDER_DUMP);
    if (f->tmp >= 0 && !identity_assume(&f->process, &own)) {
        unlinkat(f->tmp, f->name, AT_REMOVEDIR);
        identity_restore(&own);
    }
    recorder_folder_close(f);
}

void recorder_folder_close(struct recorder_folder *f)
{
    if (f->directory >= 0)
        close(f->directory);
    if (f->tmp >= 0)
        close(f->tmp);
    f->tmp = f->directory = -1;
}
