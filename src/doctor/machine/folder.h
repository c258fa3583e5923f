/* The /tmp through which candor and a JVM meet: it contains the attach trigger and the JVM's socket, usually the agent's socket
 * too, and the agent library if there is no better place. */
#ifndef CANDOR_DOCTOR_MACHINE_FOLDER_H
#define CANDOR_DOCTOR_MACHINE_FOLDER_H

#include "attach/process.h"
#include "doctor/checkup/checkup.h"
#include "doctor/checkup/identity.h"

/* Of a process, or with NULL our own: a file is made there for a moment, as by this user. is_needed: nothing can be recorded without
 * it; an agent that is active can do without. */
void folder_check(struct checkup *f, const struct process *p, const struct identity *who, bool is_needed);

#endif
