/* Prints the report on the halts of a recording: text for people, JSON for programs (docs/formats/halts-json.md). Both functions only
 * read the view. Write errors stay in the stream; the caller checks ferror. They return 0 or -ENOMEM. */
#ifndef CANDOR_REPORT_HALTS_HALTS_H
#define CANDOR_REPORT_HALTS_HALTS_H

#include "events/timeline.h"

#include <stdio.h>

struct halts_report {
    uint32_t top; /* rows per table, 0 = all */
    bool asked;   /* the user asked for a part of the recording */
    bool colour;
    const struct jfr_problems *problems;
    const struct timeline *timeline; /* NULL = the user did not ask for it */
};

int halts_report_text(FILE *out, const struct halt_view *v, const struct halts_report *o);
int halts_report_json(FILE *out, const struct halt_view *v, const struct halts_report *o);

#endif
