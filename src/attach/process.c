/* Reads facts about one process from /proc. */
#include "attach/process.h"

#include "base/procfs.h"
#include "base/text/number.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t process_read_file(pid_t pid, const char *name, char *out, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    return procfs_read(path, out, size);
}

static bool next_number(const char **line, uint64_t *number)
{
    *line += strspn(*line, " \t");
    return !number_take(line, 10, 0, UINT_MAX, number);
}

/* Returns the last number. NSpid lists the process's numbers from the outermost namespace to its own. */
static pid_t last_number(const char *line)
{
    uint64_t number = 0;
    while (next_number(&line, &number)) {
    }
    return (pid_t)number;
}

/* Reads the second id in a line "real effective saved file-system". */
static bool effective_id(const char *ids, unsigned *id)
{
    uint64_t number;
    if (!next_number(&ids, &number) || !next_number(&ids, &number))
        return false;
    *id = (unsigned)number;
    return true;
}

int process_parse_status(const char *text, struct process *p, pid_t *thread_group)
{
    const char *state = procfs_field(text, "State"), *tgid = procfs_field(text, "Tgid"), *pid = procfs_field(text, "Pid");
    const char *nspid = procfs_field(text, "NSpid"), *uid = procfs_field(text, "Uid"), *gid = procfs_field(text, "Gid");
    const char *caught = procfs_field(text, "SigCgt");
    if (!state || !tgid || !pid || !uid || !gid || sscanf(state, " %c", &p->state) != 1 || !effective_id(uid, &p->uid) ||
        !effective_id(gid, &p->gid))
        return -EINVAL;
    p->pid = (pid_t)number_or_zero(pid);
    p->inner_pid = nspid ? last_number(nspid) : p->pid;
    p->catches_quit = caught && (number_based_or_zero(caught, 16) >> (SIGQUIT - 1) & 1);
    *thread_group = (pid_t)number_or_zero(tgid);
    return p->pid > 0 && p->inner_pid > 0 ? 0 : -EINVAL;
}

