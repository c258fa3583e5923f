/* Checks the limits around a process: cgroup CPU limits and PID namespaces. */
#ifndef CANDOR_DOCTOR_MACHINE_CONTAINER_H
#define CANDOR_DOCTOR_MACHINE_CONTAINER_H

#include "doctor/checkup/checkup.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Finds in the text of /proc/PID/mountinfo the mount point of a cgroup file system: that of the unified hierarchy if controller is NULL,
 * else that of the controller. *root is the cgroup that is mounted there. Returns 0 or -ENOENT. */
int container_parse_mount(const char *mountinfo, const char *controller, char *point, size_t size, char *root, size_t root_size);
/* Finds in the text of /proc/PID/cgroup the path of the process, for the same controller. Returns 0 or -ENOENT. */
int container_parse_path(const char *cgroup, const char *controller, char *path, size_t size);
/* Converts "150000 100000" to 1.5 CPUs; 0 if there is no limit ("max 100000", or a quota of -1). */
double container_parse_quota(const char *text);
/* Whether /proc hides the processes of other users, according to the text of /proc/PID/mountinfo. */
bool container_parse_hidden(const char *mountinfo);

/* How many periods of a CPU quota there were, and how many of them ended with stopped threads because the quota was used up. */
struct container_throttling {
    unsigned long long periods, stopped;
};

/* Reads both from the text of a cgroup's cpu.stat. Returns whether they are there. */
bool container_parse_throttling(const char *text, struct container_throttling *t);
/* Reads both for a process, since its cgroup was made. Returns false if there is no quota, or if it cannot be read. */
bool container_throttling(pid_t pid, struct container_throttling *t);

/* Adds the rows for a process; pid 0 = for this process. */
void container_check(struct checkup *f, pid_t pid);

#endif
