/* The part of the report on halts that draws what each thread did (events/timeline.h). */
#ifndef CANDOR_REPORT_HALTS_TIMELINE_H
#define CANDOR_REPORT_HALTS_TIMELINE_H

#include "base/text/jsonw.h"
#include "events/timeline.h"

#include <stdio.h>

enum { TIMELINE_NAME_COLUMNS = 20 }; /* beside the cells, and two blanks before and after */

/* top: rows, 0 = all. Without its heading. */
void timeline_text(FILE *out, const struct timeline *t, uint32_t top);
/* The value of a member. */
void timeline_json(struct jsonw *j, const struct timeline *t, uint32_t top);

#endif
