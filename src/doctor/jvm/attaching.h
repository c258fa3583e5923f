/* Checks whether the agent is already in a JVM, and if not, whether the JVM would load it. */
#ifndef CANDOR_DOCTOR_JVM_ATTACHING_H
#define CANDOR_DOCTOR_JVM_ATTACHING_H

#include "doctor/checkup/checkup.h"
#include "doctor/jvm/target.h"

/* Adds the rows. Returns true if the agent is already active, so that attaching is not necessary. */
bool attaching_check(struct checkup *f, const struct target *t);

#endif
