/* Adds texts of a recording to a profile. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_TEXT_H
#define CANDOR_PROFILE_LOAD_LOAD_TEXT_H

#include "jfr/read/reader.h"
#include "profile/profile.h"

/* Interns a text of the file. Returns 0 or -ENOMEM. */
int load_text(struct profile *p, struct jfr_text text, uint32_t *string);

#endif
