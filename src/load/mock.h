/* A target that needs no server. The duration of each operation is drawn when the operation starts. There are two models:
 *
 *     delay    each operation takes the same time
 *     hiccup   90 % take 0.2-1 ms, 9 % 1-10 ms, 0.99 % 10-50 ms; one in 10,000 stops all others for `pause`, with a fair read-write
 *              lock: it waits for those before it, and those after it wait for it
 *
 * There is one caller at a time. Times must not decrease. */
#ifndef CANDOR_LOAD_MOCK_H
#define CANDOR_LOAD_MOCK_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct mock {
    bool hiccup;
    uint64_t delay;                   /* ns */
    uint64_t pause_least, pause_most; /* ns */
    uint64_t random;
    uint64_t gate;    /* time at which the last stop ends */
    uint64_t busy_to; /* time at which the last operation in the lock ends */
};

/* Parses "delay=4ms", "hiccup", "hiccup=50ms-200ms". Returns 0 or -EINVAL. */
int mock_parse(struct mock *m, const char *text, uint64_t seed, struct error *e);
/* Returns the time at which an operation that starts at `now` ends. */
uint64_t mock_done(struct mock *m, uint64_t now);

#endif
