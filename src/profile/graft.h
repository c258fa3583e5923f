/* Merges one profile into another, step by step. Each step interns everything that the source has gained since the last step, in order
 * of arrival, and keeps the mapping of the source's ids.
 *
 *   struct graft g = {0};  [ graft_take -> g.strings[id], g.frames[id], g.nodes[id], g.labels[id], g.threads[id] ]*  graft_deinit
 *
 * The caller merges samples, books, settings and everything else that depends on more than one profile. */
#ifndef CANDOR_PROFILE_GRAFT_H
#define CANDOR_PROFILE_GRAFT_H

#include "profile/profile.h"

struct graft {
    uint32_t *strings, *frames, *nodes, *labels, *threads; /* index: the id in the source; value: the id in the target */
    uint32_t *methods;                                     /* the same, plus 1; 0 = not met yet */
    uint32_t method_cap;
    uint32_t string_count, frame_count, node_count, label_count, thread_count; /* how many of the source's entries were merged so far */
    uint32_t string_cap, frame_cap, node_cap, label_cap, thread_cap;
    const bool *strings_wanted; /* by id in the source: whether the string is merged; others become 0. NULL = all are */
};

/* Merges everything that `from` has gained since the last call. A graft is for one pair of profiles. Returns 0 or -ENOMEM. */
int graft_take(struct graft *g, struct profile *to, const struct profile *from);
void graft_deinit(struct graft *g);

#endif
