/* The class of an object. Samples of allocations have a label "class" with their object's class, and samples of locks have the class of
 * the lock. The class is written as in Java's source: "java.lang.String", "byte[]", "java.lang.Object[][]". */
#ifndef CANDOR_PROFILE_ALLOCATED_H
#define CANDOR_PROFILE_ALLOCATED_H

#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

struct buffer;

/* Writes a class's name for users. name: the JVM's name for the class, "[B" or "[[Ljava.lang.Object;". full: the full name is written;
 * otherwise the stable one (base/text/stable_name.h). */
void allocated_put_class(struct buffer *b, const char *name, size_t len, bool full);
/* Makes the string id of a class's name for users. name and len: as for allocated_put_class. Returns 0 or -ENOMEM. */
int allocated_name(struct profile *p, const char *name, size_t len, uint32_t *string);
/* Adds the label "class" with such a name to a set of labels. Returns 0 or -ENOMEM. */
int allocated_label(struct profile *p, uint32_t string, uint32_t *labels);
/* Returns the string id of the class in a set of labels; 0 = the set has no class. */
uint32_t allocated_class(const struct profile *p, uint32_t labels);
/* Whether the samples of a profile of this kind have classes. */
bool allocated_has_classes(const struct profile *p);
/* Adds a leaf frame with the class to each sample that has a class, for trees and for other tools' formats. Call it once, when all
 * samples are there. Results that were computed before do not change. Returns 0 or -ENOMEM. */
int allocated_add_frames(struct profile *p);
/* Does the same if the samples refer to the stacks of another profile, `names`. */
int allocated_add_frames_to(struct profile *names, struct profile *p);
/* Adds these frames for a page or another tool's format, which show the class of an object or a lock; not for the holders of locks. */
int allocated_show(struct profile *p);

#endif
