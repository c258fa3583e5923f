/* The file that a JVM writes for us. */
#include "cli/cli.h"
#include "cli/record/recording_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { ROOM_NEEDED = 1 << 20 }; /* bytes free on the disk, below which a recording is not worth starting */

static int make_absolute(const char *path, char *out, size_t size)
{
    char here[PATH_MAX];
    if (*path == '/')
        here[0] = 0;
    else if (!getcwd(here, sizeof here))
        return cli_fail("cannot find the current directory: %s; change to another", strerror(errno));
    size_t n = (size_t)snprintf(out, size, "%s%s%s", here, *here ? "/" : "", path);
    return n < size ? CLI_OK : cli_fail("cannot write %.200s...: the path is too long; use a shorter one", path);
}

static int try_file(const char *file, const char *folder)
{
    struct stat st;
    if (lstat(file, &st) == 0) {
        if (S_ISDIR(st.st_mode))
            return EISDIR;
        if (!S_ISREG(st.st_mode))
            return EINVAL;
        return faccessat(AT_FDCWD, file, W_OK, AT_EACCESS) ? errno : 0;
    }
    if (errno != ENOENT)
        return errno;
    return faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) ? errno : 0;
}

static const char *remedy(int error)
{
    switch (error) {
    case ENOENT:
        return "create its folder first";
    case ENOSPC:
        return "make room, or choose another disk with -o";
    case EISDIR:
        return "name a file with -o";
    case EINVAL:
    case ELOOP:
        return "a recording must be an ordinary file";
    default:
        return "choose another place with -o";
    }
}

static int cannot_write(const struct recording_file *f, int error)
{
    return cli_fail("cannot write %s: %s; %s", f->path, error == EINVAL ? "not an ordinary file" : strerror(error), remedy(error));
}

int recording_file_choose(struct recording_file *f, const char *path)
{
    char folder[PATH_MAX];
    struct statvfs disk;
    f->fd = -1;
    int status = make_absolute(path, f->path, sizeof f->path);
    if (status)
        return status;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(f->path, '/') - f->path + 1), f->path);
    int error = try_file(f->path, folder);
    if (!error && statvfs(folder, &disk) == 0)
        error = (double)disk.f_bavail * (double)disk.f_frsize < ROOM_NEEDED ? ENOSPC : 0;
    return error ? cannot_write(f, error) : CLI_OK;
}

int recording_file_open(struct recording_file *f)
{
    struct stat st;
    int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    f->fd = open(f->path, flags | O_CREAT | O_EXCL, 0600);
    f->made = f->fd >= 0;
    if (f->fd < 0 && errno == EEXIST)
        f->fd = open(f->path, flags);
    int error = f->fd < 0 || fstat(f->fd, &st) ? errno : S_ISREG(st.st_mode) ? 0 : EINVAL;
    if (!error)
        return CLI_OK;
    recording_file_discard(f);
    return cannot_write(f, error);
}

int recording_file_make(struct recording_file *f, const char *command, pid_t pid)
{
    const char *folder = getenv("TMPDIR");
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s/candor-%s-%d-XXXXXX.jfr", folder && *folder == '/' ? folder : "/tmp", command, pid);
    f->fd = mkostemps(name, 4, O_CLOEXEC);
    f->made = f->fd >= 0;
    if (f->fd < 0)
        return cli_fail("cannot write %s: %s; name a file with -o, or another folder in TMPDIR", name, strerror(errno));
    if (!realpath(name, f->path))
        snprintf(f->path, sizeof f->path, "%s", name);
    return CLI_OK;
}

void recording_file_option(const struct recording_file *f, struct control_request *request)
{
    if (f->fd >= 0)
        control_pass_file(request, f->path, f->fd);
    else
        control_option(request, "file", f->path);
}

void recording_file_close(struct recording_file *f)
{
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
}

void recording_file_discard(struct recording_file *f)
{
    if (f->made)
        unlink(f->path);
    recording_file_close(f);
}
