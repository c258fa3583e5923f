/* Checks the /tmp through which candor and a JVM communicate. It contains the attach trigger and the JVM's socket. It usually also
 * contains the agent's socket, and the agent library if there is no better place. */
#ifndef CANDOR_DOCTOR_MACHINE_FOLDER_H
#define CANDOR_DOCTOR_MACHINE_FOLDER_H

#include "attach/process.h"
#include "doctor/checkup/checkup.h"
#include "doctor/checkup/identity.h"

/* Checks the /tmp of a process, or of this process if p is NULL: creates a file there as this user, and removes it. is_needed: without
 * this folder nothing can be recorded. An active agent does not need it. */
void folder_check(struct checkup *f, const struct process *p, const struct identity *who, bool is_needed);

#endif
