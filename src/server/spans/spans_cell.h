/* Chooses spans by their beginning and by what they have of something: a rectangle of a heat map (spans_heat.h). */
#ifndef CANDOR_SERVER_SPANS_SPANS_CELL_H
#define CANDOR_SERVER_SPANS_SPANS_CELL_H

#include "server/spans/spans_sum.h"

struct spans_cell {
    unsigned order;       /* which value: a number of spans_orders */
    bool is_all;          /* neither of the following is limited */
    int64_t from_s, to_s; /* seconds since the epoch; the beginning is from from_s to before to_s */
    uint64_t least, most; /* the value is from least to below most */
};

/* Reads the parameters order, began=FROM..TO and value=LEAST..MOST; the latter two are optional, and so is MOST. Returns 0, or a code if it
 * has already answered with an error. */
int spans_cell_read(struct spans_cell *c, struct http *h);
bool spans_cell_has(const struct spans_cell *c, const struct span *s);
/* Makes one profile of the samples of the spans in the cell, and of the spans that have these as roots. The profile must be empty and
 * initialized. Returns 0, or a code with a message in e. Call store_result_deinit in each case. */
int spans_cell_profile(const struct spans_cell *c, struct http *h, const struct question *query, struct profile *p, struct store_result *r,
                       struct error *e);

#endif
