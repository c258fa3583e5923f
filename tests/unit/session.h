/* A recording that the test makes of its own process, without a JVM, and what such tests measure themselves by. */
#ifndef TESTS_SESSION_H
#define TESTS_SESSION_H

#include "agent/collect/collect.h"

#include <stdbool.h>
#include <stdint.h>

extern struct error session_error;

/* false, after a note that says why: it could not. */
bool session_start(const char *file, enum clock_kind kind, uint64_t interval_ns);
bool session_start_limited(const char *file, enum clock_kind kind, uint64_t interval_ns, struct budget_limits limits);
bool session_start_with(const struct collect_options *options);
bool session_stop(void);

/* The calling thread's CPU time, ns. */
uint64_t own_cpu(void);
/* Uses it until it reads `end`, or for so long. */
void burn_until(uint64_t end);
void burn(uint64_t ns);
/* How many descriptors the process has, and the one this takes. */
int open_files(void);

#endif
