/* Checks a recording against itself: do the books balance, and do the samples in the file add up to the amounts in the books? A
 * mismatch becomes a problem of the profile. 0 or -ENOMEM. */
#ifndef CANDOR_PROFILE_CHECK_H
#define CANDOR_PROFILE_CHECK_H

#include "profile/profile.h"

int profile_check(struct profile *p);

#endif
