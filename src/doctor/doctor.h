/* Checks what a recording can do on this machine, and in one JVM on it. */
#ifndef CANDOR_DOCTOR_DOCTOR_H
#define CANDOR_DOCTOR_DOCTOR_H

#include "doctor/checkup/checkup.h"

#include <sys/types.h>

/* Examines the machine, as a JVM started by this user would find it. The measurement takes a third of a second of CPU time. */
void doctor_examine_machine(struct checkup *f);
/* Examines the machine as the process finds it, and the process itself. The process is not changed. */
void doctor_examine_process(struct checkup *f, pid_t pid);

#endif