int process_read(pid_t pid, struct process *p, struct error *e)
{
    char text[8192];
    pid_t thread_group = 0;
    ssize_t n = process_read_file(pid, "status", text, sizeof text);
    if (n == -ENOENT || n == -ESRCH)
        return error_set(e, -ESRCH, "no process %d; 'candor list' shows the JVMs", pid);
    if (n < 0)
        return error_set(e, -EIO, "cannot read /proc/%d/status: %s; is /proc mounted?", pid, strerror((int)-n));
    if (process_parse_status(text, p, &thread_group))
        return error_set(e, -EIO, "cannot understand /proc/%d/status", pid);
    if (thread_group != pid)
        return error_set(e, -ESRCH, "no process %d: it is a thread of process %d", pid, thread_group);
    if (p->state == 'Z' || p->state == 'X')
        return error_set(e, -ESRCH, "process %d has exited", pid);
    return 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void add_agent(struct process_maps *maps, const char *path)
{
    bool known = maps->agent && !strcmp(maps->agents[0], path);
    if (!known)
        snprintf(maps->agents[maps->agent], sizeof maps->agents[0], "%s", path);
    maps->agent = true;
}

void process_parse_map_line(char *line, struct process_maps *maps)
{
    static const char gone[] = " (deleted)";
    char mode[5];
    int at = 0;
    if (sscanf(line, "%*s %4s %*s %*s %*s %n", mode, &at) != 1 || !at || line[at] != '/')
        return;
    char *path = line + at;
    size_t n = strlen(path);
    if (n > sizeof gone && !strcmp(path + n - (sizeof gone - 1), gone))
        path[n - (sizeof gone - 1)] = 0;
    const char *name = base_name(path);
    bool code = mode[2] == 'x';
    if (code && !strcmp(name, "libjvm.so"))
        snprintf(maps->libjvm, sizeof maps->libjvm, "%s", path);
    else if (code && !strcmp(name, "libcandor.so"))
        add_agent(maps, path);
    else if (strstr(path, "/hsperfdata_") && name[strspn(name, "0123456789")] == 0)
        snprintf(maps->hsperf, sizeof maps->hsperf, "%s", path);
}

int process_read_maps(pid_t pid, struct process_maps *maps)
{
    char path[64], *line = NULL;
    size_t size = 0;
    *maps = (struct process_maps){0};
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return errno == ENOENT || errno == ESRCH ? -ESRCH : -EACCES;
    ssize_t n;
    while ((n = getline(&line, &size, f)) > 0) {
        line[n - 1] = line[n - 1] == '\n' ? 0 : line[n - 1];
        process_parse_map_line(line, maps);
    }
    /* The file of a process whose memory we may not access can be opened, but not read. */
    int code = ferror(f) ? -EACCES : 0;
    free(line);
    fclose(f);
    return code;
}

/* Opens the process's root, or our own if p is NULL. Returns a descriptor or a negative errno. */
static int open_root(const struct process *p)
{
    char root[64] = "/";
    if (p)
        snprintf(root, sizeof root, "/proc/%d/root", p->pid);
    int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* Opens a path without openat2, part by part, and follows no link. */
static int open_by_parts(int root, const char *path, int flags)
{
    int at = openat(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    while (at >= 0) {
        char part[NAME_MAX + 1];
        path += strspn(path, "/");
        size_t n = strcspn(path, "/");
        bool last = path[n + strspn(path + n, "/")] == 0;
        snprintf(part, sizeof part, "%.*s", (int)n, path);
        bool bad = n == 0 || n > NAME_MAX || !strcmp(part, "..");
        int next = bad ? -1 : openat(at, part, (last ? flags : O_PATH | O_DIRECTORY) | O_NOFOLLOW | O_CLOEXEC);
        int error = bad ? EXDEV : errno;
        close(at);
        errno = error;
        at = next;
        path += n;
        if (last)
            break;
    }
    return at < 0 ? -errno : at;
}

/* Opens a path below the root. Links are followed inside the root, unless resolve forbids it. */
static int open_below(int root, const char *path, int flags, unsigned resolve)
{
    struct open_how how = {.flags = (unsigned)flags | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | resolve};
    int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof how);
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) /* before Linux 5.6, or under an old container's seccomp */
        return fd < 0 ? -errno : fd;
    return open_by_parts(root, path, flags);
}

static int open_in_root(const struct process *p, const char *path, int flags, unsigned resolve)
{
    int root = open_root(p);
    if (root < 0)
        return root;
    int fd = open_below(root, path, flags, resolve);
    close(root);
    return fd;
}

static bool is_same(const char *path, const char *other)
{
    struct stat one, two;
    return !stat(path, &one) && !stat(other, &two) && one.st_ino == two.st_ino && one.st_dev == two.st_dev;
}

static bool shares_our_files(const struct process *p)
{
    char root[64], mounts[64];
    snprintf(root, sizeof root, "/proc/%d/root", p->pid);
    snprintf(mounts, sizeof mounts, "/proc/%d/ns/mnt", p->pid);
    return is_same("/", root) && is_same("/proc/self/ns/mnt", mounts);
}

int process_open_folder(const struct process *p, const char *path)
{
    if (shares_our_files(p)) {
        int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
        return fd < 0 ? -errno : fd;
    }
    int fd = open_in_root(p, path, O_PATH | O_DIRECTORY, RESOLVE_NO_SYMLINKS);
    if (fd != -EACCES && fd != -EPERM)
        return fd;
    /* We may not access the process's root, for instance because the process changed its user. Most likely the root is the same as ours. */
    return open_in_root(NULL, path, O_PATH | O_DIRECTORY, 0);
}

int process_open_tmp(const struct process *p)
{
    return process_open_folder(p, "/tmp");
}

const char *process_tmp_problem(int code)
{
    return code == -ELOOP || code == -ENOTDIR ? "it is a symbolic link, which candor does not follow in another root directory; give the "
                                                "JVM a real /tmp, or start it with -agentpath:.../libcandor.so"
                                              : strerror(-code);
}

int process_open_file(const struct process *p, const char *path)
{
    return open_in_root(p, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
}

bool process_sees(const struct process *p, const char *path)
{
    struct stat ours, theirs;
    char link[64];
    snprintf(link, sizeof link, "/proc/%d/root", p->pid);
    if (stat(link, &theirs))
        return true;
    int fd = open_in_root(p, path, O_PATH, 0);
    if (fd < 0)
        return false;
    bool same = !stat(path, &ours) && !fstat(fd, &theirs) && ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev;
    close(fd);
    return same;
}

static bool is_for_writing(pid_t pid, const char *descriptor)
{
    char name[64], text[1024];
    snprintf(name, sizeof name, "fdinfo/%.20s", descriptor);
    const char *flags = process_read_file(pid, name, text, sizeof text) > 0 ? procfs_field(text, "flags") : NULL;
    return flags && (number_based_or_zero(flags, 8) & O_ACCMODE) != O_RDONLY;
}

int process_writes(pid_t pid, const struct stat *file)
{
    char path[64];
    struct stat st;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/fd", pid);
    DIR *descriptors = opendir(path);
    if (!descriptors)
        return errno == EACCES || errno == EPERM ? -EACCES : -ESRCH;
    for (const struct dirent *d; !found && (d = readdir(descriptors));)
        found = d->d_name[0] != '.' && !fstatat(dirfd(descriptors), d->d_name, &st, 0) && st.st_dev == file->st_dev &&
                st.st_ino == file->st_ino && is_for_writing(pid, d->d_name);
    closedir(descriptors);
    return found ? 0 : -EPERM;
}

char *process_user_name(uid_t uid, char *out, size_t size)
{
    char space[4096];
    struct passwd entry, *found = NULL;
    if (getpwuid_r(uid, &entry, space, sizeof space, &found) == 0 && found)
        snprintf(out, size, "%s", found->pw_name);
    else
        snprintf(out, size, "%u", uid);
    return out;
}

bool process_has_thread(pid_t pid, const char *name)
{
    char path[64], file[64], text[32];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *tasks = opendir(path);
    if (!tasks)
        return false;
    for (const struct dirent *d; !found && (d = readdir(tasks));) {
        snprintf(file, sizeof file, "task/%.20s/comm", d->d_name);
        if (d->d_name[0] == '.' || process_read_file(pid, file, text, sizeof text) <= 0)
            continue;
        text[strcspn(text, "\n")] = 0;
        found = !strcmp(text, name);
    }
    closedir(tasks);
    return found;
}

int process_check_stopped(const struct process *p, struct error *e)
{
    if (p->state == 'T')
        return error_set(e, -EAGAIN, "process %d is stopped and cannot answer; continue it with 'kill -CONT %d'", p->pid, p->pid);
    if (p->state == 't')
        return error_set(e, -EAGAIN,
                         "process %d is stopped by a debugger and cannot answer; continue it in the debugger, or detach the debugger",
                         p->pid);
    return 0;
}
