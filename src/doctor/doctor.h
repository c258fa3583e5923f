/* What this machine, and one JVM on it, allow a recording to do. */
#ifndef CANDOR_DOCTOR_DOCTOR_H
#define CANDOR_DOCTOR_DOCTOR_H

#include "doctor/checkup/checkup.h"

#include <sys/types.h>

/* The machine, as a JVM started by this user would find it. Measuring takes a third of a second of CPU time. */
void doctor_examine_machine(struct checkup *f);
/* The machine as it is for this process, and the process itself; it is not touched. */
void doctor_examine_process(struct checkup *f, pid_t pid);

#endif
