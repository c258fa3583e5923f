/* Merges several recordings into one profile. Samples and books add up, and threads with the same name and ids are one thread.
 *
 * All weights must have one unit; otherwise the merge is refused. Intervals may differ, because the weights are times. Settings and
 * other values in which the recordings differ are left out, and a note says so. */
#ifndef CANDOR_PROFILE_MERGE_H
#define CANDOR_PROFILE_MERGE_H

#include "profile/profile.h"

/* Adds `from` to p, which is empty or has the content of other recordings. Returns 0, -ENOMEM, or -EINVAL if the two profiles' weights
 * measure different things. */
int profile_merge(struct profile *p, const struct profile *from);

#endif
