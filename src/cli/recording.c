/* How a recording is to be made. */
#include "cli/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROOM_NEEDED = 1 << 20 }; /* bytes free on the disk, below which a recording is not worth starting */

int recording_read(struct recording *r, const struct cli_args *args)
{
    *r = (struct recording){.event = cli_option(args, "event"), .clock = cli_option(args, "clock")};
    int status = cli_duration(args, "interval", 10000000, &r->interval_ns);
    if (!status)
        status = cli_duration(args, "duration", 0, &r->duration_ns);
    if (status)
        return status;
    if (r->interval_ns < 100000)
        return cli_usage(args->command, "--interval below 100us would only measure the profiler");
    if (cli_option(args, "duration") && !r->duration_ns)
        return cli_usage(args->command, "--duration 0 would record nothing");
    const char *file = cli_option(args, "output");
    if (file && (!*file || !strcmp(file, "-")))
        return cli_usage(args->command, "--output must be a file: the JVM itself writes it");
    return CLI_OK;
}

int recording_absolute(const char *path, char *out, size_t size)
{
    char here[PATH_MAX];
    if (*path == '/')
        here[0] = 0;
    else if (!getcwd(here, sizeof here))
        return cli_fail("cannot find the current directory: %s; change to another", strerror(errno));
    size_t n = (size_t)snprintf(out, size, "%s%s%s", here, *here ? "/" : "", path);
    return n < size ? CLI_OK : cli_fail("cannot write %.200s...: the path is too long; use a shorter one", path);
}

/* Without touching an existing file. Runs with the effective user that is to write. */
static int try_file(const char *file, const char *folder)
{
    struct stat st;
    if (stat(file, &st) == 0) {
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

/* As root for another user's JVM: what that user may do, only a process with that user's rights can tell. */
static int try_file_as(const struct process *writer, const char *file, const char *folder)
{
    if (writer->uid == geteuid())
        return try_file(file, folder);
    char user[64];
    process_user_name(writer->uid, user, sizeof user);
    pid_t child = fork();
    if (child < 0)
        return errno;
    if (child == 0) {
        if (initgroups(user, writer->gid) && setgroups(0, NULL))
            _exit(EPERM);
        if (setgid(writer->gid) || setuid(writer->uid))
            _exit(EPERM);
        _exit(try_file(file, folder));
    }
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
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
        return "a recording must be an ordinary file";
    default:
        return "choose another place with -o";
    }
}

int recording_check_file(const char *file, const struct process *writer, struct error *e)
{
    char folder[PATH_MAX], user[64];
    struct statvfs disk;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(file, '/') - file + 1), file);
    if (access(folder, F_OK) == 0 && !process_sees(writer, folder))
        return error_set(e, -EXDEV, "cannot write %s: process %d does not see this folder (container or private mounts); "
                         "choose one that both see with -o", file, writer->pid);
    int error = try_file_as(writer, file, folder);
    if (!error && statvfs(folder, &disk) == 0) {
        double blocks = (double)(writer->uid ? disk.f_bavail : disk.f_bfree);
        error = blocks * (double)disk.f_frsize < ROOM_NEEDED ? ENOSPC : 0;
    }
    if (!error)
        return 0;
    const char *why = error == EINVAL ? "not an ordinary file" : strerror(error);
    if (writer->uid != geteuid())
        return error_set(e, -error, "cannot write %s as user '%s': %s; %s", file,
                         process_user_name(writer->uid, user, sizeof user), why, remedy(error));
    return error_set(e, -error, "cannot write %s: %s; %s", file, why, remedy(error));
}

int recording_choose_file(struct recording *r, const struct cli_args *args, const char *name,
                          const struct process *writer)
{
    char made[160], stamp[32];
    struct tm local;
    struct error e;
    time_t now = time(NULL);
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", localtime_r(&now, &local));
    snprintf(made, sizeof made, "candor-%s-%s.jfr", name, stamp);
    const char *file = cli_option(args, "output");
    int status = recording_absolute(file ? file : made, r->file, sizeof r->file);
    if (status)
        return status;
    return recording_check_file(r->file, writer, &e) ? cli_fail("%s", e.text) : CLI_OK;
}

static void duration_option(struct control_request *request, const char *key, unsigned long long ns)
{
    char text[32];
    snprintf(text, sizeof text, "%lluns", ns);
    control_option(request, key, text);
}

void recording_options(const struct recording *r, struct control_request *request, unsigned long long guard_ns)
{
    control_option(request, "file", r->file);
    duration_option(request, "interval", r->interval_ns);
    if (r->duration_ns)
        duration_option(request, "duration", r->duration_ns + guard_ns);
    control_option(request, "clock", r->clock);
    control_option(request, "event", r->event);
}
