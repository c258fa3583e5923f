/* Which roll-ups (store/rollup/rollup.h) answer a query, for gather.c. */
#ifndef CANDOR_STORE_QUERY_GATHER_ROLLUPS_H
#define CANDOR_STORE_QUERY_GATHER_ROLLUPS_H

#include "store/catalogue/catalogue_select.h"
#include "store/query/gathered.h"
#include "store/rollup/rollup.h"

/* A roll-up that the catalog has listed. */
struct gather_unit {
    struct catalogue_rollup rollup; /* its texts and its summary are not set */
    struct rollup_summary summary;
    bool damaged;  /* the summary is: it is empty */
    uint32_t type; /* id in the gather's types */
    struct catalogue_rollup_file *files;
    uint32_t file_count, file_cap;
};

/* The data of one service, day and type that a query takes from a roll-up instead of from rows. */
struct gather_piece {
    uint32_t unit, slot, slot_end; /* the slots of the unit that are taken; none if equal */
    int64_t from, to;              /* the same in seconds since the epoch; `to` is excluded */
    uint32_t cut[2];               /* slots that are missing: without rows, the query has only a part of them; UINT32_MAX = none */
    bool lost;                     /* there are no rows, and the roll-up is damaged: all of it is missing */
};

/* Takes a roll-up that the catalog lists, and its files. Returns 0 or -ENOMEM. */
int gather_take_unit(struct gather *g, const struct catalogue_rollup *u);
int gather_take_file(struct gather *g, const struct catalogue_rollup_file *f);
/* Has the catalog note which summaries are damaged, so that their roll-ups are made again from rows. Call it after the catalog was read. */
void gather_note_damaged(const struct gather *g);
/* Chooses, when all roll-ups are listed, what is taken from them, and adds it to the gather's list. Returns 0 or -ENOMEM. */
int gather_choose_pieces(struct gather *g, const struct store_query *q, int64_t grain);
/* Finds the piece for the service, day and type (ids in the catalog), whose rows need not be read. Returns NULL if there is none. */
const struct gather_piece *gather_piece_of(const struct gather *g, uint64_t service, int64_t day, int64_t type);
/* Tells the catalog which parts of the group need not be visited, because a piece has them. Returns 0 or -ENOMEM. */
int gather_skip_pieces(struct gather *g, struct catalogue_group *group);

/* Returns how many pieces of this type lack something, and have some of the selected labels. */
uint32_t gather_missing_pieces(const struct gather *g, uint32_t type);
/* Counts what the pieces of this type (0 = of any) have beside rows: recordings that `seen` does not have yet, and what is missing. */
int gather_count_pieces(const struct gather *g, uint32_t type, struct map *seen, struct store_result *r);
/* Adds up the time that the pieces' recordings cover within the query's. A recording that `seen` has is left out. */
int gather_seconds_of_pieces(const struct gather *g, const struct store_query *q, struct map *seen, uint64_t *seconds);

/* As gather_segment, for an entry with `rolled`. `visit` must add to the result's weight. */
int gather_rollup(const struct gather *g, struct store *s, uint32_t *at, const struct gather_fit *fit, gather_visit *visit, void *context,
                  struct store_result *r, struct error *e);
void gather_pieces_deinit(struct gather *g);

#endif
