/* Copies stacks from a profile that the kinds of sample of a file share into the profile of one kind. A stack that samples of several
 * kinds refer to is read once, and each kind's profile has only the stacks of its own samples.
 *
 *   struct load_shared s = {.to = ..., .from = ...};  [ load_shared_stack ]*  load_shared_deinit
 *
 * It works without searching, because each entry of the shared profile is different from the others: therefore the target must have no
 * methods, frames and stacks from elsewhere. Its entries get their ids in the same order as if it had read the stacks by itself. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_SHARED_H
#define CANDOR_PROFILE_LOAD_LOAD_SHARED_H

#include "profile/profile.h"

struct load_shared {
    struct profile *to;
    const struct profile *from; /* may grow between calls */
    struct load_copied {
        uint32_t *ids; /* by the id in `from`: the id in `to`, plus 1; 0 = not copied yet */
        uint32_t cap;
    } strings, methods, frames, nodes;
};

/* Replaces the id of a stack of `from` by its id in `to`. Returns 0 or -ENOMEM. */
int load_shared_stack(struct load_shared *s, uint32_t *stack);
void load_shared_deinit(struct load_shared *s);

#endif
