/* The four clocks that the agent can sample with (agent/trigger/clocks/clock.h). Each is really opened and measured: it is asked for a
 * signal every millisecond of CPU time, and the check measures how often one arrives. */
#ifndef CANDOR_DOCTOR_CLOCK_CLOCKS_H
#define CANDOR_DOCTOR_CLOCK_CLOCKS_H

#include "doctor/checkup/checkup.h"
#include "doctor/checkup/identity.h"

#include <stdint.h>

enum clocks_kind { CLOCKS_SIGTRAP, CLOCKS_SIGNAL, CLOCKS_TIMER, CLOCKS_ITIMER, CLOCKS_KINDS };

/* What one try gave. */
struct clocks_try {
    enum clocks_kind kind;
    bool try_kernel;                   /* asked for: perf: a second burst, spent in the kernel */
    int error;                         /* a positive errno: refused; 0 = it was armed */
    bool killed;                       /* the system call was answered with SIGSYS */
    bool with_kernel;                  /* perf: the event may count kernel mode */
    uint32_t count;                    /* signals that came */
    uint64_t median_ns;                /* CPU time between two of them; 0 with less than three */
    uint32_t kernel_due, kernel_count; /* the same in a burst spent in the kernel */
    int nonsense_error;                /* perf: what a call that the kernel itself always answers with EINVAL got; -1 SIGSYS */
};

/* What decides about a refusal. */
struct clocks_facts {
    int kernel_major, kernel_minor;
    int paranoid; /* kernel.perf_event_paranoid; INT_MAX when there is none */
    bool perfmon; /* identity_has_perfmon */
    bool filter;  /* a seccomp filter is at work */
};

enum clocks_refusal {
    CLOCKS_BY_FILTER,   /* seccomp */
    CLOCKS_BY_PARANOID, /* perf_event_paranoid above 2 on a kernel that knows such values */
    CLOCKS_BY_AGE,      /* SIGTRAP delivery is sound since Linux 6.1 */
    CLOCKS_NO_PERF,     /* the kernel was built without perf events */
    CLOCKS_NO_ROOM,     /* out of descriptors or signals */
    CLOCKS_BY_MODULE,   /* none of these: a security module, or a sandbox that is no Linux kernel */
};

/* The cause of a refusal, for a clock whose try has an error. */
enum clocks_refusal clocks_judge(const struct clocks_try *t, const struct clocks_facts *facts);
/* Measures one clock as `who`: one or two bursts. */
void clocks_measure(enum clocks_kind kind, bool try_kernel, const struct identity *who, struct clocks_try *t);
/* One row for each clock, one for kernel mode, one for the kernel's stacks if they are available, one for the other events that
 * can be counted, one for the choice. */
void clocks_check(struct checkup *f, const struct identity *who);

#endif
