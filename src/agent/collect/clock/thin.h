/* Takes an unbiased part of the samples, for a recording that wants fewer samples than another recording that runs at the same time.
 *
 * Laid end to end, the weights of all samples make a line. The line is cut into pieces of `every` ns, and a point is drawn uniformly in
 * each piece. The sample that has the point stands for the whole piece. So a sample's expected weight is its own, whatever the program does
 * and in whatever order samples come, and the sum of all weights is right to within one piece. Only the collector uses this file. */
#ifndef CANDOR_AGENT_COLLECT_CLOCK_THIN_H
#define CANDOR_AGENT_COLLECT_CLOCK_THIN_H

#include <stdint.h>

struct thin {
    uint64_t every;     /* 0 = all samples are taken */
    uint64_t at, point; /* offsets within the piece: where its unused part begins, and the drawn point */
    uint64_t random;    /* the state of the random numbers, never 0 */
};

/* Returns the weight of the sample in the recording; 0 = the recording leaves it out. If `every` has changed, a new piece begins. */
uint64_t thin_take(struct thin *t, uint64_t every, uint64_t weight);

#endif
