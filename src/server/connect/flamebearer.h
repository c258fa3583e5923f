/* A flame graph as Grafana reads it: nodes by level, from left to right. The numbers of a node are its distance from the end of the
 * one before it, its total, its self and its name; of a comparison the first three for either side, and the name.
 * Source: pkg/model/flamegraph.go of grafana/pyroscope (the format; not its code). */
#ifndef CANDOR_SERVER_CONNECT_FLAMEBEARER_H
#define CANDOR_SERVER_CONNECT_FLAMEBEARER_H

#include "profile/profile.h"

struct flamebearer {
    const char **names; /* borrowed from the profiles */
    uint32_t name_count, name_cap;
    struct flamebearer_level {
        int64_t *values;
        uint32_t count, cap;
    } * levels;
    uint32_t level_count, level_cap;
    int64_t totals[2], most_self;
};

enum { FLAMEBEARER_NODE = 4, FLAMEBEARER_NODE_OF_TWO = 7 };

/* sides: one profile, or two. 0, -ENOMEM, or -EFBIG; deinit in either case. */
int flamebearer_build(struct flamebearer *f, struct profile *const sides[], int side_count);
void flamebearer_deinit(struct flamebearer *f);

#endif
