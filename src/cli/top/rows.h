/* Makes the rows for a view of the recording: methods, threads, callers and callees of a method, and the books.
 *
 * Shares refer to the sampled CPU time in the view; shares of the books refer to all CPU time. The profile owns the names. */
#ifndef CANDOR_CLI_TOP_ROWS_H
#define CANDOR_CLI_TOP_ROWS_H

#include "profile/figures/stats.h"
#include "profile/profile.h"

enum rows_kind { ROWS_METHODS, ROWS_THREADS, ROWS_CALLERS, ROWS_CALLEES, ROWS_BOOKS };

struct row {
    const char *name;
    uint32_t id;  /* a method's label, or a thread's id; 0 = the row cannot be opened */
    uint8_t type; /* for a method: the frame type with most of its time */
    uint16_t depth;
    bool fork; /* one of several branches */
    double self, total;
    struct interval self_interval, total_interval;
    int64_t ns;     /* time of the figure that the row shows */
    uint64_t count; /* samples */
};

struct rows {
    enum rows_kind kind;
    struct row *list;
    uint32_t count, cap;
    double effective; /* effective size of the sample from which the intervals were computed */
};

/* Replaces the rows. label: the method, for rows of callers or callees. Returns 0, -ENOMEM or -EFBIG; after an error there are no rows. */
int rows_fill(struct rows *r, enum rows_kind kind, const struct profile *view, uint32_t label);
void rows_deinit(struct rows *r);

#endif
