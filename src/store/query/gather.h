/* The segments for a query: parts of recordings with matching labels, times and type, by segment. */
#ifndef CANDOR_STORE_QUERY_GATHER_H
#define CANDOR_STORE_QUERY_GATHER_H

#include "store/store_internal.h"

struct gathered {
    uint64_t recording, segment, labelset, rows, weight, flaws;
    uint32_t dictionary, type, by;
    int64_t begun, ended; /* of the recording */
    bool within;          /* all its rows are in the query's time */
};

/* A part that is in no segment. */
struct gather_hole {
    uint64_t rows, weight;
    uint32_t type;
    enum missing_why why;
};

struct gather {
    struct gathered *list; /* by dictionary, then segment */
    uint32_t count, cap;
    struct gather_hole *holes;
    uint32_t hole_count, hole_cap;
    uint64_t arriving; /* recordings from this id on are not acknowledged */
    struct store *store;
    unsigned epoch;              /* of merge_read_begin: until gather_deinit the segments stay */
    struct strtab types, values; /* values: of the label that is asked for; 0 = it has none */
    struct map labelsets;        /* -> 1 + value, 0 = not selected */
    uint64_t rows;
};

/* Finds the segments for a query. by: a label to group by, or NULL. Fills the result's type, its count of recordings, and what is
 * missing. 0 or a code; call gather_deinit in both cases. */
int gather_init(struct gather *g, struct store *s, const struct store_query *q, const char *by, struct store_result *r, struct error *e);
void gather_deinit(struct gather *g);

/* The sum of the books of the selected recordings, in the result: for the book that covers its type. 0 or a code. */
int select_books(const struct gather *g, struct store *s, const struct store_query *q, struct store_result *r, struct error *e);

/* Visits a segment of the list: the rows of the selected recordings in the query's time, one by one. *at moves past the segment's
 * last entry in the list. An unreadable segment is put aside, and named in the result. 0 or a code. */
typedef int gather_visit(void *context, const struct gathered *of, const struct segment *segment, const struct segment_row *row);
int gather_segment(const struct gather *g, struct store *s, const struct store_query *q, uint32_t *at, unsigned columns,
                   gather_visit *visit, void *context, struct store_result *r, struct error *e);

/* What a dictionary has: its rows can mean no more. Its ids only get more meanwhile; what gathered segments have it had before. */
struct gather_fit {
    uint32_t strings, nodes, threads;
};
struct gather_fit gather_fit_of(struct dictionary *d);
bool gather_fits(const struct gather_fit *fit, const struct segment *segment);
/* Puts a segment aside that does not fit its dictionary, because the dictionary is damaged. The result names the segment. */
void gather_misfit(const struct gather *g, struct store *s, const struct gathered *first, struct store_result *r);

/* The same with its sums, if these are enough: for all its recordings and, for sums by stack, all of their time. `visit` adds to
 * the result's weight itself. *done: the sums were used; otherwise the rows must be read. */
enum gather_sums { GATHER_STACKS, GATHER_SECONDS };
typedef int gather_visit_sums(void *context, const struct gathered *of, const struct segment *segment);
int gather_sums(const struct gather *g, struct store *s, const struct store_query *q, uint32_t *at, enum gather_sums which,
                gather_visit_sums *visit, void *context, struct store_result *r, bool *done, struct error *e);

#endif
