/* How long to wait before a failed upload is retried: exponential backoff with full jitter, so that a fleet that lost its
 * server does not return all at once, and never sooner than the server asked for. */
#ifndef CANDOR_DAEMON_SPOOL_BACKOFF_H
#define CANDOR_DAEMON_SPOOL_BACKOFF_H

#include "base/time_units.h"

#include <stdint.h>

#define BACKOFF_FIRST_NS     ((uint64_t)NS_PER_S)
#define BACKOFF_MAX_NS       ((uint64_t)120 * NS_PER_S)
#define BACKOFF_ASKED_MAX_NS ((uint64_t)3600 * NS_PER_S) /* a server that asks for more is not believed */

/* How long to wait after so many failures in a row (1 at least). random: in [0, 1). The wait is drawn from 0 up to a bound, which
 * doubles with each failure up to BACKOFF_MAX_NS. asked_ns: the server's Retry-After, 0 = none; if there is one, the wait is that
 * time, and up to BACKOFF_FIRST_NS or a tenth more. */
uint64_t backoff_wait_ns(unsigned failures, uint64_t asked_ns, double random);
/* An unpredictable number in [0, 1). */
double backoff_random(void);

#endif
