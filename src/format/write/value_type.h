/* What weights measure, and their unit, in the words that pprof and OTLP share. */
#ifndef CANDOR_FORMAT_WRITE_VALUE_TYPE_H
#define CANDOR_FORMAT_WRITE_VALUE_TYPE_H

#include "profile/profile.h"

/* The kind's word ("wall" of the event safepoint, too), "samples", or another profiler's. */
const char *value_type_name(const struct profile *p);
/* The clock of the sampling interval: "cpu" or "wall". */
const char *value_type_period(const struct profile *p);
const char *value_type_unit(const struct profile *p); /* "nanoseconds", "count", "bytes", or another profiler's */

#endif
