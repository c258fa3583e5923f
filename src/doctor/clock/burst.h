/* A burst of CPU time under a clock, in a separate process, because it takes over signals and never returns them. */
#ifndef CANDOR_DOCTOR_CLOCK_BURST_H
#define CANDOR_DOCTOR_CLOCK_BURST_H

#include <stdbool.h>
#include <stdint.h>

/* CPU time of a burst; in user mode it goes on for up to BURST_PATIENCE_MS while too few signals came: where many threads
 * want the CPU, the scheduler's tick may find another one running ten times in a row. */
enum { BURST_CPU_MS = 60, BURST_PATIENCE_MS = 1000, BURST_ENOUGH = 3, BURST_ASKED_US = 1000 };

struct burst {
    uint32_t count;     /* signals that came */
    uint64_t median_ns; /* CPU time of the thread between two of them; 0 with less than BURST_ENOUGH */
};

/* Opens a perf event for the CPU time of the calling thread. It delivers SIGTRAP, or `signal` if that is not 0. Returns its
 * descriptor (the event is disabled), or a negative errno. */
int burst_open_event(int signal, bool with_kernel);
/* Timers of the calling thread's, or the process's CPU time, started at once: 0 or a negative errno. */
int burst_start_thread_timer(int signal);
int burst_start_process_timer(void);
/* Uses CPU time in user mode, or in the kernel, while the signal is counted. event: enabled meanwhile; -1 without. */
void burst_run(int signal, int event, bool in_kernel, struct burst *out);

#endif
