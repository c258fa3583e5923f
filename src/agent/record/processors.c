#include "agent/record/processors.h"

#include "base/procfs.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Returns how many processors the main thread may use. The agent's own thread may have been restricted to others. */
static double allowed(void)
{
    cpu_set_t set; /* has room for 1024 processors */
    if (sched_getaffinity(getpid(), sizeof set, &set))
        return (double)sysconf(_SC_NPROCESSORS_ONLN);
    return CPU_COUNT(&set);
}

/* Returns the quota in a file of the form "QUOTA PERIOD". QUOTA is "max" if there is none; then the result is 0. */
static double quota_of(const char *path)
{
    char text[64];
    unsigned long long quota, period;
    if (procfs_read(path, text, sizeof text) <= 0 || sscanf(text, "%llu %llu", &quota, &period) != 2 || !period)
        return 0;
    return (double)quota / (double)period;
}

/* Returns the quota of control groups (version 2): of the process's own group, or, in a container, of the container's group. */
static double quota(void)
{
    char groups[2048], path[2100];
    double found = quota_of("/sys/fs/cgroup/cpu.max");
    if (procfs_read("/proc/self/cgroup", groups, sizeof groups) <= 0)
        return found;
    char *own = !strncmp(groups, "0::/", 4) ? groups : strstr(groups, "\n0::/");
    if (!own)
        return found;
    own = strchr(own, '/');
    own[strcspn(own, "\n")] = 0;
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", own);
    double nearer = quota_of(path);
    return nearer > 0 ? nearer : found;
}

double processors_usable(void)
{
    double most = allowed(), bound = quota();
    return bound > 0 && bound < most ? bound : most;
}
