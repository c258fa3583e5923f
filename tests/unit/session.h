/* A recording that the test makes of its own process, without a JVM, and measurements with which such tests compare it. */
#ifndef TESTS_SESSION_H
#define TESTS_SESSION_H

#include "agent/collect/collect.h"

#include <stdbool.h>
#include <stdint.h>

extern struct error session_error;

/* Returns false, after a note with the reason, if the recording could not be made. */
bool session_start(const char *file, enum clock_kind kind, uint64_t interval_ns);
bool session_start_limited(const char *file, enum clock_kind kind, uint64_t interval_ns, struct budget_limits limits);
bool session_start_with(const struct collect_options *options);
bool session_stop(void);

/* The calling thread's CPU time, ns. */
uint64_t own_cpu(void);
/* Uses CPU time until the thread's clock reads `end`, or for this long. */
void burn_until(uint64_t end);
void burn(uint64_t ns);
/* Returns the number of file descriptors that the process has open. */
int open_files(void);

#endif
