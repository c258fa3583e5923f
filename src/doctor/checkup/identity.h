/* The identity of a process, as the kernel's permission checks see it, and functions that try something under that identity. */
#ifndef CANDOR_DOCTOR_CHECKUP_IDENTITY_H
#define CANDOR_DOCTOR_CHECKUP_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct identity {
    uid_t uid, real_uid; /* uid is the effective one */
    gid_t gid;
    uint64_t capabilities; /* effective */
    int seccomp;           /* 0 none, 1 strict, 2 filter */
    pid_t tracer;          /* the process of a debugger; 0 = none */
    uint64_t caught;       /* signals with a handler; signal n is bit n - 1 */
    int threads;
    long queued_signals; /* signals queued for the real user, in all processes together; -1 = unknown */
    bool initial_users;  /* the process is in the machine's initial user namespace; only there do capabilities count for perf */
};

/* Parses the text of /proc/PID/status. Returns 0 or -EINVAL. It does not set initial_users. */
int identity_parse(const char *text, struct identity *who);
/* Reads the identity of a process; pid 0 = of this process. Returns 0 or a negative errno. */
int identity_read(pid_t pid, struct identity *who);
/* Whether the process may use perf beyond the limits of perf_event_paranoid (CAP_PERFMON or CAP_SYS_ADMIN). */
bool identity_has_perfmon(const struct identity *who);
/* Whether a child of this process can take on this user and these capabilities. */
bool identity_can_become(const struct identity *who);

/* Runs fn in a child process that takes on the identity `who`, as far as this process may. fn writes `size` bytes, which are copied to
 * `result`. The child is killed after some seconds. Returns the child's wait status, or a negative errno if there was no child. */
int identity_try(const struct identity *who, void (*fn)(void *result), void *result, size_t size);

#endif
