/* Several recordings as one profile: samples and books add up, and threads with the same name and ids are one thread.
 *
 * All weights must have one unit, or the merge is refused; intervals may differ, because weights are times. Settings and other
 * values in which the recordings differ are left out, with a note. */
#ifndef CANDOR_PROFILE_MERGE_H
#define CANDOR_PROFILE_MERGE_H

#include "profile/profile.h"

/* Adds `from` to p, which is empty or holds others. 0, -ENOMEM, or -EINVAL when the weights are of different things. */
int profile_merge(struct profile *p, const struct profile *from);

#endif
