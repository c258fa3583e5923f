/* Finds the JVMs that start and end on this host. Each look reads one short file in /proc per process. Only some processes are examined,
 * because that reads the memory map, and the process's own threads may have to wait during this. A process is examined when it is new, when
 * it has become another program, a few times while it is young (it may load a JVM later), and then every few minutes. */
#ifndef CANDOR_DAEMON_DISCOVER_H
#define CANDOR_DAEMON_DISCOVER_H

#include "attach/jvm.h"

#include <stdint.h>

struct seen_process;

struct discover {
    struct seen_process *list; /* sorted by pid */
    uint32_t count, cap;
    uint64_t min_age_ns; /* younger processes are left for the next look */
};

/* Reports each JVM that is new or was examined again. start: when its process began, in the kernel's ticks since boot. The pid and this
 * time identify the process. */
typedef void discover_found(void *context, const struct jvm *jvm, uint64_t start);

void discover_deinit(struct discover *d);
/* Looks for JVMs once. now: the time by clock_monotonic_ns. Returns 0, or -ENOMEM or -EIO with a message in e. */
int discover_look(struct discover *d, uint64_t now, discover_found *found, void *context, struct error *e);

/* Reads the text of /proc/PID/stat; public for tests. name has 17 bytes. Returns 0 or -EINVAL. */
int discover_parse_stat(const char *text, char *name, uint64_t *start);
/* Reads the start time of a process from its /proc/PID/stat. Returns 0 or -ESRCH. */
int discover_start_of(pid_t pid, uint64_t *start);

#endif
