/* Limits around a process: cgroup CPU limits and PID namespaces. */
#ifndef CANDOR_DOCTOR_MACHINE_CONTAINER_H
#define CANDOR_DOCTOR_MACHINE_CONTAINER_H

#include "doctor/checkup/checkup.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Finds in the text of /proc/PID/mountinfo where the cgroup file system of the unified hierarchy (controller NULL), or the
 * one that has this controller, is mounted; *root is the cgroup that is mounted there. 0 or -ENOENT. */
int container_parse_mount(const char *mountinfo, const char *controller, char *point, size_t size, char *root, size_t root_size);
/* The path of the process in /proc/PID/cgroup, likewise; 0 or -ENOENT. */
int container_parse_path(const char *cgroup, const char *controller, char *path, size_t size);
/* "150000 100000" -> 1.5 CPUs; 0 when there is no limit ("max 100000", or a quota of -1). */
double container_parse_quota(const char *text);
/* True when /proc, by the text of /proc/PID/mountinfo, hides the processes of other users. */
bool container_parse_hidden(const char *mountinfo);

/* Rows of a process, or of ourselves with pid 0. */
void container_check(struct checkup *f, pid_t pid);

#endif
