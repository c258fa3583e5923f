/* The /tmp through which candor and a JVM meet: the attach trigger and both sockets are there, and the agent library when
 * there is no better place. */
#ifndef CANDOR_DOCTOR_FOLDER_H
#define CANDOR_DOCTOR_FOLDER_H

#include "attach/process.h"
#include "doctor/checkup.h"
#include "doctor/identity.h"

/* Of a process, or with NULL our own. Nothing is written. */
void folder_check(struct checkup *f, const struct process *p, const struct identity *who);

#endif
