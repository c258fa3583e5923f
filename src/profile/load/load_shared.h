/* Copies single stacks from a profile that the kinds of sample of a file share: into the profile of one kind, which then has only the
 * stacks of its own samples, or into a dictionary, once for all kinds.
 *
 *   struct load_shared s = {.to = ..., .from = ...};  [ [ load_shared_note ]* load_shared_copy [ load_shared_id ]* ]*  load_shared_deinit
 *
 * The entries get their ids in the same order as if the target had read the stacks by itself. A target without methods, frames and stacks
 * from elsewhere is not searched, because each entry of the shared profile is different from the others. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_SHARED_H
#define CANDOR_PROFILE_LOAD_LOAD_SHARED_H

#include "profile/profile.h"

struct load_shared {
    struct profile *to;
    const struct profile *from; /* may grow between calls */
    bool searches;              /* the target has entries from elsewhere, too */
    struct load_copied {
        uint32_t *ids; /* by the id in `from`: the id in `to`, plus 1; 0 = not copied yet */
        uint32_t cap;
    } strings, methods, frames, nodes;
    uint32_t *path; /* places of the noted stacks that are not copied yet, leaf first in each stack */
    uint32_t path_count, path_cap;
};

/* Notes a stack of `from`. Returns 0 or -ENOMEM. */
int load_shared_note(struct load_shared *s, uint32_t stack);
/* Copies the noted stacks. Returns 0, and load_shared_id then returns their ids in `to`; or -ENOMEM, after which only load_shared_deinit
 * may follow. */
int load_shared_copy(struct load_shared *s);
static inline uint32_t load_shared_id(const struct load_shared *s, uint32_t stack)
{
    return s->nodes.ids[stack] - 1;
}
void load_shared_deinit(struct load_shared *s);

#endif
