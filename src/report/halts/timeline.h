/* Draws, as a part of the report on halts, what each thread did (events/timeline.h). */
#ifndef CANDOR_REPORT_HALTS_TIMELINE_H
#define CANDOR_REPORT_HALTS_TIMELINE_H

#include "base/text/jsonw.h"
#include "events/timeline.h"

#include <stdio.h>

enum { TIMELINE_NAME_COLUMNS = 20 }; /* columns of a name beside the cells, without the two blanks before and after it */

/* Prints the rows without a heading. top: number of rows, 0 = all. */
void timeline_text(FILE *out, const struct timeline *t, uint32_t top);
/* Writes the timeline as a JSON value; the caller has written its key. */
void timeline_json(struct jsonw *j, const struct timeline *t, uint32_t top);

#endif
