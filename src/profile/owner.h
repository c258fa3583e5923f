/* Whose code a frame of a profile is: the program's, a library's or the JDK's (base/text/code_owner.h). */
#ifndef CANDOR_PROFILE_OWNER_H
#define CANDOR_PROFILE_OWNER_H

#include "base/text/code_owner.h"
#include "profile/profile.h"

/* Whether the frame is Java code, whatever compiled it. */
bool owner_is_java(const struct profile_frame *f);
/* Returns the frame's owner. Code that is not Java, or whose class is unknown, is CODE_OF_PLUMBING. */
enum code_owner owner_of_frame(const struct profile *p, const struct profile_frame *f);
/* Returns for each node of the trie the label of the innermost method in the program's own code, 0 = there is none; NULL if out of memory.
 * The caller frees it. O(frames + nodes). */
uint32_t *owner_own_labels(const struct profile *p);

#endif
