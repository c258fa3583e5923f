/* Describes a program's work during the recording: some figures with their intervals. They are always shown, because "nothing found"
 * alone says little. */
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
    uint32_t processors; /* number of existing processors, if the row counts processors; otherwise 0 */
    uint32_t site;       /* string id of the findings: the program's line with the largest part of the amount; 0 = unknown */
    double site_share;   /* the size of that part, as a share */
};

enum { OVERVIEW_ROWS = 8 };

struct overview {
    struct overview_row rows[OVERVIEW_ROWS];
    uint32_t count;
    const char *again; /* the target of a further recording: "4711", "-- COMMAND"; NULL = "PID" */
};

/* Makes the rows for the data that was recorded. Their texts are added to f. */
void overview_make(struct overview *v, struct findings *f, const struct evidence *e);
/* Writes a command that records the data for the rules that were not judged. Returns line, which is empty if a diagnosis cannot record
 * them: no rule was left out, or each of them is undecided. */
const char *overview_again(const struct findings *f, const struct overview *v, char *line, size_t size);
/* Whether a rule was not judged although the recording has all that a diagnosis records: only more collections would decide it. */
bool overview_is_undecided(const struct finding_gap *gap);

#endif
