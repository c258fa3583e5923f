/* What a query has found: the parts, segments and roll-ups that gather.c lists and gather_rollups.c chooses. It is apart from both, because
 * both need it. */
#ifndef CANDOR_STORE_QUERY_GATHERED_H
#define CANDOR_STORE_QUERY_GATHERED_H

#include "store/query/by_context.h"
#include "store/store_internal.h"

struct gathered {
    uint64_t recording, segment, labelset, rows, weight, flaws;
    uint64_t parts; /* how many parts it stands for */
    uint32_t dictionary, type, by;
    uint32_t base;        /* `by` of the recording; that of a row differs if labels of samples split it */
    int64_t begun, ended; /* of the recording */
    int64_t first, last;  /* of the part, if it is not rolled; both are included */
    bool within;          /* all its rows are within the query's time */
    bool rolled;          /* it is what a label set has in a roll-up: `recording` is its group, `segment` the number of the file */
    uint32_t piece;       /* if rolled: the place in `pieces` */
    int64_t without_from, without_to; /* rows of these seconds are left out, because a roll-up has them; none if equal */
};

/* A part that is in no segment. */
struct gather_hole {
    uint64_t rows, weight;
    uint32_t type;
    enum missing_why why;
};

struct gather {
    struct gathered *list; /* sorted by dictionary, then by segment */
    uint32_t count, cap;
    struct gather_hole *holes;
    uint32_t hole_count, hole_cap;
    uint64_t arriving; /* recordings with this id or a higher one have not been acknowledged */
    struct store *store;
    unsigned epoch;              /* from merge_read_begin; the segments stay on the disk until gather_deinit */
    struct strtab types, values; /* values: of the label to split by; place 0 = no value */
    struct map labelsets;        /* labelset -> 1 + place in `values`; 0 = not selected */
    uint64_t rows;
    struct by_context *contexts; /* NULL = the query neither selects nor splits by labels of samples */
    bool labels;                 /* the query needs the contexts of rows */
    uint32_t type;               /* of all entries; 0 = any */
    uint32_t rolled;             /* entries that are rolled */
    struct gather_unit *units;
    uint32_t unit_count, unit_cap;
    struct gather_piece *pieces; /* sorted by service and day */
    uint32_t piece_count, piece_cap;
    uint64_t *across; /* for gather_skip_pieces */
    uint32_t across_cap;
    struct map piece_of;      /* service and day -> the first of their pieces */
    struct map hole_of;       /* gather_hole_key of each hole */
    struct rows_ahead *ahead; /* rows that were read for the next segments */
};

/* The key of a part in hole_of. A recording has parts of several types. type: id in the gather's types. */
static inline uint64_t gather_hole_key(uint64_t recording, int64_t day, uint32_t type)
{
    return hash_mix(recording << 24 ^ (uint64_t)day) ^ type;
}

/* How exactly the times of rows matter to an answer, for gather_init. Any other number: the answer has slices of so many seconds, from the
 * query's beginning. */
enum { GATHER_ANY_TIME = 0, GATHER_EACH_ROW = -1 };

/* The number of entries that a dictionary has. The rows of its segments must not refer to more. A dictionary only grows, and it already had
 * the entries that gathered segments refer to when these were found. */
struct gather_fit {
    uint32_t strings, nodes, threads, contexts;
    const bool *pass;      /* by context: whether its rows are selected; NULL = all are */
    const uint32_t *parts; /* by context: for by_context_value; NULL = rows are not split by context */
};

/* Is called for a row of a segment. A row of a roll-up is the sum of many: its second is the first of its hour or day, and it has no
 * thread. squares: NULL, or the sum of weight^2 / count over these many. */
typedef int gather_visit(void *context, const struct gathered *of, const struct segment *segment, const struct segment_row *row,
                         const double *squares);
static inline double gather_squares(const struct segment_row *row, const double *squares)
{
    return squares ? *squares : (double)row->weight * (double)row->weight / (row->count ? row->count : 1);
}

#endif
