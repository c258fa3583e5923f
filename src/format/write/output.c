#include "format/write/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void forget(struct output *o)
{
    free(o->path);
    free(o->target);
    free(o->temporary);
    *o = (struct output){0};
}

static int fail(struct output *o, int code, struct error *e)
{
    error_set(e, -code, "%s: cannot write: %s", o->path ? o->path : "output", strerror(code));
    output_abandon(o);
    return -code;
}

/* Returns the mode of the new file. mkstemp would give it 0600. A file that replaces another keeps its mode, and a new one gets the mode
 * that open would give it. */
static mode_t wanted_mode(const struct stat *old)
{
    if (old)
        return old->st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Opens a temporary file in the folder of o->target. */
static int open_temporary(struct output *o, struct error *e)
{
    const char *slash = strrchr(o->target, '/');
    int directory = slash ? (int)(slash - o->target) + 1 : 0;
    if (asprintf(&o->temporary, "%.*s.candor-XXXXXX", directory, o->target) < 0) {
        o->temporary = NULL;
        return fail(o, ENOMEM, e);
    }
    int fd = mkstemp(o->temporary);
    if (fd < 0) {
        int code = errno;
        free(o->temporary);
        o->temporary = NULL;
        return fail(o, code, e);
    }
    o->file = fdopen(fd, "w");
    if (!o->file)
        close(fd);
    return o->file ? 0 : fail(o, errno, e);
}

static int open_beside(struct output *o, const struct stat *old, struct error *e)
{
    o->target = old ? realpath(o->path, NULL) : strdup(o->path);
    if (!o->target)
        return fail(o, errno, e);
    int rc = open_temporary(o, e);
    if (!rc && fchmod(fileno(o->file), wanted_mode(old)))
        return fail(o, errno, e);
    return rc;
}

static bool has_mark(const char *path, const char *mark)
{
    char text[4096];
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);
    if (fd >= 0)
        close(fd);
    return n > 0 && memmem(text, (size_t)n, mark, strlen(mark));
}

int output_open_own(struct output *o, const char *path, const char *mark, const char *like, struct error *e)
{
    struct stat old, st;
    *o = (struct output){.path = strdup(path), .target = strdup(path)};
    if (!o->path || !o->target)
        return fail(o, ENOMEM, e);
    if (!lstat(path, &old) && !(S_ISREG(old.st_mode) && has_mark(path, mark))) {
        output_abandon(o);
        return error_set(e, -EEXIST, "%s: not written: the existing file was not made by candor, and was left unchanged", path);
    }
    int rc = open_temporary(o, e);
    if (!rc && !stat(like, &st) && !fchown(fileno(o->file), st.st_uid, st.st_gid) && fchmod(fileno(o->file), st.st_mode & 0666))
        return fail(o, errno, e);
    return rc;
}

int output_open(struct output *o, const char *path, struct error *e)
{
    struct stat old;
    *o = (struct output){.path = strdup(strcmp(path, "-") ? path : "standard output")};
    if (!o->path)
        return fail(o, ENOMEM, e);
    if (!strcmp(path, "-")) {
        o->file = stdout;
        return 0;
    }
    bool exists = !stat(path, &old);
    if (exists && S_ISDIR(old.st_mode))
        return fail(o, EISDIR, e);
    if (!exists || S_ISREG(old.st_mode))
        return open_beside(o, exists ? &old : NULL, e);
    o->file = fopen(path, "w");
    return o->file ? 0 : fail(o, errno, e);
}

/* Returns the errno of a failed write. The stream only remembers that a write failed, so this writes to the file again. */
static int write_error(FILE *f)
{
    return write(fileno(f), "\n", 1) < 0 ? errno : EIO;
}

int output_close(struct output *o, struct error *e)
{
    FILE *f = o->file;
    if (ferror(f))
        return fail(o, write_error(f), e);
    if (fflush(f) || (o->temporary && fsync(fileno(f))))
        return fail(o, errno, e);
    o->file = NULL;
    if (f != stdout && fclose(f))
        return fail(o, errno, e);
    if (o->temporary && rename(o->temporary, o->target))
        return fail(o, errno, e);
    forget(o);
    return 0;
}

void output_publish(struct output *o)
{
    if (!o->temporary || fflush(o->file) || rename(o->temporary, o->target))
        return;
    free(o->temporary);
    o->temporary = NULL;
}

void output_abandon(struct output *o)
{
    if (o->file && o->file != stdout)
        fclose(o->file);
    if (o->temporary)
        unlink(o->temporary);
    forget(o);
}
