/* Uses CPU time under a clock and counts the clock's signals. It must run in a separate process, because it sets signal handlers and
 * never restores them. */
#ifndef CANDOR_DOCTOR_CLOCK_BURST_H
#define CANDOR_DOCTOR_CLOCK_BURST_H

#include <stdbool.h>
#include <stdint.h>

/* A burst uses BURST_CPU_MS of CPU time. In user mode it goes on, up to BURST_PATIENCE_MS, until BURST_ENOUGH signals have arrived: if
 * many threads want the CPU, the scheduler's tick may interrupt another thread ten times in a row. */
enum { BURST_CPU_MS = 60, BURST_PATIENCE_MS = 1000, BURST_ENOUGH = 3, BURST_ASKED_US = 1000 };

struct burst {
    uint32_t count;     /* signals that arrived */
    uint64_t median_ns; /* CPU time of the thread between two signals; 0 if fewer than BURST_ENOUGH arrived */
};

/* Opens a perf event for the CPU time of the calling thread. The event delivers SIGTRAP, or `signal` if that is not 0. Returns the
 * descriptor (the event is disabled), or a negative errno. */
int burst_open_event(int signal, bool with_kernel);
/* Create and start a timer for the CPU time of the calling thread, or of the process. Return 0 or a negative errno. */
int burst_start_thread_timer(int signal);
int burst_start_process_timer(void);
/* Uses CPU time in user mode, or in the kernel, and counts the signal meanwhile. event: the descriptor of an event to enable meanwhile;
 * -1 = none. */
void burst_run(int signal, int event, bool in_kernel, struct burst *out);

#endif
