/* What ../rows_move.c does with the catalog of a copy: each part goes to a segment of its own, whose rows are in another place. Nobody
 * else uses the copy, and it is synced as a whole at the end, so these transactions do not wait for the disk. */
#ifndef CANDOR_STORE_CATALOGUE_CATALOGUE_MOVE_H
#define CANDOR_STORE_CATALOGUE_CATALOGUE_MOVE_H

#include "store/catalogue/catalogue_rollup.h"

/* A part that is in a good segment. */
struct catalogue_stored {
    uint64_t segment, recording, weight;
    uint32_t dictionary, rows;
    int64_t day, type_id;
    const char *type, *service; /* valid during the call */
};
typedef int catalogue_visit_stored(void *context, const struct catalogue_stored *p);
/* Visits these parts by day, dictionary, type, segment and recording. If the visitor returns a code other than 0, it must have set e. */
int catalogue_stored(struct catalogue *c, catalogue_visit_stored *visit, void *context, struct error *e);

struct catalogue_moved {
    uint64_t segment;               /* its new segment */
    uint64_t bytes;                 /* of the new segment */
    uint32_t rows;                  /* in the new segment */
    struct catalogue_stored before; /* without the texts */
};
/* Puts each part into its new segment. Returns -EAGAIN if one has changed. */
int catalogue_move(struct catalogue *c, const struct catalogue_moved *list, uint32_t count, struct error *e);
/* Forgets the good segments up to this number, whose parts have all moved, and the files of stale roll-ups, which have not moved. */
int catalogue_move_end(struct catalogue *c, uint64_t last, struct error *e);

/* Records the size that a roll-up's file has in its new place. */
int catalogue_move_rollup(struct catalogue *c, const struct catalogue_rollup_file *f, struct error *e);

#endif
