/* What weights measure, and their unit, in the words that pprof and OTLP share. */
#ifndef CANDOR_FORMAT_WRITE_VALUE_TYPE_H
#define CANDOR_FORMAT_WRITE_VALUE_TYPE_H

#include "profile/profile.h"

/* "cpu", "wall" (of the events wall and safepoint), "waiting", "lock", "holder", "samples", or another profiler's. */
const char *value_type_name(const struct profile *p);
const char *value_type_unit(const struct profile *p);  /* "nanoseconds", "count", "bytes", or another profiler's */

#endif
