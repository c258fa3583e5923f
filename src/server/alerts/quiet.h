/* Quiet times of a rule: an alert that begins in one of them is not sent before it ends. Times are UTC.
 *
 *     quiet = 22:00-06:00                 each night
 *     quiet = Sat-Sun                     two whole days
 *     quiet = Mon-Fri 12:00-13:00         on some days; a range that ends after midnight belongs to the day on which it begins */
#ifndef CANDOR_SERVER_ALERTS_QUIET_H
#define CANDOR_SERVER_ALERTS_QUIET_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct quiet {
    uint8_t days;      /* bits: 0 = Sunday */
    uint16_t from, to; /* minutes of the day; to <= from: it ends on the next day */
};

/* Returns 0, or -EINVAL with a message in e. */
int quiet_parse(struct quiet *q, const char *text, struct error *e);
/* Writes a quiet time as quiet_parse reads it. Returns out. */
enum { QUIET_TEXT = 24 };
char *quiet_text(const struct quiet *q, char out[QUIET_TEXT]);
/* Whether the time, in seconds since the epoch, is quiet. */
bool quiet_at(const struct quiet *q, int64_t seconds);

#endif
