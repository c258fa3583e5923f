/* Finds the JVMs that start and end on this host. Each look reads one short file in /proc per process. Only some processes
 * are examined, because that reads the memory map, for which the process's own threads may have to wait: a process is
 * examined when it is new, when it has become another program, a few times while it is young (it may load a JVM later), and
 * then every few minutes. */
#ifndef CANDOR_DAEMON_DISCOVER_H
#define CANDOR_DAEMON_DISCOVER_H

#include "attach/jvm.h"

#include <stdint.h>

struct seen_process;

struct discover {
    struct seen_process *list; /* by pid */
    uint32_t count, cap;
    uint64_t min_age_ns; /* younger processes are left for the next look */
};

/* Reports each JVM that is new or was examined again. start: when its process began, in the kernel's ticks since boot: with the
 * pid, it identifies the process. */
typedef void discover_found(void *context, const struct jvm *jvm, uint64_t start);

void discover_deinit(struct discover *d);
/* now: of clock_monotonic_ns. 0, or -ENOMEM, -EIO with e. */
int discover_look(struct discover *d, uint64_t now, discover_found *found, void *context, struct error *e);

/* Takes /proc/PID/stat apart (for tests): 0 or -EINVAL. name has 17 bytes. */
int discover_parse_stat(const char *text, char *name, uint64_t *start);
/* Reads the start of a process from its /proc/PID/stat: 0 or -ESRCH. */
int discover_start_of(pid_t pid, uint64_t *start);

#endif
