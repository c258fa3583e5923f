/* One profile merged into another, piece by piece: everything it has gained since the last time is interned there, in order of
 * arrival, and the mapping of its ids is kept.
 *
 *   struct graft g = {0};  [ graft_take -> g.strings[id], g.frames[id], g.nodes[id], g.labels[id], g.threads[id] ]*  graft_deinit
 *
 * Samples, books, settings and everything else that depends on more than one profile are the caller's business. */
#ifndef CANDOR_PROFILE_GRAFT_H
#define CANDOR_PROFILE_GRAFT_H

#include "profile/profile.h"

struct graft {
    uint32_t *strings, *frames, *nodes, *labels, *threads; /* by the id in the one, the id in the other */
    uint32_t *methods;                                     /* plus 1, 0 = not met yet */
    uint32_t method_cap;
    uint32_t string_count, frame_count, node_count, label_count, thread_count; /* how far it was taken */
    uint32_t string_cap, frame_cap, node_cap, label_cap, thread_cap;
};

/* Merges what `from` has gained since the last call. A graft is for one pair of profiles. 0 or -ENOMEM. */
int graft_take(struct graft *g, struct profile *to, const struct profile *from);
void graft_deinit(struct graft *g);

#endif
