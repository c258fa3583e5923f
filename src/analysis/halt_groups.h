/* Groups the halts of one kind by peer, path or reason, for rules that judge each group. */
#ifndef CANDOR_ANALYSIS_HALT_GROUPS_H
#define CANDOR_ANALYSIS_HALT_GROUPS_H

#include "events/halts.h"

#include <stdint.h>

struct halt_group {
    /* String ids of the halts. The site and the thread are those with most of the group's time or, for halts without a duration, with
     * most halts. */
    uint32_t what, site, thread;
    uint64_t count, sum_ns, median_ns;
    uint64_t at_once_ns; /* the part of sum_ns in which another halt of the group was under way */
    uint32_t threads;
};

struct halt_groups {
    struct halt_group *list;
    uint32_t count, cap;
};

/* Makes the groups. Returns 0 or -ENOMEM. Call halt_groups_deinit in any case. */
int halt_groups_make(struct halt_groups *g, const struct halts *h, enum halt_kind kind);
void halt_groups_deinit(struct halt_groups *g);

#endif
