/* A target that needs no server: the duration of each operation is drawn when it starts. Two models:
 *
 *     delay    each takes the same time
 *     hiccup   90 % take 0.2-1 ms, 9 % 1-10 ms, 0.99 % 10-50 ms; one in 10,000 stops all the others for `pause`, behind a fair
 *              read-write lock: it waits for those before it, and those after it wait for it
 *
 * One caller at a time; times must not decrease. */
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
    uint64_t gate;    /* when the last stop ends */
    uint64_t busy_to; /* when the last of those inside is done */
};

/* "delay=4ms", "hiccup", "hiccup=50ms-200ms". 0 or -EINVAL. */
int mock_parse(struct mock *m, const char *text, uint64_t seed, struct error *e);
/* When an operation that starts at `now` is done. */
uint64_t mock_done(struct mock *m, uint64_t now);

#endif
