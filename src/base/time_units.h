/* The number of nanoseconds in larger units of time.
 *
 * The constants are signed 64-bit numbers: `seconds * NS_PER_S` does not overflow an int, and `ns / NS_PER_S` keeps the sign of ns.
 * Together with an unsigned 64-bit time the result is unsigned, and with a double it is a double. */
#ifndef CANDOR_BASE_TIME_UNITS_H
#define CANDOR_BASE_TIME_UNITS_H

#include <stdint.h>

#define NS_PER_US INT64_C(1000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S  INT64_C(1000000000)

#endif
