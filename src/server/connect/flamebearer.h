/* Makes a flame graph in the form that Grafana reads: the nodes of each level, from left to right. A node has four numbers: its distance
 * from the end of the previous node, its total, its self, and its name. In a comparison, a node has the first three numbers for each side,
 * and then the name.
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

/* Builds the flame graph of one profile, or of the comparison of two. Returns 0, -ENOMEM, or -EFBIG. Call flamebearer_deinit in each
 * case. */
int flamebearer_build(struct flamebearer *f, struct profile *const sides[], int side_count);
void flamebearer_deinit(struct flamebearer *f);

#endif
