/* Checks a recording against itself. Do the books balance? Do the samples in the file add up to the amounts in the books? A mismatch
 * becomes a problem of the profile. Returns 0 or -ENOMEM. */
#ifndef CANDOR_PROFILE_CHECK_H
#define CANDOR_PROFILE_CHECK_H

#include "profile/profile.h"

int profile_check(struct profile *p);

#endif
