/* The rows for a view of the recording: methods, threads, callers and callees of a method, the books.
 *
 * Shares refer to the sampled CPU time in the view, those of the books to all CPU time. Names are borrowed from the profile. */
#ifndef CANDOR_CLI_TOP_ROWS_H
#define CANDOR_CLI_TOP_ROWS_H

#include "profile/figures/stats.h"
#include "profile/profile.h"

enum rows_kind { ROWS_METHODS, ROWS_THREADS, ROWS_CALLERS, ROWS_CALLEES, ROWS_BOOKS };

struct row {
    const char *name;
    uint32_t id;  /* of a method its label, of a thread its id; 0 = it cannot be looked into */
    uint8_t type; /* of a method: the frame type with most of its time */
    uint16_t depth;
    bool fork; /* one of several branches */
    double self, total;
    struct interval self_interval, total_interval;
    int64_t ns;     /* of the figure that the row is about */
    uint64_t count; /* samples */
};

struct rows {
    enum rows_kind kind;
    struct row *list;
    uint32_t count, cap;
    double effective; /* size of the sample that the intervals rest on */
};

/* Fills rows anew. label: of the method whose callers or callees are meant. 0, -ENOMEM or -EFBIG; then there are no rows. */
int rows_fill(struct rows *r, enum rows_kind kind, const struct profile *view, uint32_t label);
void rows_deinit(struct rows *r);

#endif
