/* Whether the agent is already in a JVM, and if not, whether the JVM would load it. */
#ifndef CANDOR_DOCTOR_JVM_ATTACHING_H
#define CANDOR_DOCTOR_JVM_ATTACHING_H

#include "doctor/checkup/checkup.h"
#include "doctor/jvm/target.h"

/* True when the agent is active already, so that nobody has to attach. */
bool attaching_check(struct checkup *f, const struct target *t);

#endif
