/* Checks which events of the processor and the kernel can be sampled instead of CPU time (`record -e cycles`). */
#ifndef CANDOR_DOCTOR_CLOCK_COUNTERS_H
#define CANDOR_DOCTOR_CLOCK_COUNTERS_H

#include "doctor/checkup/checkup.h"
#include "doctor/checkup/identity.h"

enum { COUNTERS_OF_PROCESSOR = 4, COUNTERS = 6 };

/* Adds the row from the result for each event: 0 = it can be counted, otherwise an errno. The processor's events come first. */
void counters_judge(struct checkup *f, const int errors[COUNTERS]);
/* Tries the events with the identity `who`, if perf events work, and adds one row. */
void counters_check(struct checkup *f, const struct identity *who);

#endif
