/* The identity of a process for the kernel's permission checks, and trials under that identity. */
#ifndef CANDOR_DOCTOR_CHECKUP_IDENTITY_H
#define CANDOR_DOCTOR_CHECKUP_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct identity {
    uid_t uid, real_uid; /* uid: effective */
    gid_t gid;
    uint64_t capabilities; /* effective */
    int seccomp;           /* 0 none, 1 strict, 2 filter */
    pid_t tracer;          /* a debugger, 0 without */
    uint64_t caught;       /* signals with a handler; signal n is bit n - 1 */
    int threads;
    long queued_signals; /* of the real user, all processes together; -1 unknown */
    bool initial_users;  /* in the machine's own user namespace: only there capabilities count for perf */
};

/* Parses the text of /proc/PID/status; 0 or -EINVAL. initial_users is left alone. */
int identity_parse(const char *text, struct identity *who);
/* Reads the identity of a process; pid 0: of ourselves. 0 or a negative errno. */
int identity_read(pid_t pid, struct identity *who);
/* May use perf beyond what perf_event_paranoid leaves to everybody (CAP_PERFMON or CAP_SYS_ADMIN). */
bool identity_has_perfmon(const struct identity *who);
/* True when a child of ours can take this user and these capabilities on. */
bool identity_can_become(const struct identity *who);

/* Runs fn in a child process that takes on the identity `who`, as far as we may. fn writes `size` bytes, which are copied to
 * `result`. The child is killed after some seconds. Returns its wait status, or a negative errno when there was none. */
int identity_try(const struct identity *who, void (*fn)(void *result), void *result, size_t size);

#endif
