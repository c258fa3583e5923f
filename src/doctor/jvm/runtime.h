/* Checks the JVM itself, and other tools in it: what would a recording of it show? */
#ifndef CANDOR_DOCTOR_JVM_RUNTIME_H
#define CANDOR_DOCTOR_JVM_RUNTIME_H

#include "doctor/checkup/checkup.h"
#include "doctor/jvm/target.h"

void runtime_check(struct checkup *f, const struct target *t);

#endif
