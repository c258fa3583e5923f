/* Which events of the processor and the kernel can be sampled, instead of CPU time (`record -e cycles`). */
#ifndef CANDOR_DOCTOR_CLOCK_COUNTERS_H
#define CANDOR_DOCTOR_CLOCK_COUNTERS_H

#include "doctor/checkup/checkup.h"
#include "doctor/checkup/identity.h"

enum { COUNTERS_OF_PROCESSOR = 4, COUNTERS = 6 };

/* Makes the row from the result of each event: 0 = it can be counted, or an errno. The processor's events are first. */
void counters_judge(struct checkup *f, const int errors[COUNTERS]);
/* Tries them as `who`, where perf events work. One row. */
void counters_check(struct checkup *f, const struct identity *who);

#endif
