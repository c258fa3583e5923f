/* Prints findings for users, and as JSON for programs (docs/formats/analyze-json.md). Write errors are kept in the stream: check ferror. */
#ifndef CANDOR_ANALYSIS_FINDINGS_PRINT_H
#define CANDOR_ANALYSIS_FINDINGS_PRINT_H

#include "analysis/findings.h"
#include "analysis/show/overview.h"
#include "base/text/jsonw.h"

#include <stdio.h>

struct findings_print {
    const char *file;                /* the recording's name */
    uint64_t duration_ns;            /* duration of that recording */
    uint32_t top;                    /* number of findings to print; 0 = all */
    const struct overview *overview; /* an overview, which is printed, too; or NULL */
};

void findings_print_text(FILE *out, const struct findings *f, const struct findings_print *o);
void findings_print_json(FILE *out, const struct findings *f, const struct findings_print *o);

/* Print one finding as these functions do. file: the recording's name, for the command that shows more. */
void finding_print_text(FILE *out, const struct findings *f, const struct finding *one, const char *file);
void finding_print_json(struct jsonw *j, const struct findings *f, const struct finding *one);

/* Whether the recording had enough data for a rule. */
bool findings_judged(const struct findings *f, enum finding_kind kind);
/* Returns the number of findings of a kind. */
uint32_t findings_of(const struct findings *f, enum finding_kind kind);

#endif
