/* Finds what a query may be answered from: the roll-ups and the parts of the services that it selects. Only these are read, and of parts
 * that a roll-up stands for only those that it does not have, so the cost does not depend on what others have sent. */
#ifndef CANDOR_STORE_CATALOGUE_CATALOGUE_SELECT_H
#define CANDOR_STORE_CATALOGUE_CATALOGUE_SELECT_H

#include "store/catalogue/catalogue_rollup.h"

/* The parts of one service, day and type, before they are visited. The visitor may set `without_...`: parts whose rows are all within these
 * seconds (since the epoch; `to` is excluded) are not visited. */
struct catalogue_group {
    uint64_t service;
    int64_t day, type;
    int64_t without_from, without_to; /* equal = none */
    const uint64_t *across; /* recordings whose part begins before without_from and ends within these seconds; valid until the next group */
    uint32_t across_count;
};

struct catalogue_select_visitor {
    bool (*service)(void *context, const char *name); /* whether the service may be selected */
    bool (*type)(void *context, const char *name);    /* whether parts and roll-ups of this type are wanted */
    catalogue_visit_rollup *rollup;
    catalogue_visit_rollup_file *file;
    int (*group)(void *context, struct catalogue_group *g); /* is called when all roll-ups were visited. Returns 0 or a code */
    catalogue_visit_hit *hit;                               /* NULL: parts are not visited, and neither are groups */
    void *context;
};
/* Visits, in one transaction: first the roll-ups of days with seconds in [from, to), each followed by its files, then the groups, each
 * followed by its parts that have rows in [from, to), in no particular order. */
int catalogue_select(struct catalogue *c, int64_t from, int64_t to, const struct catalogue_patience *patience,
                     const struct catalogue_select_visitor *visitor, struct error *e);

#endif
