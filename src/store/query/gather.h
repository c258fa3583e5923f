/* Finds the parts of recordings that match a query's labels, times and type, and lists them by segment. What a roll-up has of them
 * (gather_rollups.h) is listed instead, where this is as good, or where the rows are deleted. */
#ifndef CANDOR_STORE_QUERY_GATHER_H
#define CANDOR_STORE_QUERY_GATHER_H

#include "store/query/gathered.h"

/* Finds the segments for a query. by: a label to split by, or NULL. grain: see above; roll-ups that are coarser are used only if there are
 * no rows any more. Sets the result's type, its number of recordings, and its missing data. Returns 0 or a code. Call gather_deinit in both
 * cases. */
int gather_init(struct gather *g, struct store *s, const struct store_query *q, const char *by, int64_t grain, struct store_result *r,
                struct error *e);
/* Gathers again, with another grain. */
int gather_again(struct gather *g, const struct store_query *q, const char *by, int64_t grain, struct store_result *r, struct error *e);
void gather_deinit(struct gather *g);
/* A split by labels of samples makes new values from those of recordings. Returns the recordings' value from which this value was made. */
uint32_t gather_base(const struct gather *g, uint32_t value);

/* Sums up the books of the selected recordings in the result. Uses the book that covers the result's type. Returns 0 or a code. */
int select_books(const struct gather *g, struct store *s, const struct store_query *q, struct store_result *r, struct error *e);

/* Visits the dictionaries of the list, one after the other. `visit` reads the dictionary's segments, which begin at *at, and moves *at past
 * them. If it returns a code, the function returns it. */
typedef int gather_visit_dictionary(void *context, uint32_t *at, struct dictionary *d, const struct gather_fit *fit, struct error *e);
int gather_dictionaries(const struct gather *g, struct store *s, gather_visit_dictionary *visit, void *context, struct error *e);

/* Visits the segments of the list, one after the other, without their dictionaries, unless the query needs the labels of samples: for
 * sums by time. `visit` reads the segment that begins at *at, and moves *at past it. fit: as in gather_segment. */
typedef int gather_visit_segment(void *context, uint32_t *at, const struct gather_fit *fit, struct error *e);
int gather_segments(const struct gather *g, struct store *s, gather_visit_segment *visit, void *context, struct error *e);

/* Copies the values of the label by which the query splits. Each value keeps the number that it has in the gather. Returns 0 or -ENOMEM.
 * The caller frees them with gather_free_values, also after a failure. */
int gather_copy_values(const struct gather *g, char ***values, uint32_t *count);
void gather_free_values(char **values, uint32_t count);

/* Visits one segment of the list: calls visit for each row of the selected recordings within the query's time. *at moves past the segment's
 * last entry in the list. A segment that cannot be read, or does not fit its dictionary, is put aside, and the result names it. fit: NULL =
 * rows are not looked up in the dictionary; only without g->contexts. Rows have their contexts only with g->labels. Returns 0 or a code. */
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
