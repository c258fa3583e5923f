/* The allocated class: samples of allocations have their object's class as the label "class", and samples of locks the lock's
 * class, as people write it: "java.lang.String", "byte[]", "java.lang.Object[][]". */
#ifndef CANDOR_PROFILE_ALLOCATED_H
#define CANDOR_PROFILE_ALLOCATED_H

#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

struct buffer;

/* Writes the class's name for people. name: the JVM's name for it, "[B" or "[[Ljava.lang.Object;". full: the full name; otherwise the
 * stable one (base/text/stable_name.h). */
void allocated_put_class(struct buffer *b, const char *name, size_t len, bool full);
/* Adds the label to a set; the class as above. 0 or -ENOMEM. */
int allocated_label(struct profile *p, const char *name, size_t len, uint32_t *labels);
/* The class in a set of labels; 0 = it has none. */
uint32_t allocated_class(const struct profile *p, uint32_t labels);
/* Whether the samples of such a profile have classes. */
bool allocated_has_classes(const struct profile *p);
/* Adds the class to each sample that has one as the leaf frame, for trees and other tools' formats. Call it once, when all samples
 * are there. Results that were computed before do not change. 0 or -ENOMEM. */
int allocated_add_frames(struct profile *p);

#endif
