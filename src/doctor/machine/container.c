#include "doctor/machine/container.h"

#include "attach/process.h"
#include "base/procfs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOUNTS_MAX = 256 << 10 };

/* A line has the form: 36 35 98:0 /root /point options [more...] - type source superoptions */
int container_parse_mount(const char *mountinfo, const char *controller, char *point, size_t size, char *root, size_t root_size)
{
    for (const char *line = mountinfo; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char at[PATH_MAX], from[PATH_MAX], type[32], options[256], *rest, copy[PATH_MAX * 3];
        snprintf(copy, sizeof copy, "%.*s", (int)strcspn(line, "\n"), line);
        rest = strstr(copy, " - ");
        if (!rest || sscanf(copy, "%*s %*s %*s %4095s %4095s", from, at) != 2 || sscanf(rest, " - %31s %*s %255s", type, options) != 2)
            continue;
        if (controller ? strcmp(type, "cgroup") || !procfs_has_word(options, ",", controller) : strcmp(type, "cgroup2") != 0)
            continue;
        snprintf(point, size, "%s", at);
        snprintf(root, root_size, "%s", from);
        return 0;
    }
    return -ENOENT;
}

bool container_parse_hidden(const char *mountinfo)
{
    bool hidden = false; /* the last mount in the list is on top and counts */
    for (const char *line = mountinfo; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char at[32], options[256];
        const char *rest = strstr(line, " - ");
        if (!rest || sscanf(line, "%*s %*s %*s %*s %31s", at) != 1 || strcmp(at, "/proc") != 0)
            continue;
        hidden = sscanf(rest, " - proc %*s %255s", options) == 1 &&
                 (procfs_has_word(options, ",", "hidepid=1") || procfs_has_word(options, ",", "hidepid=2") ||
                  procfs_has_word(options, ",", "hidepid=4") || procfs_has_word(options, ",", "hidepid=noaccess") ||
                  procfs_has_word(options, ",", "hidepid=invisible") || procfs_has_word(options, ",", "hidepid=ptraceable"));
    }
    return hidden;
}

/* A line has the form 4:cpu,cpuacct:/path, or 0::/path for the unified hierarchy. */
int container_parse_path(const char *cgroup, const char *controller, char *path, size_t size)
{
    for (const char *line = cgroup; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char list[256] = "";
        const char *first = strchr(line, ':'), *second = first ? strchr(first + 1, ':') : NULL;
        if (!second)
            break;
        snprintf(list, sizeof list, "%.*s", (int)(second - first - 1), first + 1);
        if (controller ? !procfs_has_word(list, ",", controller) : *list != 0)
            continue;
        snprintf(path, size, "%.*s", (int)strcspn(second + 1, "\n"), second + 1);
        return 0;
    }
    return -ENOENT;
}

double container_parse_quota(const char *text)
{
    double quota, period;
    return sscanf(text, "%lf %lf", &quota, &period) == 2 && quota > 0 && period > 0 ? quota / period : 0;
}

/* Returns the limit in one cgroup's folder, in CPUs; 0 = none. */
static double read_quota(const char *folder, bool unified)
{
    char path[PATH_MAX + 32], text[128], period[64];
    snprintf(path, sizeof path, "%s/%s", folder, unified ? "cpu.max" : "cpu.cfs_quota_us");
    if (procfs_read(path, text, sizeof text) < 0)
        return 0;
    if (unified)
        return container_parse_quota(text);
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
    if (procfs_read(path, period, sizeof period) < 0)
        return 0;
    text[strcspn(text, "\n")] = ' ';
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s", period);
    return container_parse_quota(text);
}

/* Returns the smallest limit of the folder and all folders above it, up to the mount point. */
static double least_quota(char *folder, size_t mount_length, bool unified)
{
    double least = 0;
    for (;;) {
        double quota = read_quota(folder, unified);
        least = quota > 0 && (least == 0 || quota < least) ? quota : least;
        char *slash = strrchr(folder, '/');
        if (!slash || strlen(folder) <= mount_length)
            return least;
        *slash = 0;
    }
}

/* Finds the folder of the process's cgroup. Returns the length of its beginning that is the mount point; 0 = there is none. */
static size_t find_folder(const char *mountinfo, const char *cgroup, const char *controller, char folder[2 * PATH_MAX])
{
    char point[PATH_MAX], root[PATH_MAX], path[PATH_MAX];
    if (container_parse_mount(mountinfo, controller, point, sizeof point, root, sizeof root) ||
        container_parse_path(cgroup, controller, path, sizeof path))
        return 0;
    /* In a container the mounted cgroup may be the container's own, but the path begins at a cgroup above it. */
    size_t n = strcmp(root, "/") ? strlen(root) : 0;
    const char *below = n && !strncmp(path, root, n) ? path + n : n ? "" : path;
    snprintf(folder, 2 * PATH_MAX, "%s%s", point, strcmp(below, "/") ? below : "");
    return strlen(point);
}

