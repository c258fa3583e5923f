/* The words of pprof and OTLP for the quantity that weights measure, and for its unit. */
#ifndef CANDOR_FORMAT_WRITE_VALUE_TYPE_H
#define CANDOR_FORMAT_WRITE_VALUE_TYPE_H

#include "profile/profile.h"

/* Returns the word of the profile's kind (the event safepoint, too, has "wall"), "samples", or the word of another profiler. */
const char *value_type_name(const struct profile *p);
/* Returns the clock of the sampling interval: "cpu" or "wall". */
const char *value_type_period(const struct profile *p);
const char *value_type_unit(const struct profile *p); /* "nanoseconds", "count", "bytes", or the unit of another profiler */

#endif
