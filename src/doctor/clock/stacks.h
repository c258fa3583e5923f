/* Checks whether the kernel's frames of a stack (agent/hot/kernel.h), and their names, are available. */
#ifndef CANDOR_DOCTOR_CLOCK_STACKS_H
#define CANDOR_DOCTOR_CLOCK_STACKS_H

#include "doctor/checkup/checkup.h"
#include "doctor/checkup/identity.h"

/* Adds one row. Call it only if `who` may sample kernel mode with the clock sigtrap. */
void stacks_check(struct checkup *f, const struct identity *who);

#endif
