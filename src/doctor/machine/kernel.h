/* Checks the kernel's version and its settings for perf. */
#ifndef CANDOR_DOCTOR_MACHINE_KERNEL_H
#define CANDOR_DOCTOR_MACHINE_KERNEL_H

#include "doctor/checkup/checkup.h"
#include "doctor/checkup/identity.h"

/* Converts "6.18.44-generic" to 6 and 18. Returns 0 or -EINVAL. */
int kernel_parse_version(const char *release, int *major, int *minor);
bool kernel_is_at_least(int major, int minor, int wanted_major, int wanted_minor);
/* Reads the version of the running kernel; 0.0 if it is unknown. */
void kernel_version(int *major, int *minor);
/* Returns kernel.perf_event_paranoid; INT_MAX if there is no such setting. */
int kernel_perf_paranoid(void);

void kernel_check(struct checkup *f, const struct identity *who);
/* Adds only the row of perf_event_paranoid, for a value and a user. */
void kernel_judge_paranoid(struct checkup *f, int paranoid, bool perfmon);

#endif
