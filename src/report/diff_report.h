/* Prints what changed between the two sides of a comparison: text for people, JSON for programs (docs/formats/diff-json.md). Both
 * functions only read the comparison. Write errors stay in the stream; the caller checks ferror. */
#ifndef CANDOR_REPORT_DIFF_REPORT_H
#define CANDOR_REPORT_DIFF_REPORT_H

#include "base/text/jsonw.h"
#include "profile/figures/diff.h"

#include <stdio.h>

struct diff_options {
    unsigned only;  /* bits by enum diff_change; 0 = all changes */
    bool all;       /* also show rows without a change */
    uint32_t top;   /* rows, 0 = all */
    unsigned width; /* columns of the terminal, 0 = no limit */
    bool colour;
    const char *a, *b; /* the names of the sides */
    const char *unit;  /* the unit of weights: "ns", ... */
    const char *whole; /* the name of the whole that shares refer to: "sampled CPU" */
};

void diff_text(FILE *out, const struct diff *d, const struct diff_options *o);
void diff_json(FILE *out, const struct diff *d, const struct diff_options *o);

/* Whether the row is shown, according to its change and the options. */
bool diff_is_shown(const struct diff_row *row, const struct diff_options *o);

#endif