static double quota_in(const char *mountinfo, const char *cgroup, const char *controller)
{
    char folder[2 * PATH_MAX];
    size_t mount_length = find_folder(mountinfo, cgroup, controller, folder);
    return mount_length ? least_quota(folder, mount_length, !controller) : 0;
}

/* ---- throttling ---- */

bool container_parse_throttling(const char *text, struct container_throttling *t)
{
    const char *periods = strstr(text, "nr_periods "), *stopped = strstr(text, "nr_throttled ");
    return periods && stopped && sscanf(periods, "%*s %llu", &t->periods) == 1 && sscanf(stopped, "%*s %llu", &t->stopped) == 1;
}

/* Reads the counts of the nearest cgroup that has a quota. */
static bool throttling_in(const char *mountinfo, const char *cgroup, const char *controller, struct container_throttling *t)
{
    char folder[2 * PATH_MAX], path[2 * PATH_MAX + 16], text[1024], *slash;
    size_t mount_length = find_folder(mountinfo, cgroup, controller, folder);
    while (mount_length && !read_quota(folder, !controller)) {
        slash = strrchr(folder, '/');
        if (!slash || strlen(folder) <= mount_length)
            return false;
        *slash = 0;
    }
    snprintf(path, sizeof path, "%s/cpu.stat", folder);
    return mount_length && procfs_read(path, text, sizeof text) > 0 && container_parse_throttling(text, t);
}

bool container_throttling(pid_t pid, struct container_throttling *t)
{
    char cgroup[8192], *mounts = malloc(MOUNTS_MAX);
    bool found = mounts && process_read_file(getpid(), "mountinfo", mounts, MOUNTS_MAX) >= 0 &&
                 process_read_file(pid, "cgroup", cgroup, sizeof cgroup) >= 0 &&
                 (throttling_in(mounts, cgroup, NULL, t) || throttling_in(mounts, cgroup, "cpu", t));
    free(mounts);
    return found;
}

static void check_quota(struct checkup *f, pid_t pid, const char *mounts)
{
    char cgroup[8192];
    double unified = 0, own = 0;
    if (process_read_file(pid ? pid : getpid(), "cgroup", cgroup, sizeof cgroup) >= 0) {
        unified = quota_in(mounts, cgroup, NULL);
        own = quota_in(mounts, cgroup, "cpu");
    }
    double least = unified > 0 && (own == 0 || unified < own) ? unified : own;
    if (least == 0) {
        checkup_add(f, CHECK_OK, "CPU limit", "none");
        return;
    }
    checkup_add(f, CHECK_NOTE, "CPU limit", "%.3g CPUs, by its cgroup", least);
    checkup_meaning(f, "while the JVM is throttled it uses no CPU time, so CPU samples do not show the wait");
    checkup_remedy(f, "look at nr_throttled in the cgroup's cpu.stat; raise the limit if that grows");
}

static void check_pid_namespace(struct checkup *f, pid_t pid)
{
    static const char first[] = "pid:[4026531836]"; /* the kernel's fixed number of the machine's initial namespace */
    char path[64], own[64] = "", its[64] = "";
    snprintf(path, sizeof path, "/proc/%d/ns/pid", pid ? pid : getpid());
    if (readlink("/proc/self/ns/pid", own, sizeof own - 1) < 0 || readlink(path, its, sizeof its - 1) < 0)
        return;
    if (strcmp(own, its)) {
        checkup_add(f, CHECK_OK, "PID namespace", "the JVM runs in its own container");
        checkup_meaning(f, "found through /proc/%d/root and its inner PID", pid);
    } else if (strcmp(own, first)) {
        checkup_add(f, CHECK_NOTE, "PID namespace", "a container's");
        checkup_meaning(f, "JVMs outside of this container are not visible here");
        checkup_remedy(f, "run candor on the host to see them");
    } else {
        checkup_add(f, CHECK_OK, "PID namespace", "the machine's own");
    }
}

static void check_hidden(struct checkup *f, const char *mounts)
{
    if (!container_parse_hidden(mounts)) {
        checkup_add(f, CHECK_OK, "/proc", "shows all processes");
    } else if (geteuid() == 0) {
        checkup_add(f, CHECK_OK, "/proc", "shows all processes to root");
    } else {
        checkup_add(f, CHECK_NOTE, "/proc", "hides other users' processes (hidepid)");
        checkup_meaning(f, "'candor list' shows this user's JVMs only");
        checkup_remedy(f, "run candor as root to see the JVMs of others");
    }
}

void container_check(struct checkup *f, pid_t pid)
{
    char *mounts = malloc(MOUNTS_MAX);
    check_pid_namespace(f, pid);
    if (mounts && process_read_file(getpid(), "mountinfo", mounts, MOUNTS_MAX) >= 0) {
        if (!pid)
            check_hidden(f, mounts);
        check_quota(f, pid, mounts);
    }
    free(mounts);
}
