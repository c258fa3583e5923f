/* Checks how much time a hypervisor took from this machine's CPUs. */
#ifndef CANDOR_DOCTOR_MACHINE_STEAL_H
#define CANDOR_DOCTOR_MACHINE_STEAL_H

#include "doctor/checkup/checkup.h"

#include <stdint.h>

struct steal {
    uint64_t stolen, all; /* ticks since boot */
};

/* Parses the text of /proc/stat. Returns 0 or -EINVAL. */
int steal_parse(const char *stat, struct steal *s);
/* Reads /proc/stat. Returns 0 or a negative errno. */
int steal_read(struct steal *s);
/* Adds the row: the time taken since boot, and between two measurements. */
void steal_judge(struct checkup *f, const struct steal *before, const struct steal *after);

#endif
