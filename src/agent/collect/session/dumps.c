#include "agent/collect/session/dumps.h"

#include "agent/record/processors.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int look(const char *path, struct stat *st)
{
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

/* Converts for instance "/var/x.jfr" to "/var/." */
static void folder_of(const char *path, char *out, size_t size)
{
    snprintf(out, size, "%.*s.", (int)(base_name(path) - path), path);
}

/* Checks that the JVM sees the recording's folder. A client may have opened the recording in a folder that the JVM does not see, or for
 * which the JVM sees another folder with the same name. The folder is compared, because the file may not have its final name yet. */
static int check_same_folder(const struct recording *r, struct error *e)
{
    static char now[RECORDING_PATH_MAX], folder[RECORDING_PATH_MAX + 2];
    char link[32];
    struct stat open, seen, named, its;
    snprintf(link, sizeof link, "/proc/self/fd/%d", r->file.fd);
    ssize_t n = readlink(link, now, sizeof now - 1);
    now[n > 0 ? n : 0] = 0;
    bool is_there = !record_file_stat(r->file.fd, &open) && !look(now, &seen) && same(&open, &seen);
    folder_of(now, folder, sizeof folder);
    is_there = is_there && !look(folder, &its);
    folder_of(r->file.path, folder, sizeof folder);
    if (is_there && !look(folder, &named) && same(&its, &named))
        return 0;
    return error_set(
        e, -ENOENT,
        "dump-on: the JVM cannot access the recording's folder, where the copies would be written; give another folder with dump-dir");
}

static int choose_stem(struct dumps *d, const struct recording *r, struct error *e)
{
    const char *name = base_name(r->file.path), *folder = d->options.folder;
    size_t length = strlen(name);
    if (length > 4 && !strcmp(name + length - 4, ".jfr"))
        length -= 4;
    int n = *folder ? snprintf(d->stem, sizeof d->stem, "%s/%.*s", folder, (int)length, name)
                    : snprintf(d->stem, sizeof d->stem, "%.*s", (int)(name - r->file.path + (ptrdiff_t)length), r->file.path);
    return n + 32 < RECORDING_PATH_MAX ? 0 : error_set(e, -ENAMETOOLONG, "dump-on: the file names of the copies would be too long");
}

/* Checks the folder by writing a file: no check of permissions is as reliable. */
static int check_folder(const struct dumps *d, struct error *e)
{
    char probe[RECORDING_PATH_MAX];
    snprintf(probe, sizeof probe, "%s-%d.tmp", d->stem, (int)getpid());
    int fd = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return error_set(e, -errno, "cannot write copies to %.*s: %s; give a folder with dump-dir that this JVM's user may write to",
                         (int)(base_name(d->stem) - d->stem), d->stem, strerror(errno));
    close(fd);
    unlink(probe);
    return 0;
}

int dumps_begin(struct dumps *d, const struct dumps_options *options, const struct recording *r, struct error *e)
{
    memset(d, 0, sizeof *d);
    d->options = *options;
    if (!options->rule.text[0])
        return 0;
    d->processors = processors_usable();
    d->pause_ns = options->pause_ns ? options->pause_ns : r->keep.ns ? r->keep.ns : DUMPS_PAUSE_DEFAULT_NS;
    alarm_begin(&d->alarm, &options->rule, d->processors);
    int rc = r->file.passed && !options->folder[0] ? check_same_folder(r, e) : 0;
    if (!rc)
        rc = choose_stem(d, r, e);
    return rc ? rc : check_folder(d, e);
}

bool dumps_want_look(const struct dumps *d, uint64_t now_ns)
{
    return d->options.rule.text[0] && d->made < d->options.max && alarm_is_due(&d->alarm, now_ns);
}

bool dumps_due(struct dumps *d, uint64_t now_ns, uint64_t cpu_ns)
{
    char stamp[32], window[32];
    double used;
    struct tm utc;
    if (!alarm_rings(&d->alarm, now_ns, cpu_ns, &used) || now_ns < d->quiet_until)
        return false;
    time_t seconds = (time_t)(clock_realtime_ns() / NS_PER_S);
    strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", gmtime_r(&seconds, &utc));
    snprintf(d->file, sizeof d->file, "%s-%s.jfr", d->stem, stamp);
    snprintf(d->why, sizeof d->why, "dump %u of at most %u, %.255s, for %s: %.2f processors of %.2f in use, over %s", d->made + 1,
             d->options.max, base_name(d->file), d->options.rule.text, used, d->processors,
             units_format_duration(window, sizeof window, d->options.rule.window_ns));
    return true;
}

void dumps_done(struct dumps *d, uint64_t now_ns, const struct error *e)
{
    d->made += !e;
    d->failed += !!e;
    d->quiet_until = now_ns + d->pause_ns;
    snprintf(d->error, sizeof d->error, "%s", e ? e->text : "");
}
