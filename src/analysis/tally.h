/* Adds up weights by group and key. For example, the group is a lock, and the keys are the places at which threads waited for it. The
 * sum of a group and its largest key can be read at any time. A tally has one owner and no locking. */
#ifndef CANDOR_ANALYSIS_TALLY_H
#define CANDOR_ANALYSIS_TALLY_H

#include "base/map.h"

#include <stdbool.h>
#include <stdint.h>

struct tally_row {
    uint32_t group, key;
    uint64_t weight;
    uint32_t count; /* number of additions */
};

struct tally_group {
    uint64_t weight;
    uint32_t keys;
    uint32_t largest; /* index of the row */
};

struct tally {
    struct tally_row *rows; /* in order of arrival */
    uint32_t count, cap;
    struct tally_group *groups;
    uint32_t group_count, group_cap;
    struct map places, group_places;
    bool failed; /* memory ran out, and something was not added */
};

void tally_init(struct tally *t);
void tally_deinit(struct tally *t);
void tally_add(struct tally *t, uint32_t group, uint32_t key, uint64_t weight);
/* Returns the row with the most weight in the group, or the first of several with the same weight; NULL if the group has no rows. The
 * row still belongs to the tally. */
const struct tally_row *tally_largest(const struct tally *t, uint32_t group);
/* Returns the number of keys of a group. tally_weight returns the weight of all of them. */
uint32_t tally_keys(const struct tally *t, uint32_t group);
uint64_t tally_weight(const struct tally *t, uint32_t group);

#endif
