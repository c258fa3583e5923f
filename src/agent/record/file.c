#include "agent/record/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

int record_file_stat(int fd, struct stat *st)
{
    return (int)syscall(SYS_fstat, fd, st); /* struct stat has the kernel's layout */
}

static bool is_recording(int fd)
{
    char magic[4];
    return pread(fd, magic, sizeof magic, 0) == sizeof magic && !memcmp(magic, "FLR", sizeof magic);
}

static bool same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Checks an existing file. A file that is not regular cannot contain a recording. A file with a second name (a hard link) may belong to
 * another user. */
static int check_file(int fd, const char *path, const struct stat *busy, struct stat *st, struct error *e)
{
    if (record_file_stat(fd, st))
        return error_set(e, -errno, "cannot write %s: %s", path, strerror(errno));
    if (!S_ISREG(st->st_mode))
        return error_set(e, -EINVAL, "cannot write %s: it is not a regular file; choose another", path);
    if (busy && same(st, busy))
        return error_set(e, -EBUSY, "cannot write %s: it is the file of the running recording; choose another file", path);
    if (st->st_nlink > 1)
        return error_set(e, -EINVAL, "cannot write %s: the file has a second name (hard link); choose another", path);
    if (st->st_size && !is_recording(fd))
        return error_set(e, -EEXIST,
                         "cannot write %s: the existing file is not a recording, and only recordings are replaced; choose "
                         "another name",
                         path);
    return 0;
}

/* Locks the file. Only the lock prevents several JVMs with the same options from writing one file. On file systems without locks, such as
 * some network disks, nothing prevents this. */
static int lock(int fd, const char *path, struct error *e)
{
    if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        return error_set(e, -EBUSY,
                         "cannot write %s: another process is recording to it; choose another name (%%p in it stands "
                         "for the process's number)",
                         path);
    return 0;
}

/* Checks that the path still names the open file. Another process may have replaced it by its own recording just before we got the lock. */
static int check_same(int fd, const char *path, struct error *e)
{
    struct stat open, named;
    if (record_file_stat(fd, &open) || syscall(SYS_newfstatat, AT_FDCWD, path, &named, AT_SYMLINK_NOFOLLOW) || !same(&open, &named))
        return error_set(e, -EBUSY,
                         "cannot write %s: another process has just recorded to it; choose another name (%%p in it stands "
                         "for the process's number)",
                         path);
    return 0;
}

/* Takes a file that a client opened for us. It belongs to the client's user, and is in the file system that the client sees. */
static int take_descriptor(struct record_file *f, int passed, const struct stat *busy, struct error *e)
{
    struct stat st;
    int flags = fcntl(passed, F_GETFL);
    if (flags < 0 || (flags & (O_ACCMODE | O_APPEND)) != O_RDWR)
        return error_set(e, -EINVAL, "cannot write %s: its descriptor must be open for reading and writing", f->path);
    int rc = check_file(passed, f->path, busy, &st, e);
    if (!rc && st.st_size)
        rc = error_set(
            e, -EEXIST,
            "cannot write %s: the file that was passed is not empty; pass a new one, and rename it when the recording contains data",
            f->path);
    if (!rc)
        rc = lock(passed, f->path, e);
    if (rc)
        return rc;
    f->passed = true;
    f->fd = fcntl(passed, F_DUPFD_CLOEXEC, 0);
    return f->fd < 0 ? error_set(e, -errno, "cannot write %s: %s", f->path, strerror(errno)) : 0;
}

/* Gives the file the owner and the mode of the replaced file. If the owner cannot be set, no other user gets access. */
static void take_mode(int fd, const struct stat *of)
{
    if (fchown(fd, of->st_uid, of->st_gid) == 0)
        fchmod(fd, of->st_mode & 07777);
}

static int open_beside(struct record_file *f, int replaced, const struct stat *of, struct error *e)
{
    const char *slash = strrchr(f->path, '/');
    int n = snprintf(f->beside, sizeof f->beside, "%.*s.candor-XXXXXX", (int)(slash ? slash - f->path + 1 : 0), f->path);
    f->fd = n < (int)sizeof f->beside ? mkostemp(f->beside, O_CLOEXEC) : (errno = ENAMETOOLONG, -1);
    if (f->fd < 0) {
        f->beside[0] = 0;
        return error_set(e, -errno,
                         "cannot write %s: it contains a recording, and the new file that would replace it cannot be created in that "
                         "folder: %s; choose another name, or remove the file first",
                         f->path, strerror(errno));
    }
    take_mode(f->fd, of);
    f->replaced = replaced;
    return lock(f->fd, f->path, e);
}

/* Opens the existing file, or makes a new one. */
static int open_named(struct record_file *f, const struct stat *busy, struct error *e)
{
    struct stat st;
    int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    int fd = open(f->path, flags | O_CREAT | O_EXCL, 0600);
    bool made = fd >= 0;
    if (!made && errno == EEXIST)
        fd = open(f->path, flags);
    if (fd < 0)
        return error_set(e, -errno, "cannot write %s: %s; choose a file that this JVM's user may write", f->path, strerror(errno));
    int rc = check_file(fd, f->path, busy, &st, e);
    if (!rc)
        rc = lock(fd, f->path, e);
    if (!rc)
        rc = check_same(fd, f->path, e);
    if (!rc && st.st_size)
        rc = open_beside(f, fd, &st, e);
    else if (!rc)
        f->fd = fd, f->made = made;
    if (rc && f->replaced < 0)
        close(fd);
    return rc;
}

int record_file_open(struct record_file *f, const char *path, int passed, const struct stat *busy, struct error *e)
{
    memset(f, 0, sizeof *f);
    f->fd = f->replaced = -1;
    snprintf(f->path, sizeof f->path, "%s", path);
    int rc = passed >= 0 ? take_descriptor(f, passed, busy, e) : open_named(f, busy, e);
    if (rc) {
        int fd = f->fd;
        record_file_discard(f);
        if (fd >= 0)
            close(fd);
    }
    return rc;
}

static void let_go(struct record_file *f)
{
    if (f->replaced >= 0)
        close(f->replaced);
    f->replaced = -1;
    f->beside[0] = 0;
    f->settled = true;
}

int record_file_place(struct record_file *f, struct error *e)
{
    int rc = 0;
    if (f->settled)
        return 0;
    if (f->beside[0] && rename(f->beside, f->path))
        rc = error_set(e, -errno, "cannot rename the recording to %s: %s; its data are in %s", f->path, strerror(errno), f->beside);
    let_go(f);
    return rc;
}

void record_file_discard(struct record_file *f)
{
    int code = 0;
    if (f->settled)
        return;
    if (f->beside[0])
        code = unlink(f->beside);
    else if (f->made)
        code = unlink(f->path);
    else if (f->fd >= 0 && !f->passed) /* the file was empty before */
        code = ftruncate(f->fd, 0);
    (void)code; /* the file may already be gone */
    let_go(f);
}
