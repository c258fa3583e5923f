/* Checks the four clocks that the agent can sample with (agent/trigger/clocks/clock.h). The check really opens each clock, asks it for a
 * signal every millisecond of CPU time, and measures how often one arrives. */
#ifndef CANDOR_DOCTOR_CLOCK_CLOCKS_H
#define CANDOR_DOCTOR_CLOCK_CLOCKS_H

#include "doctor/checkup/checkup.h"
#include "doctor/checkup/identity.h"

#include <stdint.h>

enum clocks_kind { CLOCKS_SIGTRAP, CLOCKS_SIGNAL, CLOCKS_TIMER, CLOCKS_ITIMER, CLOCKS_KINDS };

/* The result of one try. */
struct clocks_try {
    enum clocks_kind kind;
    bool try_kernel;                   /* input, for perf: make a second burst that uses CPU time in the kernel */
    int error;                         /* a positive errno: the clock was refused; 0 = it was started */
    bool killed;                       /* a SIGSYS answered the system call */
    bool with_kernel;                  /* perf: the event may count kernel mode */
    uint32_t count;                    /* signals that arrived */
    uint64_t median_ns;                /* CPU time between two signals; 0 if fewer than three arrived */
    uint32_t kernel_due, kernel_count; /* in a burst spent in the kernel: signals that were expected, and that arrived */
    int nonsense_error;                /* perf: the errno of a call that every kernel with perf events answers with EINVAL; -1 = SIGSYS */
};

/* The facts that decide why a clock was refused. */
struct clocks_facts {
    int kernel_major, kernel_minor;
    int paranoid; /* kernel.perf_event_paranoid; INT_MAX if there is no such setting */
    bool perfmon; /* the result of identity_has_perfmon */
    bool filter;  /* a seccomp filter is active */
};

enum clocks_refusal {
    CLOCKS_BY_FILTER,   /* seccomp */
    CLOCKS_BY_PARANOID, /* perf_event_paranoid is above 2, on a kernel to which such values mean something */
    CLOCKS_BY_AGE,      /* before Linux 6.1, the delivery of SIGTRAP has errors */
    CLOCKS_NO_PERF,     /* the kernel was built without perf events */
    CLOCKS_NO_ROOM,     /* no descriptors or signals are left */
    CLOCKS_BY_MODULE,   /* none of these causes: a security module, or a sandbox that is no Linux kernel */
};

/* Returns the cause of a refusal. The try of the clock must have an error. */
enum clocks_refusal clocks_judge(const struct clocks_try *t, const struct clocks_facts *facts);
/* Measures one clock with the identity `who`, in one or two bursts. */
void clocks_measure(enum clocks_kind kind, bool try_kernel, const struct identity *who, struct clocks_try *t);
/* Adds the row of a clock that could be started. */
void clocks_add_measured(struct checkup *f, const struct clocks_try *t);
/* Adds the row for kernel mode, from the burst spent there. */
void clocks_add_kernel_mode(struct checkup *f, const struct clocks_try *best);
/* Adds one row for each clock, one for kernel mode, one for the kernel's stacks if they are available, one for the other events that can
 * be counted, and one for the clock that the agent would choose. */
void clocks_check(struct checkup *f, const struct identity *who);

#endif
