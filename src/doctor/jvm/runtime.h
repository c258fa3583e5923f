/* Checks the parts of the JVM, and other tools in it, that determine the content of a recording. */
#ifndef CANDOR_DOCTOR_JVM_RUNTIME_H
#define CANDOR_DOCTOR_JVM_RUNTIME_H

#include "doctor/checkup/checkup.h"
#include "doctor/jvm/target.h"

void runtime_check(struct checkup *f, const struct target *t);

#endif
