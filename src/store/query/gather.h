/* Finds the parts of recordings that match a query's labels, times and type, and lists them by segment. What a roll-up has of them
 * (gather_rollups.h) is listed instead, where this is as good, or where the rows are deleted. */
#ifndef CANDOR_STORE_QUERY_GATHER_H
#define CANDOR_STORE_QUERY_GATHER_H

#include "store/store_internal.h"

struct gathered {
    uint64_t recording, segment, labelset, rows, weight, flaws;
    uint64_t parts; /* how many parts it stands for */
    uint32_t dictionary, type, by;
    int64_t begun, ended; /* of the recording */
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
    uint32_t type;   /* of all entries; 0 = any */
    uint32_t rolled; /* entries that are rolled */
    struct gather_unit *units;
    uint32_t unit_count, unit_cap;
    bool skip_files; /* those of the roll-up that the catalog lists */
    struct gather_piece *pieces; /* sorted by service and day */
    uint32_t piece_count, piece_cap;
    struct map piece_of; /* service and day -> the first of their pieces */
    struct map hole_of;  /* recording and day of each hole */
};

/* How exactly the times of rows matter to an answer, for gather_init. Any other number: the answer has slices of so many seconds, from the
 * query's beginning. */
enum { GATHER_ANY_TIME = 0, GATHER_EACH_ROW = -1 };

/* Finds the segments for a query. by: a label to split by, or NULL. grain: see above; roll-ups that are coarser are used only if there are
 * no rows any more. Sets the result's type, its number of recordings, and its missing data. Returns 0 or a code. Call gather_deinit in both
 * cases. */
int gather_init(struct gather *g, struct store *s, const struct store_query *q, const char *by, int64_t grain, struct store_result *r,
                struct error *e);
/* Gathers again, with another grain. */
int gather_again(struct gather *g, const struct store_query *q, const char *by, int64_t grain, struct store_result *r, struct error *e);
void gather_deinit(struct gather *g);

/* Sums up the books of the selected recordings in the result. Uses the book that covers the result's type. Returns 0 or a code. */
int select_books(const struct gather *g, struct store *s, const struct store_query *q, struct store_result *r, struct error *e);

/* The number of entries that a dictionary has. The rows of its segments must not refer to more. A dictionary only grows, and it already had
 * the entries that gathered segments refer to when these were found. */
struct gather_fit {
    uint32_t strings, nodes, threads;
};

/* Visits the dictionaries of the list, one after the other. `visit` reads the dictionary's segments, which begin at *at, and moves *at past
 * them. If it returns a code, the function returns it. */
typedef int gather_visit_dictionary(void *context, uint32_t *at, struct dictionary *d, const struct gather_fit *fit, struct error *e);
int gather_dictionaries(const struct gather *g, struct store *s, gather_visit_dictionary *visit, void *context, struct error *e);

/* Visits one segment of the list: calls visit for each row of the selected recordings within the query's time. *at moves past the segment's
 * last entry in the list. A segment that cannot be read, or does not fit its dictionary, is put aside, and the result names it. fit: NULL =
 * rows are not looked up in the dictionary. Returns 0 or a code.
 *
 * A row of a roll-up is the sum of many: its second is the first of its hour or day, and it has no thread. squares: NULL, or the sum of
 * weight^2 / count over these many. */
typedef int gather_visit(void *context, const struct gathered *of, const struct segment *segment, const struct segment_row *row,
                         const double *squares);
static inline double gather_squares(const struct segment_row *row, const double *squares)
{
    return squares ? *squares : (double)row->weight * (double)row->weight / (row->count ? row->count : 1);
}
int gather_segment(const struct gather *g, struct store *s, const struct store_query *q, uint32_t *at, unsigned columns,
                   const struct gather_fit *fit, gather_visit *visit, void *context, struct store_result *r, struct error *e);

/* Answers for one segment of the list from the sums that are stored in it, without reading its rows, if the sums are enough. They are
 * enough if the query selects every recording of the segment and, for sums by stack, the whole time of each. `visit` must add to the
 * result's weight. *done: whether the sums were used. If not, the caller must read the rows. fit: as in gather_segment. */
enum gather_sums { GATHER_STACKS, GATHER_SECONDS };
typedef int gather_visit_sums(void *context, const struct gathered *of, const struct segment *segment);
int gather_sums(const struct gather *g, struct store *s, const struct store_query *q, uint32_t *at, enum gather_sums which,
                const struct gather_fit *fit, gather_visit_sums *visit, void *context, struct store_result *r, bool *done, struct error *e);

#endif
