/* Finds the parts of recordings that match a query's labels, times and type, and lists them by segment. */
#ifndef CANDOR_STORE_QUERY_GATHER_H
#define CANDOR_STORE_QUERY_GATHER_H

#include "store/query/by_context.h"
#include "store/store_internal.h"

struct gathered {
    uint64_t recording, segment, labelset, rows, weight, flaws;
    uint32_t dictionary, type, by;
    uint32_t base;        /* `by` of the recording; that of a row differs if labels of samples split it */
    int64_t begun, ended; /* of the recording */
    int64_t first, last;  /* of the part; both are included */
    bool within;          /* all its rows are within the query's time */
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
};

/* Finds the segments for a query. by: a label to split by, or NULL; several as in store_series. Sets the result's type, its number of
 * recordings, and its missing data. Returns 0 or a code. Call gather_deinit in both cases. */
int gather_init(struct gather *g, struct store *s, const struct store_query *q, const char *by, struct store_result *r, struct error *e);
void gather_deinit(struct gather *g);
/* Returns the value that the recordings have by themselves of which labels of samples made this value. */
uint32_t gather_base(const struct gather *g, uint32_t value);

/* Sums up the books of the selected recordings in the result. Uses the book that covers the result's type. Returns 0 or a code. */
int select_books(const struct gather *g, struct store *s, const struct store_query *q, struct store_result *r, struct error *e);

/* The number of entries that a dictionary has. The rows of its segments must not refer to more. A dictionary only grows, and it already had
 * the entries that gathered segments refer to when these were found. */
struct gather_fit {
    uint32_t strings, nodes, threads, contexts;
    const bool *pass;      /* by context: whether its rows are selected; NULL = all are */
    const uint32_t *parts; /* by context: for by_context_value; NULL = rows are not split by context */
};

/* Visits the dictionaries of the list, one after the other. `visit` reads the dictionary's segments, which begin at *at, and moves *at past
 * them. If it returns a code, the function returns it. */
typedef int gather_visit_dictionary(void *context, uint32_t *at, struct dictionary *d, const struct gather_fit *fit, struct error *e);
int gather_dictionaries(const struct gather *g, struct store *s, gather_visit_dictionary *visit, void *context, struct error *e);

/* Visits one segment of the list: calls visit for each row of the selected recordings within the query's time. *at moves past the segment's
 * last entry in the list. A segment that cannot be read, or does not fit its dictionary, is put aside, and the result names it. fit: NULL =
 * rows are not looked up in the dictionary; only without g->contexts. Rows have their contexts only with g->labels. Returns 0 or a code. */
typedef int gather_visit(void *context, const struct gathered *of, const struct segment *segment, const struct segment_row *row);
int gather_segment(const struct gather *g, struct store *s, const struct store_query *q, uint32_t *at, unsigned columns,
                   const struct gather_fit *fit, gather_visit *visit, void *context, struct store_result *r, struct error *e);

/* Answers for one segment of the list from the sums that are stored in it, without reading its rows, if the sums are enough. They are
 * enough if the query selects every recording of the segment and, for sums by stack, the whole time of each. With g->labels,
 * all rows must have the same context, because the sums are over all contexts. `visit` must add to the result's weight. *done: whether the
 * sums were used. If not, the caller must read the rows. fit: as in gather_segment. */
enum gather_sums { GATHER_STACKS, GATHER_SECONDS };
typedef int gather_visit_sums(void *context, const struct gathered *of, const struct segment *segment);
int gather_sums(const struct gather *g, struct store *s, const struct store_query *q, uint32_t *at, enum gather_sums which,
                const struct gather_fit *fit, gather_visit_sums *visit, void *context, struct store_result *r, bool *done, struct error *e);

#endif
