/* Times as clients write them: "-1h", "now", seconds since the epoch, RFC 3339. */
#ifndef CANDOR_SERVER_REQUEST_TIMES_H
#define CANDOR_SERVER_REQUEST_TIMES_H

#include <stdint.h>

/* ns since the epoch. 0 or -EINVAL. */
int times_parse(const char *text, int64_t now_ns, int64_t *ns);
/* Seconds: "60", or a duration "1m", at least 1. 0 or -EINVAL. */
int times_parse_step(const char *text, int64_t *seconds);

#endif
