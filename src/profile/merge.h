/* Several recordings as one profile: samples and books add up, threads of one name and ids are one thread.
 *
 * Weights are of one unit, or it is refused; that intervals differ does not matter, weights are times. Settings and what else the
 * recordings do not agree in is left out, and said to be. */
#ifndef CANDOR_PROFILE_MERGE_H
#define CANDOR_PROFILE_MERGE_H

#include "profile/profile.h"

/* Adds `from` to p, which is empty or holds others. 0, -ENOMEM, or -EINVAL when the weights are of different things. */
int profile_merge(struct profile *p, const struct profile *from);

#endif
