/* Findings for people, and as JSON for programs (docs/formats/analyze-json.md). Write errors stay in the stream: ask ferror. */
#ifndef CANDOR_ANALYSIS_FINDINGS_PRINT_H
#define CANDOR_ANALYSIS_FINDINGS_PRINT_H

#include "analysis/findings.h"
#include "analysis/overview.h"

#include <stdio.h>

struct findings_print {
    const char *file;                /* whose findings they are */
    uint64_t duration_ns;            /* of that recording */
    uint32_t top;                    /* findings to print, 0 = all */
    const struct overview *overview; /* what the program did, which is then printed, too; or NULL */
};

void findings_print_text(FILE *out, const struct findings *f, const struct findings_print *o);
void findings_print_json(FILE *out, const struct findings *f, const struct findings_print *o);

/* Whether the recording allowed to judge a rule. */
bool findings_judged(const struct findings *f, enum finding_kind kind);
/* How many findings there are of a kind. */
uint32_t findings_of(const struct findings *f, enum finding_kind kind);

#endif
