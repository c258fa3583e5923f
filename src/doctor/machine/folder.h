/* The /tmp through which candor and a JVM meet: it contains the attach trigger and the JVM's socket, usually the agent's socket
 * too, and the agent library if there is no better place. */
#ifndef CANDOR_DOCTOR_MACHINE_FOLDER_H
#define CANDOR_DOCTOR_MACHINE_FOLDER_H

#include "attach/process.h"
#include "doctor/checkup/checkup.h"
#include "doctor/checkup/identity.h"

/* Checks the /tmp of a process, or ours if p is NULL, by making a file there as this user and removing it. is_needed: nothing can be
 * recorded without it. An active agent does not need it. */
void folder_check(struct checkup *f, const struct process *p, const struct identity *who, bool is_needed);

#endif
