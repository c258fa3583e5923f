/* What changed between two sides of recordings: text for people, JSON for programs (docs/formats/diff-json.md). Both only read. Write
 * errors stay in the stream: ask ferror. */
#ifndef CANDOR_REPORT_DIFF_REPORT_H
#define CANDOR_REPORT_DIFF_REPORT_H

#include "profile/figures/diff.h"

#include <stdio.h>

struct diff_options {
    unsigned only;  /* bits by enum diff_change; 0 = all changes */
    bool all;       /* also what did not change */
    uint32_t top;   /* rows, 0 = all */
    unsigned width; /* columns of the terminal, 0 = no limit */
    bool colour;
    const char *a, *b; /* how the sides are called */
    const char *unit;  /* of weights: "ns", ... */
    const char *whole; /* what shares are shares of: "sampled CPU" */
};

void diff_text(FILE *out, const struct diff *d, const struct diff_options *o);
void diff_json(FILE *out, const struct diff *d, const struct diff_options *o);

/* Whether the row is shown, given its change and the options. */
bool diff_is_shown(const struct diff_row *row, const struct diff_options *o);

#endif
