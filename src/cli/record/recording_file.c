/* Opens, replaces and removes the file that a JVM writes. */
#include "cli/cli.h"
#include "cli/record/recording_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { ROOM_NEEDED = 1 << 20 }; /* with fewer free bytes on the disk, a recording is not worth starting */

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
        return "give a file with -o";
    case EINVAL:
    case ELOOP:
        return "a recording can only be an ordinary file";
    case EBUSY:
        return "choose another name with -o";
    default:
        return "choose another place with -o";
    }
}

static int cannot_write(const struct recording_file *f, int error)
{
    const char *why = error == EINVAL ? "not an ordinary file" : error == EBUSY ? "a recording is being written to it" : strerror(error);
    return cli_fail("cannot write %s: %s; %s", f->path, why, remedy(error));
}

static bool is_recording(int fd)
{
    char magic[4];
    return pread(fd, magic, sizeof magic, 0) == sizeof magic && !memcmp(magic, "FLR", sizeof magic);
}

static int is_foreign(const struct recording_file *f)
{
    return cli_fail("cannot write %s: the existing file is not a recording, and candor replaces only recordings; choose another "
                    "name with -o",
                    f->path);
}

/* Whether the file exists and is not a recording. This is checked before candor attaches to or starts anything. A file that cannot be read
 * is refused later, when it is opened. */
static bool holds_something_else(const char *path)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    bool foreign = fd >= 0 && !is_recording(fd);
    if (fd >= 0)
        close(fd);
    return foreign;
}

static struct file_id id_of(const struct stat *st)
{
    return (struct file_id){st->st_dev, st->st_ino, st->st_ctim};
}

int recording_file_choose(struct recording_file *f, const char *path)
{
    char folder[PATH_MAX];
    struct statvfs disk;
    struct stat st;
    f->fd = f->replaced = -1;
    f->beside[0] = 0;
    int status = make_absolute(path, f->path, sizeof f->path);
    if (status)
        return status;
    f->before = !lstat(f->path, &st) && st.st_size ? id_of(&st) : (struct file_id){0};
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(f->path, '/') - f->path + 1), f->path);
    int error = try_file(f->path, folder);
    if (!error && statvfs(folder, &disk) == 0)
        error = (double)disk.f_bavail * (double)disk.f_frsize < ROOM_NEEDED ? ENOSPC : 0;
    if (error)
        return cannot_write(f, error);
    return f->before.number && holds_something_else(f->path) ? is_foreign(f) : CLI_OK;
}

/* Gives the file the owner and the mode of the file that it replaces. If the owner cannot be set, only the user of candor has access. */
static void take_mode(int fd, const struct stat *of)
{
    if (fchown(fd, of->st_uid, of->st_gid) == 0)
        fchmod(fd, of->st_mode & 07777);
}

static int open_beside(struct recording_file *f, const struct stat *of)
{
    snprintf(f->beside, sizeof f->beside, "%.*s.candor-XXXXXX", (int)(strrchr(f->path, '/') - f->path + 1), f->path);
    f->replaced = f->fd;
    f->fd = mkostemp(f->beside, O_CLOEXEC);
    f->made = f->fd >= 0;
    if (f->made) {
        take_mode(f->fd, of);
        return CLI_OK;
    }
    int error = errno;
    f->beside[0] = 0;
    recording_file_discard(f);
    return cli_fail("cannot write %s: it contains a recording, and the new file that would replace it cannot be created in that folder: "
                    "%s; choose another place with -o",
                    f->path, strerror(error));
}

/* Opens a file that exists. */
static int open_existing(struct recording_file *f)
{
    struct stat st;
    int error = fstat(f->fd, &st) ? errno : S_ISREG(st.st_mode) ? 0 : EINVAL;
    if (!error && st.st_size && flock(f->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        error = EBUSY;
    bool foreign = !error && st.st_size && !is_recording(f->fd), linked = !error && st.st_nlink > 1;
    if (!error && !foreign && !linked)
        return st.st_size ? open_beside(f, &st) : CLI_OK;
    recording_file_discard(f);
    if (linked)
        return cli_fail("cannot write %s: the file has a second name (hard link); choose another with -o", f->path);
    if (foreign)
        return is_foreign(f);
    return cannot_write(f, error);
}

static int open_or_make(struct recording_file *f)
{
    int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    f->fd = open(f->path, flags | O_CREAT | O_EXCL, 0600);
    f->made = f->fd >= 0;
    if (f->made)
        return CLI_OK;
    if (errno == EEXIST)
        f->fd = open(f->path, flags);
    return f->fd < 0 ? cannot_write(f, errno) : open_existing(f);
}

int recording_file_open(struct recording_file *f)
{
    struct stat st;
    int status = open_or_make(f);
    if (!status && !fstat(f->fd, &st))
        f->own = id_of(&st);
    return status;
}

static bool is(const struct file_id *id, const struct stat *st)
{
    return id->device == st->st_dev && id->number == st->st_ino;
}

bool recording_file_is_own(const struct recording_file *f, const struct stat *st)
{
    return !f->own.number || is(&f->own, st);
}

bool recording_file_is_before(const struct recording_file *f, const struct stat *st)
{
    const struct timespec *changed = &f->before.changed;
    return is(&f->before, st) && changed->tv_sec == st->st_ctim.tv_sec && changed->tv_nsec == st->st_ctim.tv_nsec;
}

int recording_file_make(struct recording_file *f, const char *command, pid_t pid)
{
    const char *folder = getenv("TMPDIR");
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s/candor-%s-%d-XXXXXX.jfr", folder && *folder == '/' ? folder : "/tmp", command, pid);
    f->fd = mkostemps(name, 4, O_CLOEXEC);
    f->replaced = -1;
    f->beside[0] = 0;
    f->made = f->fd >= 0;
    if (f->fd < 0)
        return cli_fail("cannot write %s: %s; give a file with -o, or another folder in TMPDIR", name, strerror(errno));
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

bool recording_file_waits(const struct recording_file *f)
{
    return f->beside[0] != 0;
}

static void let_replaced_go(struct recording_file *f)
{
    if (f->replaced >= 0)
        close(f->replaced);
    f->replaced = -1;
    f->beside[0] = 0;
}

int recording_file_place(struct recording_file *f)
{
    int status = CLI_OK;
    if (recording_file_waits(f) && rename(f->beside, f->path))
        status = cli_fail("cannot replace %s: %s; the recording is in %s", f->path, strerror(errno), f->beside);
    let_replaced_go(f);
    return status;
}

void recording_file_discard(struct recording_file *f)
{
    if (f->made)
        unlink(recording_file_waits(f) ? f->beside : f->path);
    let_replaced_go(f);
    recording_file_close(f);
}
