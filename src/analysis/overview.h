/* What a program did while it was recorded: some figures with their intervals. They are shown in any case, because "nothing found"
 * alone would say little. */
#ifndef CANDOR_ANALYSIS_OVERVIEW_H
#define CANDOR_ANALYSIS_OVERVIEW_H

#include "analysis/evidence.h"
#include "analysis/findings.h"

enum overview_unit { OVERVIEW_NUMBER, OVERVIEW_SHARE, OVERVIEW_BYTES };

struct overview_row {
    const char *id;    /* "cpu" */
    const char *words; /* "processors in use" */
    enum overview_unit unit;
    struct amount amount;
    uint32_t processors; /* that there are, where it counts these; else 0 */
    uint32_t site;       /* string of the findings: the program's own line with the largest part of it; 0 = unknown */
    double site_share;   /* how large */
};

enum { OVERVIEW_ROWS = 8 };

struct overview {
    struct overview_row rows[OVERVIEW_ROWS];
    uint32_t count;
    const char *again; /* "4711", "-- COMMAND": whom a further recording would be of; NULL = "PID" */
};

/* Makes the rows that say what was recorded; their texts go into f. */
void overview_make(struct overview *v, struct findings *f, const struct evidence *e);
/* Writes the command that records what the unjudged rules need. Returns line. */
const char *overview_again(const struct findings *f, const struct overview *v, char *line, size_t size);

#endif
