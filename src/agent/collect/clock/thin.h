/* An unbiased part of the samples, for a recording that wants fewer than are taken for another one.
 *
 * Laid end to end, the weights of all samples make a line. The line is cut into pieces of `every` ns, and a point drawn in each piece,
 * uniformly. The sample that has the point stands for the whole piece. So a sample's expected weight is its own, whatever the program does
 * and in whatever order samples come, and the sum of all weights is right to within one piece. Collector only. */
#ifndef CANDOR_AGENT_COLLECT_CLOCK_THIN_H
#define CANDOR_AGENT_COLLECT_CLOCK_THIN_H

#include <stdint.h>

struct thin {
    uint64_t every;     /* 0 = all samples are taken */
    uint64_t at, point; /* in the piece: up to where it is used; what was drawn */
    uint64_t random;    /* not 0 */
};

/* What the sample weighs in the recording; 0 = it is left out. A new `every` begins a new piece. */
uint64_t thin_take(struct thin *t, uint64_t every, uint64_t weight);

#endif
