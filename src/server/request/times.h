/* Reads times in the forms that clients write: "-1h", "now", seconds since the epoch, RFC 3339. */
#ifndef CANDOR_SERVER_REQUEST_TIMES_H
#define CANDOR_SERVER_REQUEST_TIMES_H

#include <stdint.h>

/* Reads a time, in nanoseconds since the epoch. Returns 0 or -EINVAL. */
int times_parse(const char *text, int64_t now_ns, int64_t *ns);
/* Reads a step, in seconds: a number such as "60", or a duration such as "1m"; at least 1. Returns 0 or -EINVAL. */
int times_parse_step(const char *text, int64_t *seconds);

#endif
