/* Computes how long to wait before a failed upload is retried: exponential backoff with full jitter. So a fleet whose server was down does
 * not send everything at the same moment when the server is back. The wait is never shorter than the server requested. */
#ifndef CANDOR_HTTP_BACKOFF_H
#define CANDOR_HTTP_BACKOFF_H

#include "base/time_units.h"

#include <stdint.h>

#define BACKOFF_FIRST_NS     ((uint64_t)NS_PER_S)
#define BACKOFF_MAX_NS       ((uint64_t)120 * NS_PER_S)
#define BACKOFF_ASKED_MAX_NS ((uint64_t)3600 * NS_PER_S) /* a longer request of the server is limited to this */

/* Returns how long to wait after this many failures in a row (at least 1). random: in [0, 1). The wait is random between 0 and a bound,
 * which doubles with each failure up to BACKOFF_MAX_NS. asked_ns: the server's Retry-After, 0 = none. If there is one, the wait is that
 * time, and up to BACKOFF_FIRST_NS or a tenth more. */
uint64_t backoff_wait_ns(unsigned failures, uint64_t asked_ns, double random);
/* Returns an unpredictable number in [0, 1). */
double backoff_random(void);

#endif
